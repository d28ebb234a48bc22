"""The journal of lulls: windows with their reason and use, how long the user was away, the pause.

Owns the tables `windows`, `lulls` and `pause`. What is posted is on disk a moment later and never
waited for: the loop that watches the user may not wait for a disk.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from lull.core.lull_length import KEEP_DAYS, PastLull
from lull.core.pausing import Pause
from lull.store.database import Database

STOPPED: Final = "Lull was stopped."
"""Why a window closed whose end nobody wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was done in a window, summed over its units."""

    kind: str
    text: str
    used_s: float
    units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """One window. `closed_at` is None while it is open."""

    id: str
    opened_at: datetime
    seen_at: datetime
    """When the row was last written; after a crash the window ends here."""
    why_opened: str
    closed_at: datetime | None = None
    why_closed: str = ""
    closed_by: str = ""
    """Name of the gate."""
    used_s: float = 0.0
    """In which work ran."""
    done: tuple[Done, ...] = ()


class Windows:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._inbox = database.inbox(_write)

    # The journal

    def post(self, row: WindowRow) -> None:
        """Write a window as it stands now, soon; the same id writes over it."""
        self._inbox.put(row)

    def close_left_open(self) -> None:
        """After a start: windows that nobody closed ended when they were last seen."""
        self._db.post(
            lambda connection: connection.execute(
                "UPDATE windows SET closed_at = seen_at, why_closed = ? WHERE closed_at IS NULL",
                (STOPPED,),
            )
        )

    def between(
        self, start: datetime, end: datetime, *, limit: int | None = None
    ) -> list[WindowRow]:
        """Windows that touch [start, end), oldest first. One without a length counts as well."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM windows WHERE opened_at < ?"
                " AND (coalesce(closed_at, seen_at) > ? OR opened_at >= ?)"
                " ORDER BY opened_at, id LIMIT ?",
                (_text(end), _text(start), _text(start), -1 if limit is None else limit),
            ).fetchall()
        )
        return [_row(row) for row in rows]

    # How long the user was away

    def post_lull(self, lull: PastLull) -> None:
        values = (_text(lull.began_at), lull.length_s, int(lull.seen_to_end))
        self._db.post(
            lambda connection: connection.execute(
                "INSERT INTO lulls (began_at, length_s, seen_to_end) VALUES (?, ?, ?)"
                " ON CONFLICT (began_at) DO UPDATE SET length_s = excluded.length_s,"
                " seen_to_end = excluded.seen_to_end",
                values,
            )
        )

    def lulls(self, *, since: datetime) -> list[PastLull]:
        """Oldest first."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM lulls WHERE began_at >= ? ORDER BY began_at", (_text(since),)
            ).fetchall()
        )
        return [
            PastLull(
                began_at=datetime.fromisoformat(row["began_at"]),
                length_s=row["length_s"],
                seen_to_end=bool(row["seen_to_end"]),
            )
            for row in rows
        ]

    def forget_before(self, now: datetime) -> None:
        """Drop what is older than any guess looks back to."""
        oldest = _text(now - timedelta(days=KEEP_DAYS))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM lulls WHERE began_at < ?", (oldest,))
            connection.execute("DELETE FROM windows WHERE opened_at < ?", (oldest,))

        self._db.post(work)

    # The pause

    def pause(self) -> Pause | None:
        row = self._db.read(lambda connection: connection.execute("SELECT * FROM pause").fetchone())
        if row is None:
            return None
        return Pause(
            asked_at=datetime.fromisoformat(row["asked_at"]),
            until=datetime.fromisoformat(row["until"]),
        )

    async def set_pause(self, pause: Pause | None) -> None:
        """On disk when this returns: the user's word must outlive a crash."""
        await self._db.write(lambda connection: _set_pause(connection, pause))

    def post_pause(self, pause: Pause | None) -> None:
        """The same, soon: for what the clock and not the user brought."""
        self._db.post(lambda connection: _set_pause(connection, pause))


def _set_pause(connection: sqlite3.Connection, pause: Pause | None) -> None:
    connection.execute("DELETE FROM pause")
    if pause is not None:
        connection.execute(
            "INSERT INTO pause (one, asked_at, until) VALUES (1, ?, ?)",
            (_text(pause.asked_at), _text(pause.until)),
        )


def _write(connection: sqlite3.Connection, rows: Sequence[WindowRow]) -> None:
    connection.executemany(
        "INSERT INTO windows (id, opened_at, seen_at, closed_at, why_opened, why_closed,"
        " closed_by, used_s, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,"
        " closed_at = excluded.closed_at, why_closed = excluded.why_closed,"
        " closed_by = excluded.closed_by, used_s = excluded.used_s, done = excluded.done",
        [_values(row) for row in rows],
    )


def _values(row: WindowRow) -> tuple[object, ...]:
    return (
        row.id,
        _text(row.opened_at),
        _text(row.seen_at),
        _text(row.closed_at) if row.closed_at is not None else None,
        row.why_opened,
        row.why_closed,
        row.closed_by,
        row.used_s,
        json.dumps([asdict(one) for one in row.done], ensure_ascii=False),
    )


def _row(row: sqlite3.Row) -> WindowRow:
    return WindowRow(
        id=row["id"],
        opened_at=datetime.fromisoformat(row["opened_at"]),
        seen_at=datetime.fromisoformat(row["seen_at"]),
        closed_at=datetime.fromisoformat(row["closed_at"]) if row["closed_at"] else None,
        why_opened=row["why_opened"],
        why_closed=row["why_closed"],
        closed_by=row["closed_by"],
        used_s=row["used_s"],
        done=tuple(Done(**one) for one in json.loads(row["done"])),
    )


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")
