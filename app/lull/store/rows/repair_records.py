"""Looks at sealed tables for rows that other programs changed, and has these put right.

The look only reads, on the caller's thread, so it never holds up a write; only where something is
wrong the repair waits for its turn among the writes.
"""

from __future__ import annotations

import asyncio
import sqlite3

from lull.store.database import Database
from lull.store.rows.put_right import forget_put_right, noted_put_right
from lull.store.rows.sealed_rows import SealedTable, is_as_sealed, repair_rows


async def repair_records(database: Database, *tables: SealedTable) -> list[str]:
    """Undo changes that other programs made to the rows of these tables, by restoring the sealed
    copies; return the ids of the groups of rows that were put right since the last call, by this
    one or by a change in between.

    A row may refer only to rows of an earlier table of `tables`. Raises StoreError.
    """

    def is_in_order(connection: sqlite3.Connection) -> bool:
        told = not any(noted_put_right(connection, table.name) for table in tables)
        return told and is_as_sealed(connection, *tables)

    def work(connection: sqlite3.Connection) -> list[str]:
        repair_rows(connection, *tables)
        found: list[str] = []
        for table in tables:
            found += noted_put_right(connection, table.name)
            forget_put_right(connection, table.name)
        return list(dict.fromkeys(found))

    if await asyncio.to_thread(database.read, is_in_order):
        return []
    return await database.write(work)
