"""Reads from which conversations a skill (an instruction text) was randomly left out (the holdout),
and how these and the other conversations were scored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import datetime

from lull.core.proof.holdout import HoldoutOutcome, Toss
from lull.core.skills.skill import SkillKey
from lull.store.sqlite.database import Database


class HoldoutAssignments:
    """Reads the table `coin_flips`: for each conversation, which skills were left out of its prompt
    at random (the holdout) and which were not.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def outcomes(self, texts: Mapping[SkillKey, str]) -> list[HoldoutOutcome]:
        """List the holdout outcomes of these skills: every scored conversation in which it was
        decided at random whether one of their texts (sha256) is left out, oldest first.

        A conversation's score is the mean p_good (probability of a good answer) of its turns.
        """

        def work(connection: sqlite3.Connection) -> list[HoldoutOutcome]:
            good = dict(
                connection.execute(
                    "SELECT t.trajectory, avg(w.p_good) FROM rewards w JOIN turns t"
                    " ON t.id = w.turn WHERE w.p_good IS NOT NULL AND t.trajectory IN"
                    " (SELECT trajectory FROM coin_flips) GROUP BY t.trajectory"
                ).fetchall()
            )
            tosses: dict[str, dict[SkillKey, Toss]] = {}
            for row in connection.execute("SELECT * FROM coin_flips ORDER BY trajectory"):
                key = SkillKey(row["client"], row["name"])
                if texts.get(key) == row["sha256"] and row["trajectory"] in good:
                    toss = Toss(left_out=bool(row["left_out"]), share=row["share"])
                    tosses.setdefault(row["trajectory"], {})[key] = toss
            return [HoldoutOutcome(good=good[one], tosses=found) for one, found in tosses.items()]

        return self._db.read(work)

    def last_used(self) -> dict[SkillKey, datetime]:
        """Return when each skill last went into a conversation's prompt."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT client, name, max(last) AS last FROM skill_uses GROUP BY client, name"
            ).fetchall()
        )
        return {
            SkillKey(row["client"], row["name"]): datetime.fromisoformat(row["last"])
            for row in rows
        }
