"""What happened, in order and numbered, so that a window can resume where it left off.

Events tell; nothing here makes anything happen. The newest `KEEP` are kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from lull.core.events import Event
from lull.store.database import Database
from lull.store.writer import insert

KEEP = 10_000

_LATER_ONE_COUNTS: Final = (
    "ON CONFLICT (seq) DO UPDATE SET at = excluded.at, kind = excluded.kind,"
    " fields = excluded.fields"
)
_json = json.JSONEncoder(ensure_ascii=False).encode


class EventLog:
    """The table `events`."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._inbox = database.inbox(_write)

    def post(self, event: Event) -> None:
        """Keep an event that has its number already, soon."""
        self._inbox.put(event)

    def after(self, seq: int, *, limit: int = 1000) -> list[Event]:
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit)
            ).fetchall()
        )
        return [
            Event(seq=r["seq"], at=r["at"], kind=r["kind"], fields=json.loads(r["fields"]))
            for r in rows
        ]

    def last(self) -> int:
        """The newest number; 0 when nothing has happened yet."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT coalesce(max(seq), 0) FROM events"
            ).fetchone()
        )
        return int(row[0])


def _write(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
    rows = [(event.seq, event.at, event.kind, _json(event.fields)) for event in events]
    insert(connection, "events (seq, at, kind, fields)", rows, _LATER_ONE_COUNTS)
    if any(event.seq % 100 == 0 for event in events):
        newest = max(event.seq for event in events)
        connection.execute("DELETE FROM events WHERE seq <= ?", (newest - KEEP,))
