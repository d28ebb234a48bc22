"""Stores exam results of local chat models (whether one may read feedback, judge answers or write
skills).

The mark for every single item is kept, so an interrupted exam can continue.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from typing import Final

from lull.core.chat.model_name import canonical
from lull.core.models.exam import ExamMark, ExamResult, ModelRole
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues
from lull.store.sqlite.database import Database

_COLUMNS = ("model", "digest", "role", "exam", "at", "passed", "marks", "fields")
_FIELDS = ("score", "low", "high", "sensitivity", "specificity", "why")


class Exams:
    """Reads and writes the table `exams`: results of the tests that decide whether a chat model may
    read users' feedback, judge answers or write skills.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> tuple[ExamResult, ...]:
        """List the results of all models' exams, which decide whether a model may read users'
        feedback, judge answers or write skills; oldest first. Blocking.
        """
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT * FROM exams ORDER BY at, model, role"
            ).fetchall()
        )
        return tuple(EXAM_ROWS.all(rows))

    async def put(self, result: ExamResult) -> None:
        """Store the result of a model's exam (the test for a task such as judging answers), or how
        far the model has come in it.

        Deletes results of an older build of the model or of an older exam.
        """
        marks = ", ".join("?" * len(_COLUMNS))
        key = (canonical(result.model), result.role.value)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM exams WHERE model = ? AND role = ? AND (digest <> ? OR exam <> ?)",
                (*key, result.digest, result.exam),
            )
            connection.execute(
                f"INSERT OR REPLACE INTO exams ({', '.join(_COLUMNS)}) VALUES ({marks})",
                _values(result),
            )

        await self._db.write(work)


def _values(result: ExamResult) -> tuple[object, ...]:
    at = result.at or datetime.fromtimestamp(0, UTC)
    return (
        canonical(result.model),
        result.digest,
        result.role.value,
        result.exam,
        at.astimezone(UTC).isoformat(timespec="microseconds"),
        None if result.passed is None else int(result.passed),
        json.dumps([mark.as_json() for mark in result.marks]),
        json.dumps({name: getattr(result, name) for name in _FIELDS} | {"name": result.model}),
    )


def _result(row: NamedValues) -> ExamResult:
    fields = json.loads(row["fields"])
    name = str(fields.pop("name", row["model"]))
    return ExamResult(
        model=name,
        digest=row["digest"],
        role=ModelRole(row["role"]),
        exam=row["exam"],
        at=datetime.fromisoformat(row["at"]),
        passed=None if row["passed"] is None else bool(row["passed"]),
        marks=tuple(
            ExamMark(item=item, right=right, kept=kept)
            for item, right, kept in json.loads(row["marks"])
        ),
        **fields,
    )


EXAM_ROWS: Final = MeasuredRows("exams", _result)
