"""Stores what feedback readers (small models) found in user messages: one row per message and
reader.

An unread message waits as a row without a reader, so neither a crash nor a missing reader loses it.
If several readers have read a message, the newest row counts.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from lull.core.feedback.feedback import Feedback, MessageFindings, RuleKind, Scope
from lull.store.feedback.reward_rows import owner_condition
from lull.store.rows.damaged_values import READ_FEEDBACK_AGAIN
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues
from lull.store.sqlite.database import Database
from lull.store.sqlite.value_lists import value_list

_NEWEST: Final = (
    "f.read_by <> '' AND NOT EXISTS (SELECT 1 FROM feedback n WHERE n.turn = f.turn"
    " AND n.read_by <> '' AND (n.read_at, n.read_by) > (f.read_at, f.read_by))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMessage:
    """A user message that waits to be read for feedback, because no model has read it yet."""

    turn: str
    """Id of the turn whose request carries the message."""
    before: str
    """The turn whose answer the message is about."""


class FeedbackRows:
    """Reads and writes the table `feedback` (what feedback readers, small models, found in user
    messages).
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    # Reading

    def waiting(self, *, limit: int) -> list[WaitingMessage]:
        """List user messages that are still to be read for feedback, oldest first."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT turn, before FROM feedback WHERE read_by = '' ORDER BY turn LIMIT ?",
                (limit,),
            ).fetchall()
        )
        return [WaitingMessage(turn=row["turn"], before=row["before"]) for row in rows]

    def count_waiting(self) -> int:
        """Return how many of the users' messages have not been searched for feedback
        yet. Blocking.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT count(*) AS n FROM feedback WHERE read_by = ''"
            ).fetchone()
        )
        return int(row["n"])

    def of(self, turns: Sequence[str]) -> dict[str, Feedback]:
        """Return, by turn, the feedback that was found in the user messages of these turns; a
        message's feedback is about the answer in the turn before.
        """
        marks, values = value_list(turns)
        return {f.turn: f for f in self._where(f"f.turn IN ({marks})", values)}

    def about(self, turns: Sequence[str]) -> dict[str, Feedback]:
        """Return the feedback on these turns' answers, found in the user messages that followed
        them, by the turn of the answer; the newest if there are several.
        """
        marks, values = value_list(turns)
        found = self._where(f"f.before IN ({marks}) ORDER BY f.turn", values)
        return {f.before: f for f in found}

    def of_conversation(self, trajectory: str) -> list[Feedback]:
        """List the feedback found in the user's messages of one conversation, in order."""
        return self._where(
            "f.turn IN (SELECT id FROM turns WHERE trajectory = ?) ORDER BY f.turn", (trajectory,)
        )

    def newest(self, *, limit: int, after: str = "") -> list[Feedback]:
        """List one page of feedback from users' messages, newest first.

        The page begins after the turn `after`, the last one of the page before.
        """
        older = "AND f.turn < ?" if after else "AND ? = ''"
        return self._where(f"1 {older} ORDER BY f.turn DESC LIMIT ?", (after, limit))

    def lasting_wishes(self, *, limit: int) -> list[Feedback]:
        """List the users' lasting wishes (wishes for all later answers) for which no skill (an
        instruction text) has been proposed yet, newest first.

        Leaves out wishes from conversations that the user excluded from learning.
        """
        found = self._where(
            "f.lasts = 1 AND EXISTS (SELECT 1 FROM turns t JOIN trajectories r"
            " ON r.id = t.trajectory WHERE t.id = f.turn AND r.excluded_at IS NULL)"
            " AND NOT EXISTS (SELECT 1 FROM proposals p, json_each(iif(json_valid(p.fields),"
            " p.fields, '{}'), '$.wish_turns') w WHERE w.value = f.turn)"
            " ORDER BY f.turn DESC LIMIT ?",
            (limit,),
        )
        # A row that an earlier version stored may have been marked with less probability.
        return [one for one in found if one.findings.lasts]

    def wishes(self, *, owner: str, model: str, limit: int | None) -> list[Feedback]:
        """List the lasting wishes (wishes for all later answers) and corrections that a client's
        user stated about one model's answers, newest first.

        `owner` is the client, or "" for all clients that share skills. Leaves out conversations
        that the user excluded from learning.
        """
        mine, values = owner_condition(owner)
        return self._where(
            "(f.lasts = 1 OR f.corrects = 1) AND EXISTS (SELECT 1 FROM turns t JOIN trajectories r"
            f" ON r.id = t.trajectory WHERE t.id = f.before AND r.excluded_at IS NULL AND {mine}"
            " AND t.model = ?) ORDER BY f.turn DESC LIMIT ?",
            (*values, model, -1 if limit is None else limit),
        )

    def _where(self, where: str, values: tuple[object, ...]) -> list[Feedback]:
        rows = self._db.read(
            lambda connection: connection.execute(
                f"SELECT f.* FROM feedback f WHERE {_NEWEST} AND {where}", values
            ).fetchall()
        )
        return FEEDBACK_ROWS.all(rows)

    # Writing

    async def enqueue(self, waiting: Iterable[WaitingMessage], *, at: datetime) -> None:
        """Queue user messages to be read for feedback by a model.

        Until they are read, what was found in them earlier stays valid.
        """
        rows = [(one.turn, one.before, at.isoformat()) for one in waiting]
        await self._db.write(
            lambda connection: connection.executemany(
                "INSERT OR IGNORE INTO feedback SELECT id, ?2, '', ?3, 0, 0, '{}' FROM turns"
                " WHERE id = ?1",
                rows,
            )
        )

    async def save(self, read: Sequence[Feedback]) -> None:
        """Store the feedback that a reader (a small model) found in user messages. Messages whose
        turn was deleted meanwhile leave no row.
        """
        rows = [
            (
                one.turn,
                one.before,
                one.read_by,
                one.read_at.isoformat(),
                int(one.findings.corrects),
                int(one.findings.lasts),
                feedback_to_json(one.findings),
            )
            for one in read
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "DELETE FROM feedback WHERE turn = ? AND read_by = ''",
                [(one.turn,) for one in read],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO feedback SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM turns"
                " WHERE id = ?1",
                rows,
            )

        await self._db.write(work)

    async def remove(self, turn: str, read_by: str) -> None:
        """Delete what this reader found in a user message, so that an earlier reading counts."""
        await self._db.write(
            lambda connection: connection.execute(
                "DELETE FROM feedback WHERE turn = ? AND read_by = ?", (turn, read_by)
            )
        )


