"""Keeps finished stretches on disk, so that a killed run goes on with those that are missing.

A folder belongs to one state of the code: figures of two states must not stand in one table.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import asdict
from pathlib import Path

from bench.report import ROOT, commit
from bench.workweek.arms import Stretch
from bench.workweek.person import Fault
from bench.workweek.week import Done, Played, Reviewed

_FILE = "played.json"
_SPENT = "spent_s"


def state_of_the_code() -> tuple[str, bool]:
    """Return a mark of the code that is run, and whether a commit has all of it."""
    changed = subprocess.run(
        ["git", "diff", "HEAD", "--", "app", "bench", "resources", ":!bench/results"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    ).stdout
    mark = hashlib.sha256(changed).hexdigest()[:8] if changed else ""
    return "-".join(filter(None, (commit(), mark))), not changed


def folder_name(seed: int, stretches: tuple[Stretch, ...]) -> str:
    """Return the name of the folder of a person's days from the first on."""
    days = hashlib.sha256(repr(stretches).encode()).hexdigest()[:12]
    return f"{seed}-{stretches[-1].first}-{stretches[-1].last}-{days}"


def write(folder: Path, played: Played) -> None:
    """Store a stretch; the file is there whole or not at all."""
    half = folder / f"{_FILE}.half"
    half.write_text(json.dumps(asdict(played)), "utf-8")
    half.replace(folder / _FILE)


def read(folder: Path) -> Played | None:
    """Return the stretch that is stored in the folder; None if it was not played to its end."""
    file = folder / _FILE
    if not file.exists():
        return None
    known = json.loads(file.read_text("utf-8"))
    done = tuple(Done(**one) for one in known.pop("done"))
    reviewed = tuple(
        Reviewed(**{**one, "fault": Fault(one["fault"])}) for one in known.pop("reviewed")
    )
    return Played(done=done, reviewed=reviewed, **known)


def spent_s(folder: Path) -> float:
    """Return the seconds that earlier runs have spent on this folder."""
    file = folder / _SPENT
    return float(file.read_text("utf-8")) if file.exists() else 0.0


def spend(folder: Path, seconds: float) -> None:
    """Store the seconds that were spent on this folder so far."""
    half = folder / f"{_SPENT}.half"
    half.write_text(f"{seconds:.3f}", "utf-8")
    half.replace(folder / _SPENT)
