"""The coin flips of live skills beside what became of their trajectories."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from lull.core.guard import Outcome, Toss
from lull.core.skill import SkillKey
from lull.store.database import Database


class Flips:
    """Reads the table `coin_flips`; the recorder fills it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def outcomes(self, texts: dict[SkillKey, str]) -> list[Outcome]:
        """Every trajectory that was scored and on which one of these texts (sha256) was tossed,
        oldest first. How good it went is the mean p_good of its turns."""

        def work(connection: sqlite3.Connection) -> list[Outcome]:
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
            return [Outcome(good=good[one], tosses=found) for one, found in tosses.items()]

        return self._db.read(work)

    def last_used(self) -> dict[SkillKey, datetime]:
        """When each skill last went into a conversation."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT client, name, max(last) AS last FROM skill_uses GROUP BY client, name"
            ).fetchall()
        )
        return {
            SkillKey(row["client"], row["name"]): datetime.fromisoformat(row["last"])
            for row in rows
        }
