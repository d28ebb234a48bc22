"""Stores which versions of a model (copies with a LoRA adapter merged in) Lull has published in
Ollama: table `published`.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from datetime import datetime

from lull.core.adapters.published import Agreement, PublishedStatus, PublishedVersion
from lull.core.chat.model_name import canonical
from lull.core.errors import StoreError
from lull.core.models.ollama_model import published_name
from lull.store.database import Database
from lull.store.rows.readable_rows import DamagedRow, ReadableRows

_COLUMNS = ("model", "number", "name", "adapter", "base", "status", "at", "why", "agreement")


class Published:
    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self, model: str | None = None) -> tuple[PublishedVersion, ...]:
        """List the versions (copies with a LoRA adapter merged in) that were published in Ollama,
        of one model or of all, by model and number, oldest first. Blocking.

        Damaged rows are left out.
        """
        rows = self._db.read(lambda connection: _rows(connection, model))
        return tuple(_ROWS.all(rows))

    def names(self) -> tuple[str, ...]:
        """Return the names of all published versions, those of damaged rows too, so that none is
        given out again. Blocking.
        """
        rows = self._db.read(lambda connection: _rows(connection, None))
        # What is left of a damaged row may be its name, or only its key.
        named = [str(row["name"]) for row in rows]
        return (*named, *(published_name(str(row["model"]), row["number"]) for row in rows))

    def damage_error(self) -> StoreError | None:
        """Return an error about published versions whose rows are damaged; None if there are
        none.
        """
        return _ROWS.damage_error(self._db.read(lambda connection: _rows(connection, None)))

    async def put(self, version: PublishedVersion) -> None:
        """Insert or update the row of a model version (a copy with a LoRA adapter merged in) that
        was published in Ollama.
        """
        marks = ", ".join("?" * len(_COLUMNS))
        await self._db.write(
            lambda connection: connection.execute(
                f"INSERT OR REPLACE INTO published ({', '.join(_COLUMNS)}) VALUES ({marks})",
                _row(version),
            )
        )


def _rows(connection: sqlite3.Connection, model: str | None) -> list[sqlite3.Row]:
    where, values = ("WHERE model = ?", (canonical(model),)) if model else ("", ())
    return connection.execute(
        f"SELECT * FROM published {where} ORDER BY model, number", values
    ).fetchall()


def _row(version: PublishedVersion) -> tuple[object, ...]:
    return (
        canonical(version.model),
        version.number,
        version.name,
        version.adapter,
        version.base,
        version.status.value,
        version.at.isoformat(),
        version.why,
        json.dumps(asdict(version.agreement)) if version.agreement else "",
    )


def _version(row: sqlite3.Row) -> PublishedVersion:
    agreement = row["agreement"]
    return PublishedVersion(
        model=row["model"],
        number=row["number"],
        name=row["name"],
        adapter=row["adapter"],
        base=row["base"],
        status=PublishedStatus(row["status"]),
        at=datetime.fromisoformat(row["at"]),
        why=row["why"],
        agreement=Agreement(**json.loads(agreement)) if agreement else None,
    )


def _damaged(name: str) -> DamagedRow:
    return DamagedRow(
        f"What is recorded of the published version {name} is damaged.",
        hint="Lull does not use it. `ollama rm` removes it, or a backup may have the record.",
    )


_ROWS = ReadableRows(_version, _damaged, id="name")
