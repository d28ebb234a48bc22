"""Tests of bringing a home back from a backup: all or nothing, killed anywhere or out of room.

Kills come from an audit hook in a process of its own: it dies at the n-th opening, renaming or
removing of a file, wherever in the code that is.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from lull.core.backups.backup import MANIFEST
from lull.core.errors import BackupError, Busy, LullError, StoreError
from lull.service.process.lock import alive
from lull.store.backups import restoring
from lull.store.backups.backup import make
from lull.store.backups.reading import manifest_of, unpacked
from lull.store.disk.leftovers import sweep_leftovers
from lull.store.sqlite.migrations import MIGRATIONS
from tests.store.backups.homes import (
    AT,
    SECRET,
    again,
    below,
    brought_back,
    opened,
    said_of,
    say,
    turns,
    worries,
)

# Bringing back


def test_what_stood_goes_aside_and_comes_back_bit_for_bit(home: Path, backup: Path) -> None:
    stores = opened(home)
    say(stores, "plum")
    stores.witness.write(stores.database, at=AT, running=False)
    stores.database.close()
    (home / "settings.toml").write_text("mine")
    (home / "adapters/a2").mkdir()
    (home / "adapters/a2/x").write_text("a2")
    before = below(home)
    brought_back(home, backup)
    assert turns(home) == ["t-apple", "t-pear"]
    assert not (home / "adapters/a2").exists()
    assert (home / "settings.toml").read_text() == "settings.toml of 2"
    assert worries(home) == []
    assert (home / "secrets.json").read_bytes() == SECRET
    restoring.undo(home)
    assert turns(home) == ["t-apple", "t-pear", "t-plum"]
    aside = {name for name in below(home) if name.startswith("before-restore-2/")}
    assert {name: mark for name, mark in below(home).items() if name not in aside} == before
    assert worries(home) == []
    restoring.undo(home)
    assert turns(home) == ["t-apple", "t-pear"]
    assert [folder.name for folder in restoring.replaced_data_folders(home)] == ["before-restore-3"]


def test_a_home_that_lost_everything_complains_no_more(home: Path, backup: Path) -> None:
    for name in ("lull.db", "lull.db-wal", "lull.db-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.rmtree(home / "library")
    (said,) = worries(home)
    assert "held 2 answers" in said
    brought_back(home, backup)
    assert worries(home) == []
    assert turns(home) == ["t-apple", "t-pear"]


def test_an_older_layout_is_brought_to_the_newest(home: Path, backup: Path) -> None:
    """Tests restoring a database of layout 3, as an older Lull would have left it."""

    def change(members: dict[str, bytes]) -> None:
        place = backup.with_name("old.db")
        place.unlink(missing_ok=True)
        with closing(sqlite3.connect(place, isolation_level=None)) as old:
            for script in MIGRATIONS[:3]:
                old.executescript(script)
            old.execute("INSERT INTO facts VALUES ('chain-key', x'01')")
            old.execute("PRAGMA user_version = 3")
        members["lull.db"] = place.read_bytes()
        place.unlink()
        said_of(members)
        said = json.loads(members[MANIFEST])
        said["layout"] = 3
        members[MANIFEST] = json.dumps(said).encode()

    again(backup, change)
    brought_back(home, backup)
    with closing(sqlite3.connect(home / "lull.db")) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert worries(home) == []


def test_a_database_that_somebody_reads_is_not_swapped(
    home: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "_CLOSE_TIMEOUT_S", 0.1)
    stores = opened(home)
    try:
        before = below(home)
        with pytest.raises(Busy):
            brought_back(home, backup)
        assert below(home) == before
    finally:
        stores.database.close()
    brought_back(home, backup)


# Kills and full disks


DYING = """
import os, signal, sys
from pathlib import Path
from lull.core.errors import LullError
from lull.store.backups import backup, restoring
from lull.service.process.lock import alive

what, home, file, first, step, most = sys.argv[1:]
EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "os.chmod"}

def die_at(n):
    left = [n]
    def hook(event, args):
        if event in EVENTS:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

import shutil
for n in range(int(first), int(most), int(step)):
    copy = Path(home).with_name(f"{what}-{n}")
    shutil.copytree(home, copy)
    child = os.fork()
    if not child:
        die_at(n)
        if what == "restore":
            restoring.restore(copy, Path(file), at="2026-11-22T10:00:00+00:00", alive=alive,
                              tell=lambda *_: None)
        else:
            backup.make(copy, copy.with_suffix(".zip"), at="2026-11-22T10:00:00+00:00",
                        version="1", alive=alive)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status == 0:
        print(n)
        break
