"""Remembers which tables of the database were lost and created again, empty.

The database says so itself, so that one brought back from a backup, which has them, does not; and a
file beside it ends the reminder when the user deletes it.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from lull.core.errors import StoreError
from lull.store.rows.facts import fact, set_fact

_LOST: Final = "tables-lost"
"""Name of the fact that lists the tables."""
_TOLD: Final = "tables-lost-told"
"""Name of the fact that lists the lost tables about which the user was told."""


def note_lost_tables(connection: sqlite3.Connection, names: Iterable[str]) -> None:
    """Store that these tables were lost, in addition to those of earlier times; to be called in the
    transaction that creates them again.
    """
    lost = set(names)
    for fact_name, listed in (
        (_LOST, _noted(connection, _LOST) | lost),
        (_TOLD, _noted(connection, _TOLD) - lost),
    ):
        set_fact(connection, fact_name, json.dumps(sorted(listed)).encode())


def note_told(connection: sqlite3.Connection) -> None:
    """Store that the user was reminded of all tables that were lost."""
    listed = json.dumps(sorted(_noted(connection, _LOST)))
    set_fact(connection, _TOLD, listed.encode())


def lost_tables(
    connection: sqlite3.Connection, path: Path, *, anew: Collection[str]
) -> list[StoreError]:
    """Return the error that tells the user which tables of the database at `path` were lost: just
    `anew`, or earlier and neither brought back nor dismissed.
    """
    names, reminder = _noted(connection, _LOST), path.with_name("tables.lost")
    new = bool(names - _noted(connection, _TOLD))
    if new:
        with contextlib.suppress(OSError):  # a full disk must not stop the start
            reminder.touch(mode=0o600)
    elif not names:
        reminder.unlink(missing_ok=True)  # brought back
    told = names if new or reminder.exists() else set[str]()
    hint = "Nothing is lost: they only serve the search, and were filled again."
    if told:
        hint = (
            "Stop Lull and restore the file from a backup; until then, Lull works with what is "
            f"left. To turn off this reminder, delete {reminder.name}; adapters and training runs "
            "that no record names are then removed."
        )
    elif not anew:
        return []
    lost = ", ".join(sorted({*told, *anew}))
    return [
        StoreError(f"{path} had lost its tables {lost}; they were created again, empty.", hint=hint)
    ]


def _noted(connection: sqlite3.Connection, name: str) -> set[str]:
    try:
        names = json.loads(fact(connection, name) or b"[]")
    except ValueError:
        return set()
    return {str(name) for name in names} if isinstance(names, list) else set()
