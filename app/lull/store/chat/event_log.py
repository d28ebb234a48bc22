"""Stores the numbered log of events in Lull's background service (such as a new turn or adapter),
from which a reconnecting desktop window catches up.

Events only report; nothing acts on them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from lull.core.events import Event
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues
from lull.store.sqlite.database import Database
from lull.store.sqlite.writer import insert

KEPT_EVENTS = 10_000
"""Number of newest events that are kept."""

_UPSERT: Final = (
    "ON CONFLICT (seq) DO UPDATE SET at = excluded.at, kind = excluded.kind,"
    " fields = excluded.fields"
)
_json = json.JSONEncoder(ensure_ascii=False).encode


class EventLog:
    """Reads and writes the table `events` (the log of service events that the desktop window
    follows).
    """

    def __init__(self, database: Database) -> None:
        self._db = database
        self._inbox = database.inbox(_write)

    def post(self, event: Event) -> None:
        """Queue an event of the service, which has its number already, to be written to the log;
        does not wait.
        """
        self._inbox.put(event)

    def after(self, seq: int, *, limit: int = 1000) -> list[Event]:
        """List the logged events with a number above `seq`, in order."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit)
            ).fetchall()
        )
        return EVENT_ROWS.all(rows)

    def last(self) -> int:
        """Return the sequence number of the newest logged event; 0 if there are none."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT coalesce(max(seq), 0) FROM events"
            ).fetchone()
        )
        return int(row[0])


def _write(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
    rows = [(event.seq, event.at, event.kind, _json(event.fields)) for event in events]
    insert(connection, "events (seq, at, kind, fields)", rows, _UPSERT)
    if any(event.seq % 100 == 0 for event in events):
        newest = max(event.seq for event in events)
        connection.execute("DELETE FROM events WHERE seq <= ?", (newest - KEPT_EVENTS,))


def _event(row: NamedValues) -> Event:
    fields = json.loads(row["fields"])
    return Event(seq=row["seq"], at=row["at"], kind=row["kind"], fields=fields)


EVENT_ROWS: Final = MeasuredRows("events", _event)
