"""What was said: messages by their links, trajectories, turns, the user's own labels.

What a turn writes is `recording.py`'s to say; all of it stands in one transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from lull.core.errors import NotFound
from lull.core.models.talked_to import Talked
from lull.core.policy import Client
from lull.core.trajectory import Selection, Turn
from lull.store import conversation_list
from lull.store.conversation_list import Wanted
from lull.store.database import Database
from lull.store.recording import Record, write_records
from lull.store.retention import shrink, sweep_messages
from lull.store.turn_rows import (
    LISTED,
    STANDING,
    Label,
    Position,
    TrajectoryRow,
    TurnRow,
    plain,
    position,
    trajectory_row,
    turn_row,
)

__all__ = ["Label", "Position", "Trajectories", "TrajectoryRow", "TurnRow", "Wanted"]

EVERYTHING = Wanted()
SEARCHED_LINKS = 64
"""Newest messages of a history whose links are looked for."""


class Trajectories:
    """The tables `messages`, `trajectories`, `turns`, `words`, `secrets_seen`."""

    def __init__(self, database: Database, *, key: bytes) -> None:
        self._db = database
        self._records = database.inbox(partial(write_records, key=key))

    # Writing

    def record(self, turn: Turn, *, session: str, selection: Selection) -> None:
        """Store a finished turn soon; the caller never waits."""
        self._records.put(Record(turn, session, selection))

    async def label(self, turn: str, label: Label | None, *, at: datetime) -> None:
        """Set or clear the user's own label. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE turns SET label = ?, labelled_at = ? WHERE id = ?",
                (label, at.isoformat() if label else None, turn),
            )
            if changed.rowcount == 0:
                raise NotFound(f"There is no turn {turn}.", hint="`lull show ID` lists the turns.")

        await self._db.write(work)

    async def exclude(self, trajectory: str, excluded: bool, *, at: datetime) -> None:
        """Keep a conversation out of learning, or take that back. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE trajectories SET excluded_at = ? WHERE id = ?",
                (at.isoformat() if excluded else None, trajectory),
            )
            if changed.rowcount == 0:
                raise _no_conversation(trajectory)

        await self._db.write(work)

    async def keep_within(self, *, oldest: datetime | None, most_bytes: int | None) -> int:
        """Remove the oldest trajectories beyond an age or a size; how many were removed."""

        def work(connection: sqlite3.Connection) -> int:
            removed = 0
            if oldest is not None:
                removed = connection.execute(
                    "DELETE FROM trajectories WHERE last < ?", (oldest.isoformat(),)
                ).rowcount
            if most_bytes is not None:
                removed += shrink(connection, most_bytes)
            if removed:
                sweep_messages(connection)
                self._db.checkpoint_soon()
            return removed

        return await self._db.write(work)

    # Reading

    def position(self, links: Sequence[str]) -> Position | None:
        """The trajectory that this history continues, the newest if several do.

        `links` are those of the history without the newest message, oldest first. The longest
        known answer in it decides; a history whose last answer the client reworded is still found
        by the request before that. What is injected goes on as it stood at that turn.
        """

        def work(connection: sqlite3.Connection) -> sqlite3.Row | None:
            for link in reversed(links[-SEARCHED_LINKS:]):
                for column in ("answer_link", "request_link"):
                    row: sqlite3.Row | None = connection.execute(
                        f"{STANDING} WHERE t.{column} = ? ORDER BY t.at DESC, t.id DESC LIMIT 1",
                        (link,),
                    ).fetchone()
                    if row is not None:
                        return row
            return None

        row = self._db.read(work)
        return position(row) if row else None

    def session(self, client: Client, session: str) -> Position | None:
        """The trajectory that a client named itself."""
        row = self._db.read(
            lambda connection: connection.execute(
                f"{STANDING} WHERE r.client = ? AND r.session = ? AND r.apart = ?"
                " ORDER BY t.at DESC, t.number DESC LIMIT 1",
                (client.name, plain(session), client.apart),
            ).fetchone()
        )
        return position(row) if row else None

    def page(
        self, wanted: Wanted = EVERYTHING, *, after: str = "", limit: int
    ) -> tuple[list[TrajectoryRow], str]:
        """Trajectories, newest first, and the id to go on from ("" at the end)."""
        rows = self._db.read(
            lambda connection: conversation_list.page(
                connection, wanted, after=after, limit=limit + 1
            )
        )
        found = [trajectory_row(row) for row in rows[:limit]]
        return found, found[-1].id if len(rows) > limit else ""

    def talked_to(self, since: datetime) -> list[Talked]:
        """Answers of each model since then, by the name that clients typed."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT model, count(*) AS turns, max(at) AS last FROM turns WHERE at >= ?"
                " GROUP BY model ORDER BY model",
                (since.isoformat(),),
            ).fetchall()
        )
        return [
            Talked(
                model=row["model"],
                turns=row["turns"],
                last=datetime.fromisoformat(row["last"]),
            )
            for row in rows
        ]

    def kinds(self) -> tuple[list[str], list[str]]:
        """Every client and every model that there is a conversation of."""
        return self._db.read(conversation_list.kinds)

    def get(self, trajectory: str) -> tuple[TrajectoryRow, list[TurnRow]]:
        """One trajectory with its turns. Raises NotFound."""

        def work(
            connection: sqlite3.Connection,
        ) -> tuple[sqlite3.Row | None, list[TurnRow]]:
            row = connection.execute(f"{LISTED} WHERE r.id = ?", (trajectory,)).fetchone()
            turns = connection.execute(
                "SELECT * FROM turns WHERE trajectory = ? ORDER BY number, at", (trajectory,)
            ).fetchall()
            known: set[str] = set()
            return row, [turn_row(connection, turn, known) for turn in turns]

        row, turns = self._db.read(work)
        if row is None:
            raise _no_conversation(trajectory)
        return trajectory_row(row), turns

    def turn(self, turn: str) -> TurnRow:
        """One turn. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> TurnRow | None:
            row = connection.execute("SELECT * FROM turns WHERE id = ?", (turn,)).fetchone()
            return turn_row(connection, row, set()) if row else None

        found = self._db.read(work)
        if found is None:
            raise NotFound(f"There is no turn {turn}.", hint="`lull show ID` lists the turns.")
        return found

    def counts(self) -> tuple[int, int]:
        """Trajectories and turns."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT (SELECT count(*) FROM trajectories), (SELECT count(*) FROM turns)"
            ).fetchone()
        )
        return int(row[0]), int(row[1])


def _no_conversation(name: str) -> NotFound:
    return NotFound(
        f"There is no conversation {name}.",
        hint="`lull conversations` lists them, newest first.",
    )
