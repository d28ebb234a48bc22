"""Removes damaged rows of measurements, so that they are measured again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from lull.core.errors import StoreError
from lull.store.rows.damaged_values import damage_told
from lull.store.rows.measured_rows import MeasuredRows, damaged_measurements, remove_measurements
from lull.store.sqlite.database import Database


async def remove_damaged_measurements(
    database: Database, tables: Sequence[MeasuredRows[Any]]
) -> StoreError | None:
    """Remove the rows of these tables that cannot be read; return the error that tells the user how
    many there were, None if there were none.
    """
    damaged = await asyncio.to_thread(
        lambda: database.read(lambda connection: damaged_measurements(connection, tables))
    )
    if not damaged:
        return None
    return damage_told(
        await database.write(lambda connection: remove_measurements(connection, tables, damaged))
    )
