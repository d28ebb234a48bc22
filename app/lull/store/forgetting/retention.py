"""Measures the age and size of stored conversations, and deletes messages that belong
to none of them.

Which conversations are too old is decided in the core.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from lull.core.chat.day_count import DayCount
from lull.core.chat.retention import RESTORED_BORN, StoredConversation, UnaskedDeletions
from lull.store.chat.search_words import remove_words, remove_words_of_no_message
from lull.store.rows.facts import fact
from lull.store.rows.readable_rows import readable
from lull.store.sqlite.database import Database

_LIVED = "lived"
_UNASKED = "unasked"
_FIRST_DAY = "first day:"
_TURN_BYTES = 1000
"""About what a turn takes besides its words."""

_LOOK_AT = """
WITH them (link) AS MATERIALIZED (SELECT value FROM json_each(?))
SELECT m.link, m.parent,
    EXISTS (SELECT 1 FROM turns WHERE request_link = m.link)
    OR EXISTS (SELECT 1 FROM turns WHERE answer_link = m.link)
    OR EXISTS (SELECT 1 FROM messages c WHERE c.parent = m.link AND c.link NOT IN them)
FROM them CROSS JOIN messages m ON m.link = them.link
"""
"""Each of a list of messages, the one before it, and whether something beyond the list refers to
it. The CROSS JOIN fixes the order, which the planner gets wrong for a small table."""


class Retention:
    """Reads and writes the age of each conversation (table `births`), in days that Lull has been
    running.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def day_count(self) -> DayCount:
        """Return the stored count of days that Lull has been running."""
        said = self._fact(_LIVED)
        if said is None:
            return DayCount()
        return DayCount(**{**said, "spans": tuple((a, b) for a, b in said["spans"])})

    def unasked_deletions(self) -> UnaskedDeletions:
        """Return the stored count of conversations that Lull deleted without asking the user."""
        return UnaskedDeletions(**(self._fact(_UNASKED) or {}))

    async def save_unasked_deletions(self, unasked: UnaskedDeletions) -> None:
        """Store the count of conversations that Lull deleted without asking the user."""
        await self._db.write(lambda connection: _keep_fact(connection, _UNASKED, asdict(unasked)))

    def _fact(self, name: str) -> dict[str, Any] | None:
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT value FROM facts WHERE name = ?", (name,)
            ).fetchone()
        )
        return None if row is None else json.loads(row["value"])

    async def first_day(self, what: str, which: str, day: float) -> float:
        """Return the day number at which something was first asked for: `day` and stored at the
        first call. `what` names what there is one of, and `which` tells it from the one before.
        """
        name = f"{_FIRST_DAY}{what}"
        if (known := self._day_of(name, which)) is not None:
            return known
        value = {"which": which, "day": day}
        await self._db.write(lambda connection: _keep_fact(connection, name, value))
        return day

    def _day_of(self, name: str, which: str) -> float | None:
        text = self._db.read(lambda connection: fact(connection, name))
        nothing = dict[str, Any]()
        said = readable(text, dict[str, Any], nothing) if text is not None else nothing
        day = said.get("day")
        return day if said.get("which") == which and isinstance(day, float) else None

    async def save_day_count(self, lived: DayCount) -> None:
        """Store the count of days that Lull has been running, and date with it every conversation
        that was recorded or continued since the last call.
        """

        def work(connection: sqlite3.Connection) -> None:
            _keep_fact(connection, _LIVED, asdict(lived))
            connection.execute(
                "INSERT OR REPLACE INTO births SELECT id, last, ? FROM trajectories t WHERE NOT"
                " EXISTS (SELECT 1 FROM births b WHERE b.trajectory = t.id AND b.last = t.last)",
                (lived.day_for_new_data,),
            )

        await self._db.write(work)

    def ages(self) -> list[StoredConversation]:
        """Return the age of each stored conversation: the time of its newest turn, by the system
        clock and by Lull's own count of days.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT id, t.last AS last, born FROM trajectories t"
                " JOIN births b ON b.trajectory = t.id AND b.last = t.last"
            ).fetchall()
        )
        return [
            StoredConversation(
                id=row["id"], last=datetime.fromisoformat(row["last"]), born=row["born"]
            )
            for row in rows
        ]

    def sizes(self) -> dict[str, int]:
        """Return, by id, about how many bytes each conversation takes: its turns with their newest
        message and answer, without the history that every request repeats.

        Reads most of the database.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT t.trajectory AS id, sum(? + coalesce(length(q.message), 0)"
                " + coalesce(length(a.message), 0)) AS bytes FROM turns t"
                " LEFT JOIN messages q ON q.link = t.request_link"
                " LEFT JOIN messages a ON a.link = t.answer_link GROUP BY t.trajectory",
                (_TURN_BYTES,),
            ).fetchall()
        )
        return {row["id"]: row["bytes"] for row in rows}

    def used_bytes(self) -> int:
        """Return how many bytes of the database are in use. Blocking."""
        return self._db.read(used_bytes)


def _keep_fact(connection: sqlite3.Connection, name: str, value: dict[str, Any]) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value).encode())
    )


def used_bytes(connection: sqlite3.Connection) -> int:
    """Return the bytes used in the database file, without free pages."""
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    return int((pages - free) * page)


def exempt_from_expiry(connection: sqlite3.Connection, trajectories: Sequence[str]) -> None:
    """Exempt these conversations, which were restored from the trash, from deletion by age."""
    connection.executemany(
        "INSERT OR REPLACE INTO births SELECT id, last, ? FROM trajectories WHERE id = ?",
        [(RESTORED_BORN, one) for one in trajectories],
    )


def remove_unused(connection: sqlite3.Connection, links: Sequence[str]) -> None:
    """Delete those of the given messages that no turn and no other message refers to any more.

    How long this takes depends on the given messages, not on how many others are stored.
    """
    rows = connection.execute(_LOOK_AT, (json.dumps(links),)).fetchall()
    parents = {link: parent for link, parent, _ in rows}
    used = {link for link, _, needed in rows if needed}
    for link in tuple(used):  # what is used needs all that was said before it
        while (link := parents.get(link, "")) and link not in used:
            used.add(link)
    unused = [link for link in parents if link not in used]
    remove_words(connection, unused)
    connection.execute(
        "DELETE FROM messages WHERE link IN (SELECT value FROM json_each(?))",
        (json.dumps(unused),),
    )


def sweep_messages(connection: sqlite3.Connection) -> None:
    """Delete stored messages that no turn refers to any more. Reads all messages."""
    connection.execute(
        "DELETE FROM messages WHERE link NOT IN ("
        " WITH RECURSIVE kept (link) AS ("
        "  SELECT answer_link FROM turns UNION SELECT request_link FROM turns"
        "  UNION SELECT m.parent FROM messages m JOIN kept k ON m.link = k.link)"
        " SELECT link FROM kept)"
    )
    remove_words_of_no_message(connection)
