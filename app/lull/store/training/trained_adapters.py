"""Repairs the sealed record of what the trainer wrote (table `trained_adapters`)."""

from __future__ import annotations

from lull.core.errors import StoreError
from lull.store.rows.readable_rows import DamagedRow
from lull.store.rows.sealed_tables import TRAINED_ADAPTERS
from lull.store.sqlite.database import Database
from lull.store.sqlite.repair_records import not_put_right, repair_records


async def repair_trained_adapters(database: Database) -> StoreError | None:
    """Undo changes that other programs made to the records of what the trainer has written; return
    an error that tells the user of it, None if nothing was changed.

    Of a record without an intact copy nothing is told: a run that needs it fails and says why.
    """
    if not await repair_records(database, TRAINED_ADAPTERS):
        return None
    return DamagedRow(
        "The record of what the trainer wrote was changed outside of Lull and is put right from "
        "its sealed copy.",
        hint="Nothing of the change is used.",
    )


def trained_adapters_not_put_right(database: Database) -> StoreError | None:
    """Return an error that tells of records of what the trainer wrote that other programs changed
    and that cannot be put right; None if there are none. Blocking.
    """
    if not (number := not_put_right(database, TRAINED_ADAPTERS)):
        return None
    return DamagedRow(
        "The record of what the trainer wrote was changed outside of Lull and cannot be put right "
        f"from its sealed copy, which Lull uses: {number} entries.",
        hint="Remove from the database what another program added to it, such as a trigger.",
    )
