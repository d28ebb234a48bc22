"""The barrier between two days: what was said has been read when the service's store says so.

Without it an arm in which the person happens to wait learns of more than one in which they do not,
and the difference is taken for the effect of what is switched. So every arm waits here, for stored
state and never for time.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

POLL_S: Final = 0.05
_LEFT: Final = (
    "SELECT (SELECT count(*) FROM turns),"
    " (SELECT count(*) FROM turns WHERE read_by_score = 0),"
    " (SELECT count(*) FROM feedback WHERE read_by = '')"
)


class NotRead(Exception):
    """Raised when the service does not come to read what was said."""


def recorded(database: Path) -> int:
    """Return the number of exchanges that are stored."""
    return _left(database)[0]


def unread(database: Path, said: int) -> int:
    """Return how many of the exchanges so far are not stored yet, or not scored, or wait for a
    reader.
    """
    stored, unscored, unheard = _left(database)
    return max(0, said - stored) + unscored + unheard


def wait_until_recorded(database: Path, said: int, *, patience_s: float) -> None:
    """Return as soon as so many exchanges are stored. Raises NotRead."""
    _wait(lambda: max(0, said - recorded(database)), patience_s)


def wait_until_read(database: Path, said: int, *, patience_s: float) -> None:
    """Return as soon as so many exchanges are stored and all of them are read. Raises NotRead."""
    _wait(lambda: unread(database, said), patience_s)


def turns_after(database: Path, last: str) -> list[str]:
    """Return the ids of the exchanges stored after this one, oldest first."""
    with closing(_open(database)) as connection:
        rows = connection.execute("SELECT id FROM turns WHERE id > ? ORDER BY id", (last,))
        return [str(row[0]) for row in rows]


def _left(database: Path) -> tuple[int, int, int]:
    with closing(_open(database)) as connection:
        stored, unscored, unheard = connection.execute(_LEFT).fetchone()
    return int(stored), int(unscored), int(unheard)


def _open(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)


def _wait(left: Callable[[], int], patience_s: float) -> None:
    until, pause = time.monotonic() + patience_s, threading.Event()
    while count := left():
        if time.monotonic() > until:
            raise NotRead(f"{count} of what was said is still not read after {patience_s:.0f} s")
        pause.wait(POLL_S)
