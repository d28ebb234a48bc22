"""Looks at sealed tables for rows that other programs changed, and has these put right.

The look only reads, on the caller's thread, so it never holds up a write; only where something is
wrong the repair waits for its turn among the writes. What could not be put right, as another
program's trigger may prevent, is noted, and tried again once anything about it has changed.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from typing import Final

from lull.store.rows.facts import fact, set_fact
from lull.store.rows.put_right import forget_put_right, noted_put_right
from lull.store.rows.sealed_rows import SealedTable, repair_rows, unlike_sealed
from lull.store.sqlite.database import Database

_TRIED: Final = "not-put-right:"
"""Beginning of the name of a fact: the first table's name follows."""


async def repair_records(database: Database, *tables: SealedTable) -> list[str]:
    """Undo changes that other programs made to the rows of these tables, by restoring the sealed
    copies; return the ids of the groups of rows that were put right since the last call, by this
    one or by a change in between.

    A row may refer only to rows of an earlier table of `tables`. Raises StoreError.
    """
    noted = f"{_TRIED}{tables[0].name}"

    def is_in_order(connection: sqlite3.Connection) -> bool:
        told = not any(noted_put_right(connection, table.name) for table in tables)
        return told and _as_it_stands(connection, *tables) == (fact(connection, noted) or b"")

    def work(connection: sqlite3.Connection) -> list[str]:
        repair_rows(connection, *tables)
        found: list[str] = []
        for table in tables:
            found += noted_put_right(connection, table.name)
            forget_put_right(connection, table.name)
        connection.execute("DELETE FROM facts WHERE name = ?", (noted,))
        if left := _as_it_stands(connection, *tables):
            set_fact(connection, noted, left)
        stuck = {id_ for _, id_ in unlike_sealed(connection, *tables)}
        return [id_ for id_ in dict.fromkeys(found) if id_ not in stuck]

    if await asyncio.to_thread(database.read, is_in_order):
        return []
    return await database.write(work)


def not_put_right(database: Database, *tables: SealedTable) -> int:
    """Return how many groups of rows of these tables are not as their sealed copies have them,
    which after `repair_records` are those that cannot be put right. Blocking.
    """
    return len(database.read(lambda connection: unlike_sealed(connection, *tables)))


def _as_it_stands(connection: sqlite3.Connection, *tables: SealedTable) -> bytes:
    """Return a digest of all on which it depends whether rows that are not as sealed can be put
    right; empty if all are as sealed.
    """
    unlike = unlike_sealed(connection, *tables)
    if not unlike:
        return b""
    (schema,) = connection.execute("PRAGMA schema_version").fetchone()
    rows = [
        tuple(map(repr, row))
        for table in tables
        for row in connection.execute(
            f"SELECT {', '.join(f'CAST({one} AS BLOB)' for one in table.columns)} FROM {table.name}"
        )
    ]
    return hashlib.sha256(repr((unlike, schema, sorted(rows))).encode()).digest()
