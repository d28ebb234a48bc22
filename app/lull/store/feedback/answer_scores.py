"""Reads how answers were scored over time, for the page of the desktop window that shows what Lull
has learned.

Each scored answer comes with whether it had skills or an adapter; the tests of each adapter come
with their scores on held-out requests. Reads `turns`, `rewards`, `gate_plans`, `gate_measures` and
`adapter_moves`.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lull.core.feedback.reward import Source
from lull.store.chat.turn_rows import WORE_SKILL
from lull.store.rows.sealed_rows import sealed_rows
from lull.store.rows.sealed_tables import ADAPTER_MOVES
from lull.store.sqlite.database import Database

MOST_ANSWERS: Final = 50_000
"""Number of newest scored answers that are read."""


_OLD_AND_NEW: Final = (
    "SELECT adapter, json_extract(measure, '$.kind') AS kind,"
    " json_extract(measure, '$.old') AS old, json_extract(measure, '$.new') AS new FROM"
    " (SELECT adapter, iif(json_valid(measure), measure, '{}') AS measure FROM gate_measures)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChoice:
    """Filter for scored answers, by client, model and skill; empty fields match anything."""

    client: str | None = None
    """Name of the client; "" for clients that give none (they use Lull's plain address), None for
    all.
    """
    model: str = ""
    skill: str = ""
    """Name of a skill; answers with this skill in the prompt are compared with all others."""


EVERY_ANSWER: Final = AnswerChoice()

# The user's own rating is no estimate: of two answers rated bad none was good, not 1% of them.
_SHOWN: Final = f"iif(w.source = '{Source.EXPLICIT.value}', round(w.p_good), w.p_good)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """How good one recorded answer was, and whether a skill and an adapter had a part in it."""

    at: datetime
    p_good: float
    skills: bool
    """Whether the skill of the `AnswerChoice`, or any skill if it names none, was in the prompt."""
    adapter: bool
    """Whether an adapter gave the answer, not the base model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutMeans:
    """Mean scores of a LoRA adapter, and of the model that it is compared with, on requests held
    out for testing.
    """

    adapter: str
    at: datetime
    before: float
    after: float
    pairs: int
    """Number of held-out requests that both the adapter and the baseline answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterMove:
    """One entry in the log of changes of which LoRA adapter is active, or on trial, for a model."""

    at: datetime
    model: str
    move: str
    active: str | None
    shadow: str | None
    why: str


class AnswerScores:
    """Reads from the database how good answers were over time, for the page of the desktop window
    that shows what Lull has learned.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def answers(
        self, since: datetime | None, wanted: AnswerChoice = EVERY_ANSWER
    ) -> list[ScoredAnswer]:
        """List the scored answers of a client and model since a time, each with its time and score,
        oldest first.
        """
        where, values = _of(wanted)
        worn = "t.skills <> '[]'"
        if wanted.skill:
            worn = WORE_SKILL
        of_skill = (wanted.skill,) if wanted.skill else ()
        rows = self._db.read(
            lambda connection: connection.execute(
                f"SELECT t.at, {_SHOWN} AS p_good, {worn} AS skills,"
                " t.adapter IS NOT NULL AS adapter"
                " FROM turns t JOIN rewards w ON w.turn = t.id"
                f" WHERE w.p_good IS NOT NULL AND t.at >= ?{where}"
                " ORDER BY t.at DESC, t.id DESC LIMIT ?",
                (*of_skill, since.isoformat() if since else "", *values, MOST_ANSWERS),
            ).fetchall()
        )
        return [
            ScoredAnswer(
                at=datetime.fromisoformat(row["at"]),
                p_good=row["p_good"],
                skills=bool(row["skills"]),
                adapter=bool(row["adapter"]),
            )
            for row in reversed(rows)
        ]

    def baseline(self, wanted: AnswerChoice = EVERY_ANSWER) -> tuple[float | None, int]:
        """Return the mean score of those answers of a client and model that had neither skills
        (instruction texts) nor a LoRA adapter (None without any), and how many there are.
        """
        where, values = _of(wanted)
        row = self._db.read(
            lambda connection: connection.execute(
                f"SELECT avg({_SHOWN}) AS good, count(*) AS n FROM turns t"
                " JOIN rewards w ON w.turn = t.id"
                " WHERE w.p_good IS NOT NULL AND t.skills = '[]' AND t.adapter IS NULL"
                f"{where}",
                values,
            ).fetchone()
        )
        return row["good"], int(row["n"])

    def held_out(self) -> list[HeldOutMeans]:
        """List LoRA adapters' mean scores on requests kept out of training, oldest first; deleted
        adapters are not listed.
        """

        def work(connection: sqlite3.Connection) -> list[sqlite3.Row]:
            return connection.execute(
                "SELECT p.adapter, p.at, count(*) AS n,"
                " avg(m.old) AS before, avg(m.new) AS after"
                f" FROM gate_plans p JOIN ({_OLD_AND_NEW}) m ON m.adapter = p.adapter"
                " WHERE m.kind = 'target' AND typeof(m.old) IN ('real', 'integer')"
                " AND typeof(m.new) IN ('real', 'integer')"
                " GROUP BY p.adapter ORDER BY p.at, p.adapter"
            ).fetchall()

        return [
            HeldOutMeans(
                adapter=row["adapter"],
                at=datetime.fromisoformat(row["at"]),
                before=row["before"],
                after=row["after"],
                pairs=row["n"],
            )
            for row in self._db.read(work)
        ]

    def moves(self, since: datetime | None) -> list[AdapterMove]:
        """List the log entries since a time, oldest first, on changes of which LoRA adapter is
        active or on trial.
        """
        earliest = since.isoformat() if since else ""
        moves = self._db.read(lambda connection: sealed_rows(connection, ADAPTER_MOVES)).all()
        rows = sorted(
            (row for row in moves if row["at"] >= earliest), key=lambda row: int(row["number"])
        )
        return [
            AdapterMove(
                at=datetime.fromisoformat(row["at"]),
                model=row["model"],
                move=row["move"],
                active=row["active"],
                shadow=row["shadow"],
                why=row["why"],
            )
            for row in rows
        ]


def _of(wanted: AnswerChoice) -> tuple[str, tuple[str, ...]]:
    """The clause that keeps the answers of a client and model, and its values."""
    given = [("client", wanted.client), ("model", wanted.model or None)]
    kept = [(column, value) for column, value in given if value is not None]
    if not kept:
        return "", ()
    all_of = " AND ".join(f"{column} = ?" for column, _ in kept)
    clause = f" AND t.trajectory IN (SELECT id FROM trajectories WHERE {all_of})"
    return clause, tuple(value for _, value in kept)
