"""Stores which versions of a model (copies with a LoRA adapter merged in) Lull has published in
Ollama: table `published`.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from datetime import datetime
from typing import Final

from lull.core.adapters.published import Agreement, PublishedStatus, PublishedVersion
from lull.core.chat.model_name import canonical
from lull.core.errors import StoreError
from lull.core.models.ollama_model import published_name
from lull.store.rows.readable_rows import DamagedRow, NamedValues, ReadableRows
from lull.store.rows.sealed_rows import (
    Row,
    SealedRows,
    changing,
    sealed_rows,
    written_anew,
)
from lull.store.rows.sealed_tables import PUBLISHED
from lull.store.sqlite.database import Database
from lull.store.sqlite.repair_records import not_put_right, repair_records

_NAMES_SHOWN: Final = 5


class PublishedVersions:
    """The table of model versions (copies with a LoRA adapter merged in) that Lull has published in
    Ollama.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self, model: str | None = None) -> tuple[PublishedVersion, ...]:
        """List the versions (copies with a LoRA adapter merged in) that were published in Ollama,
        of one model or of all, by model and number, oldest first. Blocking.

        Damaged rows are left out.
        """
        return tuple(_ROWS.all(_in_order(self._sealed(), model)))

    def _sealed(self) -> SealedRows:
        return self._db.read(lambda connection: sealed_rows(connection, PUBLISHED))

    def names(self) -> tuple[str, ...]:
        """Return the names of all published versions, including those with damaged rows, so that no
        name is used a second time. Blocking.
        """
        sealed = self._sealed()
        # What is left of a damaged row may be its name, or only its key.
        ids = [PUBLISHED.id_of(tuple(row.values())) for row in sealed.all()]
        named = [str(row["name"]) for row in sealed.all()]
        return (*named, *map(_name_of, ids), *map(_name_of, sealed.lost))

    def damage_error(self) -> StoreError | None:
        """Return an error about the records of published model versions of which no intact copy is
        left, or that cannot be put right; None if there are none.
        """
        sealed = self._sealed()
        damage = _ROWS.damage_error(sealed.all(), lost=sealed.lost)
        if damage is not None or not (number := not_put_right(self._db, PUBLISHED)):
            return damage
        return DamagedRow(
            "The record of the versions published in Ollama was changed outside of Lull and cannot "
            f"be put right from its sealed copy, which Lull uses: {number} entries.",
            hint="Remove from the database what another program added to it, such as a trigger.",
        )

    async def repair(self) -> StoreError | None:
        """Undo changes that other programs made to the records of published model versions, by
        restoring the sealed copies; return an error that tells the user what was changed, None if
        nothing was.
        """
        changed = await repair_records(self._db, PUBLISHED)
        if not changed:
            return None
        names = ", ".join(_name_of(id_) for id_ in changed[:_NAMES_SHOWN])
        return DamagedRow(
            f"The record of the versions published in Ollama was changed outside of Lull ({names}) "
            "and is put right from its sealed copy.",
            hint="Nothing of the change is used.",
        )

    async def put(self, version: PublishedVersion) -> None:
        """Insert or update the row of a model version (a copy with a LoRA adapter merged in) that
        was published in Ollama.
        """
        columns = PUBLISHED.columns
        marks = ", ".join("?" * len(columns))
        values = _row(version)

        def work(connection: sqlite3.Connection) -> None:
            with changing(connection, PUBLISHED):
                written_anew(connection, PUBLISHED, PUBLISHED.id_of(values))
                connection.execute(
                    f"INSERT OR REPLACE INTO published ({', '.join(columns)}) VALUES ({marks})",
                    values,
                )

        await self._db.write(work)


def _name_of(id_: str) -> str:
    """Return the name under which a version was published by default, from the id of its row."""
    model, _, number = id_.rpartition(" ")
    return published_name(model, int(number)) if model and number.isdecimal() else id_


def _in_order(sealed: SealedRows, model: str | None) -> list[Row]:
    rows = [row for row in sealed.all() if not model or row["model"] == canonical(model)]
    return sorted(rows, key=lambda row: (row["model"], row["number"]))


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


def _version(row: NamedValues) -> PublishedVersion:
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