"""


def killed_at_each(what: str, home: Path, file: Path, *, step: int, first: int = 0) -> list[Path]:
    """Return the homes left by a process that died at each step, and by one that did not."""
    words = [what, home, file, first, step, 2000]
    done = subprocess.run(
        [sys.executable, "-c", DYING, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
    return [home.with_name(f"{what}-{n}") for n in range(first, int(done.stdout) + 1, step)]


STEPS = [
    pytest.param(7, 3, id="some"),
    pytest.param(1, 0, id="each", marks=[pytest.mark.full, pytest.mark.soak]),
]


@pytest.mark.full
@pytest.mark.parametrize(("step", "first"), STEPS)
def test_a_restore_that_is_killed_anywhere_is_as_before_or_done(
    home: Path, backup: Path, step: int, first: int
) -> None:
    stores = opened(home)
    say(stores, "plum")
    stores.witness.write(stores.database, at=AT, running=False)
    stores.database.close()
    (home / "settings.toml").write_text("mine")
    (home / "adapters/a2").mkdir()
    (home / "adapters/a2/x").write_text("a2")
    mine = below(home).keys() - {"library/.SKILL.md.999999999.2.tmp"}
    seen = set()
    for left in killed_at_each("restore", home, backup, step=step, first=first):
        restoring.finish(left)
        sweep_leftovers(left, alive=alive)
        files = below(left)
        was = turns(left) == ["t-apple", "t-pear", "t-plum"]
        seen.add(was)
        assert worries(left) == [], left
        if was:
            assert files.keys() == mine
            assert files["settings.toml"] == hashlib.sha256(b"mine").hexdigest()
        else:
            assert turns(left) == ["t-apple", "t-pear"]
            assert "adapters/a2/x" not in files
            assert files["settings.toml"] == hashlib.sha256(b"settings.toml of 2").hexdigest()
            assert turns(left / "before-restore-1") == ["t-apple", "t-pear", "t-plum"]
            assert "before-restore-1/adapters/a2/x" in files
        assert not [f.name for f in left.iterdir() if f.name.startswith((".", "restoring"))]
    assert seen == {True, False}


@pytest.mark.full
@pytest.mark.parametrize(("step", "first"), STEPS)
def test_a_backup_that_is_killed_anywhere_leaves_a_whole_one_or_none(
    home: Path, step: int, first: int
) -> None:
    mine = below(home).keys() - {"library/.SKILL.md.999999999.2.tmp"}
    whole = 0
    for left in killed_at_each("backup", home, home, step=step, first=first):
        file = left.with_suffix(".zip")
        sweep_leftovers(left, alive=alive)
        assert below(left).keys() == mine
        assert turns(left) == ["t-apple", "t-pear"]
        if file.exists():
            whole += 1
            assert unpacked(file, left.with_suffix(".new")).counts.turns == 2
            file.unlink()
        make(left, file, at=AT, version="1", alive=alive)
        assert not [f.name for f in left.parent.iterdir() if f.name.startswith(f".{file.name}")]
    assert whole >= 1


@pytest.mark.full
def test_a_full_disk_is_said_in_one_line_and_leaves_nothing(home: Path, backup: Path) -> None:
    """Tests a full disk, played by a limit on the size of files at several values."""
    size = (home / "lull.db").stat().st_size
    script = """
import resource, signal, sys
from pathlib import Path
from lull.core.errors import LullError
from lull.service.process.lock import alive
from lull.store.backups import backup, restoring
home, file, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for work in (
    lambda: backup.make(home, file.with_name("c.zip"), at="x", version="1", alive=alive),
    lambda: restoring.restore(home, file, at="x", alive=alive, tell=lambda *_: None),
):
    try:
        work()
    except LullError as error:
        print(error)
"""
    before = below(home)
    for most in (0, 1000, 5000, size // 3, size - 4096):
        ran = subprocess.run(
            [sys.executable, "-c", script, str(home), str(backup), str(most)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, ""), (most, ran.stderr)
        lines = ran.stdout.splitlines()
        assert len(lines) == 2 and all("Nothing was changed" in line for line in lines), lines
        assert below(home) == before
        assert {file.name for file in home.parent.iterdir()} == {"home", "b.zip"}


def test_an_error_in_the_middle_of_the_swap_is_gone_on_with_later(
    home: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, left = Path.rename, iter(range(4))

    def rename(path: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise OSError(errno.EIO, "the disk is gone", str(path))
        return whole(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(BackupError, match="the disk is gone"):
        brought_back(home, backup)
    assert restoring.restore_interrupted(home)
    monkeypatch.undo()
    assert restoring.finish(home)
    assert not restoring.finish(home)
    assert turns(home) == ["t-apple", "t-pear"]
    assert worries(home) == []


def test_a_journal_that_is_not_ours_moves_nothing(home: Path) -> None:
    before = below(home)
    for said in (
        b"",
        b"[]",
        b'{"new": "../x", "old": "before-restore-1", "brings": ["lull.db"], "away": []}',
        b'{"new": "before-restore-1", "old": "/tmp", "brings": ["lull.db"], "away": []}',
        b'{"new": "before-restore-1", "old": "before-restore-2", "brings": [], "away": ["logs"]}',
    ):
        (home / "restoring.json").write_bytes(said)
        with pytest.raises(BackupError, match="interrupted"):
            restoring.finish(home)
        (home / "restoring.json").unlink()
        assert below(home) == before


def test_the_manifest_can_be_read_alone(backup: Path) -> None:
    assert manifest_of(backup).counts.turns == 2
    with pytest.raises(BackupError):
        manifest_of(backup.with_name("nowhere.zip"))
    assert issubclass(StoreError, LullError)
