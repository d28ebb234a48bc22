"""Stores and queries conversations: messages, trajectories (conversations as sequences of turns),
turns, and the user's labels.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from lull.core.chat.client import Client
from lull.core.chat.trajectory import Selection, Turn
from lull.core.errors import NotFound
from lull.core.models.most_used_model import ModelUse
from lull.store.chat import conversation_list, long_turns
from lull.store.chat.conversation_list import ConversationQuery
from lull.store.chat.corrections import CORRECTION_ROUTE, Correction, write_correction
from lull.store.chat.kept_pieces import KeptPieces
from lull.store.chat.recording import (
    Prepared,
    TurnRecord,
    session_mark,
    write_records,
)
from lull.store.chat.turn_rows import (
    LISTED,
    SHOWN,
    STANDING,
    Label,
    Position,
    TrajectoryRow,
    TurnRow,
    position,
    shown_turn,
    trajectory_row,
    without_surrogates,
)
from lull.store.sqlite.database import Database
from lull.store.sqlite.preparing import Post

__all__ = ["ConversationQuery", "Label", "Position", "Trajectories", "TrajectoryRow", "TurnRow"]

EVERYTHING = ConversationQuery()
"""Filter that matches every conversation."""
SEARCHED_LINKS = 64
"""Number of newest messages of a history that are looked up to find its conversation."""


class Trajectories:
    """Reads and writes the tables of conversations, turns and messages, of their search words, and
    of redacted secrets.
    """

    def __init__(self, database: Database, *, key: bytes) -> None:
        self._db = database
        self._key = key
        self._records = database.inbox(partial(write_records, key=key))
        self._kept = KeptPieces(database)
        self._kept.move()

    @property
    def key(self) -> bytes:
        """The secret key with which messages are hashed into links (a hash of a message and all
        before it).
        """
        return self._key

    # Writing

    def record(
        self,
        turn: Turn,
        *,
        session: str,
        selection: Selection,
        prepared: Prepared | None = None,
    ) -> None:
        """Queue a finished turn (request and answer) for storing; the caller never waits.

        `prepared` holds the messages of a long request, already without secrets, in place of those
        in `turn`.
        """
        record = TurnRecord(turn, session, selection, prepared)
        if long_turns.is_long(turn, prepared):
            self._db.prepare(partial(self._prepare, record))
        else:
            self._put(record)

    def _prepare(self, record: TurnRecord, short: bool) -> Post:
        """Remove the secrets from a long turn's texts, or shorten these; return what queues it."""
        if short:
            turn, prepared = long_turns.short_form(record.turn, record.prepared)
        else:
            turn = record.turn
            prepared = long_turns.prepare(
                turn,
                record.prepared,
                key=self._key,
                missing=self.missing,
                has_tools=self.has_tools,
            )
        return partial(self._put, record._replace(turn=turn, prepared=prepared))

    def _put(self, record: TurnRecord) -> None:
        self._records.put(record)
        if record.prepared is not None and len(record.prepared.pieces) > 1:
            self._kept.keep(record.turn.stamp.turn, record.prepared.pieces[1:])

    async def label(self, turn: str, label: Label | None, *, at: datetime) -> None:
        """Set or clear the user's rating of a turn. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE turns SET label = ?, labelled_at = ? WHERE id = ?",
                (label, at.isoformat() if label else None, turn),
            )
            if changed.rowcount == 0:
                raise NotFound(f"There is no turn {turn}.", hint="`lull show ID` lists the turns.")

        await self._db.write_synced(work)

    async def exclude(self, trajectory: str, excluded: bool, *, at: datetime) -> None:
        """Exclude a conversation from learning, or include it again. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE trajectories SET excluded_at = ? WHERE id = ?",
                (at.isoformat() if excluded else None, trajectory),
            )
            if changed.rowcount == 0:
                raise _no_conversation(trajectory)

        await self._db.write_synced(work)

    async def correct(self, said: Correction) -> str:
        """Store what the user said later about an answer, and return the id of its conversation.
        Raises NotFound.
        """
        return await self._db.write_synced(partial(write_correction, said=said, key=self._key))

    # Reading

    def missing(self, links: str) -> str:
        """Return those message links (a hash of a message and all before it) whose messages are not
        stored.

        Argument and result are JSON lists as text, so a long request's links are not parsed in this
        process.
        """
        found: str = self._db.read(
            lambda connection: connection.execute(
                "SELECT json_group_array(said.value) FROM json_each(?) AS said"
                " WHERE NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.link = said.value)",
                (links,),
            ).fetchone()[0]
        )
        return found

    def has_tools(self, mark: str) -> bool:
        """Return whether a set of tool definitions with this hash is stored."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT 1 FROM tool_sets WHERE sha256 = ?", (mark,)
            ).fetchone()
        )
        return row is not None

    def position(self, links: Sequence[str]) -> Position | None:
        """Find the stored conversation that a new request continues, judged by the messages in it,
        and return the point at which it does; None if there is none.

        `links` are the history's links (a hash of a message and all before it) without the newest
        message, oldest first. The latest known message decides; if the client reworded the last
        answer, the request before it still matches. If several conversations match, the newest
        counts. The injected skills continue as they were at that turn.
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

    def session_position(self, client: Client, session: str) -> Position | None:
        """Find the stored conversation of the session that the client named, and return the point
        at which the next request continues it; None if there is none.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                # Earlier versions stored the session name itself.
                f"{STANDING} WHERE r.client = ? AND r.session IN (?, ?) AND r.apart = ?"
                " AND t.route <> ? ORDER BY t.at DESC, t.number DESC LIMIT 1",
                (
                    client.name,
                    session_mark(self._key, session),
                    without_surrogates(session),
                    client.apart,
                    CORRECTION_ROUTE,
                ),
            ).fetchone()
        )
        return position(row) if row else None

    def page(
        self, wanted: ConversationQuery = EVERYTHING, *, after: str = "", limit: int
    ) -> tuple[list[TrajectoryRow], str]:
        """List one page of stored conversations, newest first, and the id to continue from ("" at
        the end).
        """
        rows = self._db.read(
            lambda connection: conversation_list.page(
                connection, wanted, after=after, limit=limit + 1
            )
        )
        found = [trajectory_row(row) for row in rows[:limit]]
        return found, found[-1].id if len(rows) > limit else ""

    def answer_counts(self, since: datetime) -> list[ModelUse]:
        """Return for each model, by the name that clients use for it, how many answers it gave
        since a time and when it gave the last one.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT model, count(*) AS turns, max(at) AS last FROM turns WHERE at >= ?"
                " GROUP BY model ORDER BY model",
                (since.isoformat(),),
            ).fetchall()
        )
        return [
            ModelUse(
                model=row["model"],
                turns=row["turns"],
                last=datetime.fromisoformat(row["last"]),
            )
            for row in rows
        ]

    def clients_and_models(self) -> tuple[list[str], list[str]]:
        """Return the names of all clients and of all models that occur in stored conversations, as
        two lists.
        """
        return self._db.read(conversation_list.clients_and_models)

    def get(self, trajectory: str) -> tuple[TrajectoryRow, list[TurnRow]]:
        """Return one stored conversation with its turns. Raises NotFound."""

        def work(
            connection: sqlite3.Connection,
        ) -> tuple[sqlite3.Row | None, list[TurnRow]]:
            row = connection.execute(f"{LISTED} WHERE r.id = ?", (trajectory,)).fetchone()
            turns = connection.execute(
                f"{SHOWN} WHERE t.trajectory = ? ORDER BY t.number, t.at", (trajectory,)
            ).fetchall()
            known: set[str] = set()
            return row, [shown_turn(connection, turn, known) for turn in turns]

        row, turns = self._db.read(work)
        if row is None:
            raise _no_conversation(trajectory)
        return trajectory_row(row), turns

    def turn(self, turn: str) -> TurnRow:
        """Return one stored turn (request and answer) by its id. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> TurnRow | None:
            row = connection.execute(f"{SHOWN} WHERE t.id = ?", (turn,)).fetchone()
            return shown_turn(connection, row, set()) if row else None

        found = self._db.read(work)
        if found is None:
            raise NotFound(f"There is no turn {turn}.", hint="`lull show ID` lists the turns.")
        return found

    def not_to_learn_from(self) -> list[str]:
        """Return the ids of the turns that the user rated bad, or excluded from learning."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT t.id FROM turns t JOIN trajectories r ON r.id = t.trajectory"
                " WHERE t.label = ? OR r.excluded_at IS NOT NULL",
                (Label.BAD,),
            ).fetchall()
        )
        return [str(row["id"]) for row in rows]

    def newest_answer(self) -> tuple[str, datetime, str | None] | None:
        """Return the turn recorded last as (id, time, the user's label); None if there are no
        turns.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT id, at, label FROM turns WHERE trajectory ="
                " (SELECT id FROM trajectories ORDER BY last DESC, id DESC LIMIT 1)"
                " AND route <> ? ORDER BY number DESC LIMIT 1",
                (CORRECTION_ROUTE,),
            ).fetchone()
        )
        if row is None:
            return None
        return row["id"], datetime.fromisoformat(row["at"]), row["label"]

    def counts(self) -> tuple[int, int]:
        """Count all stored conversations and all answers in them."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT count(*), coalesce(sum(turns), 0) FROM trajectories"
            ).fetchone()
        )
        return int(row[0]), int(row[1])


def _no_conversation(name: str) -> NotFound:
    return NotFound(
        f"There is no conversation {name}.",
        hint="`lull conversations` lists them, newest first.",
    )
