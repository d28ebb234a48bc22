"""What answers were worth over time, for the learning page: each scored answer with what it was
given (skills, an adapter), and what the gate measured of each adapter on held-out requests.

Reads `turns`, `rewards`, `gate_plans`, `gate_measures`, `adapter_moves`; owns none of them.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lull.store.database import Database

MOST: Final = 50_000
"""Answers that are looked at, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """One scored answer."""

    at: datetime
    p_good: float
    skills: bool
    """Some skill stood in its prompt."""
    adapter: bool
    """An adapter answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """An adapter against what was in force, on requests that it was not trained on; means."""

    adapter: str
    at: datetime
    before: float
    after: float
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    at: datetime
    model: str
    move: str
    active: str | None
    shadow: str | None
    why: str


class Worths:
    def __init__(self, database: Database) -> None:
        self._db = database

    def answers(self, since: datetime | None) -> list[Worth]:
        """Oldest first."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT t.at, w.p_good, t.skills <> '[]' AS skills,"
                " t.adapter IS NOT NULL AS adapter"
                " FROM turns t JOIN rewards w ON w.turn = t.id"
                " WHERE w.p_good IS NOT NULL AND t.at >= ? ORDER BY t.at DESC, t.id DESC LIMIT ?",
                (since.isoformat() if since else "", MOST),
            ).fetchall()
        )
        return [
            Worth(
                at=datetime.fromisoformat(row["at"]),
                p_good=row["p_good"],
                skills=bool(row["skills"]),
                adapter=bool(row["adapter"]),
            )
            for row in reversed(rows)
        ]

    def baseline(self) -> tuple[float | None, int]:
        """The mean over all scored answers that had neither skills nor an adapter, and how many."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT avg(w.p_good) AS good, count(*) AS n FROM turns t"
                " JOIN rewards w ON w.turn = t.id"
                " WHERE w.p_good IS NOT NULL AND t.skills = '[]' AND t.adapter IS NULL"
            ).fetchone()
        )
        return row["good"], int(row["n"])

    def held_out(self) -> list[HeldOut]:
        """Oldest first; of adapters that are gone nothing is known."""

        def work(connection: sqlite3.Connection) -> list[sqlite3.Row]:
            return connection.execute(
                "SELECT p.adapter, p.at, count(*) AS n,"
                " avg(json_extract(m.measure, '$.old')) AS before,"
                " avg(json_extract(m.measure, '$.new')) AS after"
                " FROM gate_plans p JOIN gate_measures m ON m.adapter = p.adapter"
                " WHERE json_extract(m.measure, '$.kind') = 'target'"
                " AND json_extract(m.measure, '$.old') IS NOT NULL"
                " AND json_extract(m.measure, '$.new') IS NOT NULL"
                " GROUP BY p.adapter ORDER BY p.at, p.adapter"
            ).fetchall()

        return [
            HeldOut(
                adapter=row["adapter"],
                at=datetime.fromisoformat(row["at"]),
                before=row["before"],
                after=row["after"],
                pairs=row["n"],
            )
            for row in self._db.read(work)
        ]

    def moves(self, since: datetime | None) -> list[Moved]:
        """Adapters that came into force, on trial, or out of it; oldest first."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM adapter_moves WHERE at >= ? ORDER BY number",
                (since.isoformat() if since else "",),
            ).fetchall()
        )
        return [
            Moved(
                at=datetime.fromisoformat(row["at"]),
                model=row["model"],
                move=row["move"],
                active=row["active"],
                shadow=row["shadow"],
                why=row["why"],
            )
            for row in rows
        ]
