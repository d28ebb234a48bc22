"""Homes with conversations in them, backups of these, and what a backup brings back."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from lull.config.paths import Paths
from lull.core.backups.backup import MANIFEST
from lull.core.chat.trajectory import Selection
from lull.service.process.lock import alive
from lull.service.wiring.base.stores import Stores, open_stores
from lull.store.backups import restoring
from lull.store.backups.backup import FinishedBackup, make
from tests.building import turn, user

AT = "2026-11-22T10:00:00+00:00"
SECRET = b"hunter2-planted"


def opened(home: Path) -> Stores:
    return open_stores(Paths(home=home, temporary=home))


def say(stores: Stores, *names: str) -> None:
    for name in names:
        one = turn(user(name), turn_id=f"t-{name}", trajectory=f"c-{name}")
        stores.trajectories.record(one, session="", selection=Selection())
    stores.database.flush()


def filled(home: Path, *names: str) -> None:
    """Fill a home with a file of each kind, and a secret in each place that no backup reads.

    The home is left as after an orderly stop.
    """
    stores = opened(home)
    say(stores, *names)
    stores.skills.folders.keep_bytes(b"a skill")
    stores.witness.write(stores.database, at=AT, running=False)
    stores.database.close()
    for name in (
        *("settings.toml", "library/skills/everybody/menu/SKILL.md", "trash/000001.gz"),
        *("adapters/a1/adapters.safetensors", "runs/r1/batch.jsonl", "runs/r1/adapter/x"),
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"{name} of {len(names)}")
    for name in (
        *("secrets.json", "service.json", "logs/service.log", "vectors/chroma.sqlite3"),
        *("models/m/model.safetensors", "runs/r1/checkpoints/s/state.json", "window.ini"),
        "library/.SKILL.md.999999999.2.tmp",
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(SECRET)


def backed_up(home: Path, name: str = "b.zip", **more: Any) -> FinishedBackup:
    return make(home, home.parent / name, at=AT, version="1", alive=alive, **more)


def brought_back(home: Path, file: Path) -> None:
    restoring.restore(home, file, at=AT, alive=alive, tell=lambda *_: None)


def below(home: Path) -> dict[str, str]:
    """Return every file in the home with its hash, except the database, whose bytes may differ."""
    return {
        str(file.relative_to(home)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(home.rglob("*"))
        if file.is_file() and file.name != "lull.db" and not file.name.startswith("lull.db-")
    }


def turns(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "lull.db")) as file:
        return [row[0] for row in file.execute("SELECT id FROM turns ORDER BY id")]


def worries(home: Path) -> list[str]:
    stores = opened(home)
    try:
        return [one.detail for one in stores.database.worries]
    finally:
        stores.database.close()


def again(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Pack the backup again with changed members."""
    with zipfile.ZipFile(file) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    change(members)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)


def said_of(members: dict[str, bytes]) -> None:
    """Make the manifest state the present size and hash of each member."""
    said = json.loads(members[MANIFEST])
    said["entries"] = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
        if name != MANIFEST
    }
    members[MANIFEST] = json.dumps(said).encode()
