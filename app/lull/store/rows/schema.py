"""Says which tables and indexes a whole database has, and creates those that are missing, empty."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Sequence

from lull.store.rows.lost_tables import note_lost_tables

Schema = tuple[tuple[str, str, str], ...]
"""Type, name and SQL of every table and index of a layout, tables first."""
_SEARCH = {"words", "search_rows"}
"""Tables for the search for words, which are filled together."""


@functools.cache
def schema_of(migrations: tuple[str, ...]) -> Schema:
    """Return every table and index that these migrations make."""
    whole = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for script in migrations:
            whole.executescript(script)
        rows = whole.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND"
            " name NOT LIKE 'words\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            " ORDER BY type = 'index'"
        ).fetchall()
    finally:
        whole.close()
    return tuple(rows)


def missing_of(connection: sqlite3.Connection, wanted: Schema) -> Schema:
    """Return which of these tables and indexes the database lacks."""
    there = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master")}
    return tuple(row for row in wanted if row[1] not in there)


def create_missing(
    connection: sqlite3.Connection, wanted: Schema, *, fill_search: Sequence[str]
) -> set[str]:
    """Create the tables and indexes that the database lacks, empty, in the caller's transaction,
    and note their loss; return the tables' names. `fill_search` is the SQL that fills those for the
    search again.
    """
    missing = missing_of(connection, wanted)
    anew = {name for kind, name, _ in missing if kind == "table"}
    for _, _, sql in missing:
        connection.execute(sql)
    names = {name for _, name, _ in wanted}
    if names >= _SEARCH and _SEARCH & {name for _, name, _ in missing}:
        for statement in fill_search:
            connection.execute(statement)
    if "facts" in names and anew - _SEARCH:  # those for the search are filled again
        note_lost_tables(connection, anew - _SEARCH)
    return anew
