"""Keeps finished stretches on disk, so that a killed run goes on with those that are missing.

A folder belongs to one state of the code: figures of two states must not stand in one table.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from bench.report import ROOT, commit
from bench.workweek.arms import Stretch
from bench.workweek.person import Fault
from bench.workweek.week import Done, Played, Reviewed

_FILE = "played.json"
_SPENT = "spent_s"
_CODE = ("app", "bench", "resources", ":!bench/results")
"""What a week is played by; other files may change in between."""


class State(NamedTuple):
    """The state of the code that a run was begun with."""

    commit: str
    mark: str
    """The same for the same code, whichever commit it stands in."""
    committed: bool
    """Whether the commit has all of it."""

    @property
    def said(self) -> str:
        return self.commit if self.committed else f"{self.commit} and changes ({self.mark})"


def state_of_the_code() -> State:
    there = _git("ls-files", "-s", "--", *_CODE)
    changed = _git("diff", "--", *_CODE)
    committed = not changed and not _git("diff", "HEAD", "--name-only", "--", *_CODE)
    mark = hashlib.sha256(there + changed).hexdigest()[:12]
    return State(commit=commit(), mark=mark, committed=committed)


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False).stdout


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