def feedback_to_json(findings: MessageFindings) -> str:
    """Return the JSON in which the feedback found in a user's message is stored."""
    return json.dumps(asdict(findings), ensure_ascii=True, sort_keys=True)


def feedback_from_json(text: str) -> MessageFindings:
    """Parse the JSON in which the feedback found in a user message is stored. Raises ValueError,
    KeyError or TypeError if it is malformed.
    """
    said = json.loads(text)
    return MessageFindings(
        correction=float(said["correction"]),
        lasting=float(said["lasting"]),
        thanks=float(said["thanks"]),
        scope=Scope(said["scope"]) if said["scope"] else None,
        scope_p=float(said["scope_p"]),
        quote=tuple(map(str, said["quote"])),
        kind_of_rule=RuleKind(said["kind_of_rule"]) if said["kind_of_rule"] else None,
        check=str(said["check"]),
        possible_checks=tuple(map(str, said.get("possible_checks", ()))),
        unsure=bool(said["unsure"]),
    )


def _feedback(row: NamedValues) -> Feedback:
    return Feedback(
        turn=row["turn"],
        before=row["before"],
        read_by=row["read_by"],
        read_at=datetime.fromisoformat(row["read_at"]),
        findings=feedback_from_json(row["heard"]),
    )


FEEDBACK_ROWS: Final = MeasuredRows(
    "feedback", _feedback, where="read_by <> ''", again=READ_FEEDBACK_AGAIN
)
