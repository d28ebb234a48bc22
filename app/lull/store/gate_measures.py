"""What the gate has measured of an adapter, one measure for itself, and what it set out to do.

The plan is written before the first measure and says against what, on which requests and by which
seed; a gate that is interrupted goes on from what is here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from lull.core.gate import Away, Manner
from lull.core.gate_measure import Measure, Measured
from lull.store.database import Database

Fields = Mapping[str, object]


class GateMeasures:
    """The tables `gate_plans` and `gate_measures`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def plan(self, adapter: str) -> dict[str, object] | None:
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT plan FROM gate_plans WHERE adapter = ?", (adapter,)
            ).fetchone()
        )
        return dict(json.loads(row["plan"])) if row else None

    async def begin(self, adapter: str, plan: Fields, *, at: datetime) -> None:
        """Set out anew: what was measured under another plan is gone."""
        text = json.dumps(plan, ensure_ascii=True)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM gate_measures WHERE adapter = ?", (adapter,))
            connection.execute(
                "INSERT OR REPLACE INTO gate_plans VALUES (?, ?, ?)",
                (adapter, at.isoformat(), text),
            )

        await self._db.write(work)

    def all(self, adapter: str) -> dict[str, Measure]:
        """By name."""
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT name, measure FROM gate_measures WHERE adapter = ? ORDER BY name",
                (adapter,),
            ).fetchall()
        )
        return {row["name"]: _measure(json.loads(row["measure"])) for row in rows}

    async def keep(self, adapter: str, name: str, measure: Measure) -> None:
        """On disk when this returns."""
        told = {key: value for key, value in asdict(measure).items() if value is not None}
        text = json.dumps(told, ensure_ascii=True)
        await self._db.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO gate_measures VALUES (?, ?, ?)", (adapter, name, text)
            )
        )


def _measure(fields: dict[str, Any]) -> Measure:
    away, manner, leaks = fields.get("away"), fields.get("manner"), fields.get("leaks")
    return Measure(
        kind=Measured(fields["kind"]),
        about=fields["about"],
        old=fields.get("old"),
        new=fields.get("new"),
        taught=fields.get("taught"),
        away=Away(**away) if away else None,
        manner=(Manner(**manner[0]), Manner(**manner[1])) if manner else None,
        leaks=tuple(leaks) if leaks is not None else None,
    )
