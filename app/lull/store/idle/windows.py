"""Stores idle windows (times when background work may run), lulls (how long the user was away) and
the pause of background work that the user asked for.

Posted rows are written soon without waiting, because the loop that watches the user must not block
on the disk.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from lull.core.idle.forecast import JOURNAL_DAYS, PastLull
from lull.core.idle.pausing import Pause
from lull.store.rows.readable_rows import readable
from lull.store.sqlite.database import Database

STOPPED: Final = "Lull was stopped."
"""Reason for closing a window whose end was never recorded."""

KEPT_ROWS = 4_000
"""Newest rows of each table that are never deleted for age: about half a year of idle windows, and
more of the user's absences.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDone:
    """How much background work of one kind ran in an idle window (a time when Lull may work): its
    seconds, the number of its pieces (`units`), and whether it was `finished`; if not, it goes on
    another time.
    """

    kind: str
    text: str
    used_s: float
    units: int
    finished: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """One idle window (a time when Lull may work); `closed_at` is None while it is open."""

    id: str
    opened_at: datetime
    seen_at: datetime
    """When the window's row was last written; after a crash the window counts as closed then."""
    why_opened: str
    closed_at: datetime | None = None
    why_closed: str = ""
    closed_by: str = ""
    """Name of the condition for background work that closed the window."""
    used_s: float = 0.0
    """Seconds of the window in which work ran."""
    done: tuple[WorkDone, ...] = ()


class Windows:
    """Reads and writes the tables of idle windows (times when background work may run), of the
    user's absences and of the user's pause of background work.
    """

    def __init__(self, database: Database) -> None:
        self._db = database
        self._inbox = database.inbox(_write)

    # The journal

    def post(self, row: WindowRow) -> None:
        """Queue the current state of an idle window (a time when Lull may work) for storing; it
        replaces an earlier one with the same id.
        """
        self._inbox.put(row)

    def close_left_open(self) -> None:
        """Close idle windows that a crashed run of the service left open, with the time of their
        last update as their end.
        """
        self._db.post(
            lambda connection: connection.execute(
                "UPDATE windows SET closed_at = seen_at, why_closed = ? WHERE closed_at IS NULL",
                (STOPPED,),
            )
        )

    def between(
        self, start: datetime, end: datetime, *, limit: int | None = None
    ) -> list[WindowRow]:
        """List the idle windows (times when Lull may work) that overlap [start, end), including
        empty ones, oldest first.
        """
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
        """Queue the storing of an absence of the user that has ended; never waits."""
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
        """List lulls (the user's absences) that began since a time, oldest first."""
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
        """Delete rows of idle windows and lulls (the user's absences) that are older than
        JOURNAL_DAYS at the time `now`.

        The newest KEPT_ROWS of each stay, in case the clock has jumped.
        """
        oldest = _text(now - timedelta(days=JOURNAL_DAYS))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM lulls WHERE began_at < ? AND began_at NOT IN"
                " (SELECT began_at FROM lulls ORDER BY began_at DESC LIMIT ?)",
                (oldest, KEPT_ROWS),
            )
            connection.execute(
                "DELETE FROM windows WHERE opened_at < ? AND id NOT IN"
                " (SELECT id FROM windows ORDER BY id DESC LIMIT ?)",
                (oldest, KEPT_ROWS),
            )

        self._db.post(work)

    # The pause

    def pause(self) -> Pause | None:
        """Return the pause of background work that the user asked for; None if there is none.
        Blocking.
        """
        row = self._db.read(lambda connection: connection.execute("SELECT * FROM pause").fetchone())
        if row is None:
            return None
        return Pause(
            asked_at=datetime.fromisoformat(row["asked_at"]),
            until=datetime.fromisoformat(row["until"]),
        )

    async def set_pause(self, pause: Pause | None) -> None:
        """Store the pause of background work that the user asked for; when this returns, a crash of
        Lull does not lose it.
        """
        await self._db.write(lambda connection: _set_pause(connection, pause))

    def post_pause(self, pause: Pause | None) -> None:
        """Queue the pause of background work for storing, without waiting; for changes not made by
        the user.
        """
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
        done=readable(row["done"], _done, ()),
    )


def _done(values: list[dict[str, Any]]) -> tuple[WorkDone, ...]:
    return tuple(WorkDone(**one) for one in values)


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")
