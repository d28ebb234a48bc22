"""What happened, in order and numbered, so that a window can resume where it left off.

Events tell; nothing here makes anything happen. The newest `KEEP` are kept.
"""

from __future__ import annotations

import json
import sqlite3

from lull.core.events import Event
from lull.store.database import Database

KEEP = 10_000


class EventLog:
    """The table `events`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def post(self, event: Event) -> None:
        """Keep an event that has its number already, soon."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO events (seq, at, kind, fields) VALUES (?, ?, ?, ?)",
                (event.seq, event.at, event.kind, json.dumps(event.fields, ensure_ascii=False)),
            )
            if event.seq % 100 == 0:
                connection.execute("DELETE FROM events WHERE seq <= ?", (event.seq - KEEP,))

        self._db.post(work)

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
