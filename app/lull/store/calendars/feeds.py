"""Stores the user's calendar feeds (calendars fetched from an address), each with the busy times of
the copy that was last fetched successfully.

A feed's address works like a password, so it is kept in the secret store under the feed's id, never
here.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.calendars.feeds import (
    EntryKind,
    Feed,
    FeedCopy,
    OmissionReason,
    OmittedEntries,
    Validators,
)
from lull.core.errors import NotFound, StoreError
from lull.store.rows.readable_rows import readable
from lull.store.sqlite.database import Database

_COLUMNS = (
    *("id", "label", "host", "path", "means", "private", "added_at", "tried_at"),
    *("seen_at", "due", "failures", "fault", "copy"),
)
_UNKNOWN_FAULT: Final = StoreError(
    "Why the last fetch failed is not known any more.", hint="The next fetch will say."
).as_dict()


class Feeds:
    """Reads and writes the table of the user's calendar feeds (calendars fetched from an
    address).
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> list[Feed]:
        """List calendar feeds in the order in which they were added."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM feeds ORDER BY added_at, id"
            ).fetchall()
        )
        return [_feed(row) for row in rows]

    async def add(self, feed: Feed) -> None:
        """Store a calendar that the user has added."""
        marks = ", ".join("?" * len(_COLUMNS))
        await self._db.write(
            lambda connection: connection.execute(
                f"INSERT INTO feeds ({', '.join(_COLUMNS)}) VALUES ({marks})",
                _row(feed),
            )
        )

    async def keep(self, feed: Feed) -> bool:
        """Replace the stored state of a calendar feed by a new one, such as after a fetch.

        Return False if the feed was removed meanwhile; it is not added again.
        """
        row = _row(feed)
        settings = ", ".join(f"{column} = ?" for column in _COLUMNS[1:])
        return await self._db.write(
            lambda connection: (
                connection.execute(
                    f"UPDATE feeds SET {settings} WHERE id = ?",
                    (*row[1:], row[0]),
                ).rowcount
                > 0
            )
        )

    async def remove(self, feed: str) -> None:
        """Delete a calendar feed. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> None:
            if not connection.execute("DELETE FROM feeds WHERE id = ?", (feed,)).rowcount:
                raise no_such_feed(feed)

        await self._db.write(work)


def no_such_feed(name: str) -> NotFound:
    """Return the error for a calendar that is not there."""
    return NotFound(f"There is no calendar {name[:80]}.", hint="`lull calendar list` lists them.")


def _row(feed: Feed) -> tuple[object, ...]:
    return (
        feed.id,
        feed.label,
        feed.host,
        feed.path,
        feed.means.value,
        int(feed.private),
        feed.added_at.isoformat(),
        feed.tried_at.isoformat(),
        feed.seen_at.isoformat() if feed.seen_at else None,
        feed.due.isoformat(),
        feed.failures,
        json.dumps(dict(feed.fault)) if feed.fault else "",
        json.dumps(_copy_to_json(feed.copy)) if feed.copy else "",
    )


def _feed(row: sqlite3.Row) -> Feed:
    means = Meaning(row["means"])
    return Feed(
        id=row["id"],
        label=row["label"],
        host=row["host"],
        path=row["path"],
        means=means,
        private=bool(row["private"]),
        added_at=datetime.fromisoformat(row["added_at"]),
        tried_at=datetime.fromisoformat(row["tried_at"]),
        seen_at=datetime.fromisoformat(row["seen_at"]) if row["seen_at"] else None,
        due=datetime.fromisoformat(row["due"]),
        failures=row["failures"],
        fault=readable(row["fault"], _fault, _UNKNOWN_FAULT) if row["fault"] else None,
        copy=readable(row["copy"], lambda v: _copy(v, row["id"], means), None),
    )


def _fault(value: dict[str, str]) -> dict[str, str]:
    return {key: str(value[key]) for key in ("title", "detail", "hint")} | value


def _copy_to_json(copy: FeedCopy) -> dict[str, Any]:
    return {
        "read_at": copy.read_at.isoformat(),
        "busy": [[int(e.start.timestamp()), int(e.end.timestamp())] for e in copy.events],
        "dropped": [[one.what, one.why, one.n] for one in copy.dropped],
        "marks": asdict(copy.marks),
    }


def _copy(value: dict[str, Any], feed: str, means: Meaning) -> FeedCopy:
    return FeedCopy(
        read_at=datetime.fromisoformat(value["read_at"]),
        events=tuple(
            CalendarEvent(
                start=datetime.fromtimestamp(start_s, UTC),
                end=datetime.fromtimestamp(end_s, UTC),
                kind=means,
                feed=feed,
            )
            for start_s, end_s in value["busy"]
        ),
        dropped=tuple(
            OmittedEntries(what=EntryKind(what), why=OmissionReason(why), n=n)
            for what, why, n in value["dropped"]
        ),
        marks=Validators(**value["marks"]),
    )
