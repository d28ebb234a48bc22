"""Stores, for each LoRA adapter, the plan of its gate (the checks that it must pass before it
answers users), and the measurements taken so far.

The plan is stored before the first measurement and fixes the baseline, the requests and the seed,
so an interrupted gate can continue.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from lull.core.adapters.gate_measured import Distance, Manner
from lull.core.adapters.measurement import Measure, MeasureKind
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues
from lull.store.sqlite.database import Database

MeasureFields = Mapping[str, object]


class GateMeasures:
    """Reads and writes, for each LoRA adapter, the plan of its gate (the checks before it may
    answer users) and the measurements taken so far.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def plan(self, adapter: str) -> dict[str, object] | None:
        """Return the stored plan of the gate's measurements of an adapter; None if there is none.
        Blocking.
        """
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT plan FROM gate_plans WHERE adapter = ?", (adapter,)
            ).fetchone()
        )
        return next(iter(PLAN_ROWS.maybe(row)), None)

    async def store_plan(self, adapter: str, plan: MeasureFields, *, at: datetime) -> None:
        """Store a new plan of a LoRA adapter's gate (with which requests and by which rule it is
        tested before use), and delete measurements taken under an earlier plan.
        """
        text = json.dumps(plan, ensure_ascii=True)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM gate_measures WHERE adapter = ?", (adapter,))
            connection.execute(
                "INSERT OR REPLACE INTO gate_plans VALUES (?, ?, ?)",
                (adapter, at.isoformat(), text),
            )

        await self._db.write(work)

    def all(self, adapter: str) -> dict[str, Measure]:
        """Return the stored measurements of an adapter's gate (its tests before use), by the name
        of each measurement.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT name, measure FROM gate_measures WHERE adapter = ? ORDER BY name",
                (adapter,),
            ).fetchall()
        )
        return dict(MEASURE_ROWS.all(rows))

    async def keep(self, adapter: str, name: str, measure: Measure) -> None:
        """Store one measurement of an adapter's gate (its tests before use) under its name; a later
        crash of Lull does not lose it.
        """
        told = {key: value for key, value in asdict(measure).items() if value is not None}
        text = json.dumps(told, ensure_ascii=True)
        await self._db.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO gate_measures VALUES (?, ?, ?)", (adapter, name, text)
            )
        )


def _plan(row: NamedValues) -> dict[str, object]:
    return dict(json.loads(row["plan"]))


PLAN_ROWS: Final = MeasuredRows("gate_plans", _plan)


def _named_measure(row: NamedValues) -> tuple[str, Measure]:
    return row["name"], _measure(json.loads(row["measure"]))


MEASURE_ROWS: Final = MeasuredRows("gate_measures", _named_measure)


def _measure(fields: dict[str, Any]) -> Measure:
    away, manner, leaks = fields.get("away"), fields.get("manner"), fields.get("leaks")
    return Measure(
        kind=MeasureKind(fields["kind"]),
        about=fields["about"],
        old=fields.get("old"),
        new=fields.get("new"),
        taught=fields.get("taught"),
        away=Distance(**away) if away else None,
        manner=(Manner(**manner[0]), Manner(**manner[1])) if manner else None,
        leaks=tuple(leaks) if leaks is not None else None,
    )
