"""Stores where each model obeys skills (instruction texts) best, with the result of every single
test case, so that an interrupted measurement can continue.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from typing import Final

from lull.core.proof.placing import PlacingMark, PlacingResult
from lull.core.skills.prompt_block import Placement
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues
from lull.store.sqlite.database import Database


class Placings:
    """Reads and writes the table `placings`: where in a prompt a model obeys skills (instruction
    texts) best.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> tuple[PlacingResult, ...]:
        """List for each model the result of measuring where in a prompt it obeys skills
        (instruction texts) best.

        Oldest first. Blocking.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM placings ORDER BY at, digest"
            ).fetchall()
        )
        return tuple(PLACING_ROWS.all(rows))

    async def put(self, result: PlacingResult) -> None:
        """Store the result, complete or so far, of measuring where in a prompt a model obeys skills
        (instruction texts) best.

        It replaces any earlier result of the model, even one for an older set of test cases.
        """
        at = (result.at or datetime.fromtimestamp(0, UTC)).astimezone(UTC)
        values = (
            result.digest,
            result.model,
            result.sheet,
            at.isoformat(timespec="microseconds"),
            None if result.place is None else result.place.value,
            result.why,
            json.dumps([mark.as_json() for mark in result.marks]),
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO placings (digest, model, sheet, at, place, why, marks)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )

        await self._db.write(work)


def _result(row: NamedValues) -> PlacingResult:
    return PlacingResult(
        model=row["model"],
        digest=row["digest"],
        sheet=row["sheet"],
        at=datetime.fromisoformat(row["at"]),
        place=None if row["place"] is None else Placement(row["place"]),
        why=row["why"],
        marks=tuple(
            PlacingMark(case=case, place=Placement(place), kept=kept)
            for case, place, kept in json.loads(row["marks"])
        ),
    )


PLACING_ROWS: Final = MeasuredRows("placings", _result)
