"""Changes to the database as another program makes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def stopped_database(file: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of a Lull that is stopped, as the program sqlite3 does."""
    with closing(sqlite3.connect(file)) as connection, connection:
        yield connection


def damage_record(connection: sqlite3.Connection, table: str, group: str) -> None:
    """Damage both a row and its sealed copy, so that nothing intact is left of the record."""
    done = connection.execute(
        "UPDATE row_seals SET seal = seal || x'21' WHERE part = ? AND id = ?", (table, group)
    )
    assert done.rowcount == 1, (table, group)
    if table == "adapters":
        connection.execute("UPDATE adapters SET status = 'actvie' WHERE id = ?", (group,))
