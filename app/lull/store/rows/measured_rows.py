"""Reads the rows of tables with measurements: a damaged row is left out, removed at the next look
and so measured again.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from lull.store.rows.declared_types import check_types
from lull.store.rows.readable_rows import DAMAGE, NamedValues

log = logging.getLogger(__name__)

T = TypeVar("T")

RowKey = tuple[object, ...]
"""The values of a row's primary key."""
_PAGE: Final = 500
"""Rows that are read at once, so that other threads have their turn in between."""


@dataclass(frozen=True, slots=True)
class MeasuredRows(Generic[T]):
    """Converts the rows of a database table of measurements to Python values, and finds the damaged
    ones.
    """

    table: str
    convert: Callable[[NamedValues], T]
    where: str = "1"
    """SQL condition of the rows that hold a measurement."""
    columns: str = "*"
    """SQL of what `convert` reads of a row."""
    again: str = ""
    """SQL statement that has the rows of a condition, to be appended, measured again; run before
    they are removed. Empty where that happens by itself.
    """

    def all(self, rows: Iterable[NamedValues]) -> list[T]:
        """Convert those rows that can be read."""
        return [value for row in rows for value in self.maybe(row)]

    def maybe(self, row: NamedValues | None) -> list[T]:
        """Return a row's value; nothing if there is no row or it is damaged."""
        if row is None:
            return []
        try:
            value = self.convert(row)
            check_types(value)
        except DAMAGE as error:
            log.info("a row of %s is damaged and left out: %s", self.table, error)
            return []
        return [value]

    def damaged(self, connection: sqlite3.Connection) -> list[RowKey]:
        """Return the keys of all rows that cannot be read."""
        names = self._key(connection)
        cursor = connection.execute(f"SELECT {self.columns} FROM {self.table} WHERE {self.where}")
        found: list[RowKey] = []
        while rows := cursor.fetchmany(_PAGE):
            found += [tuple(row[name] for name in names) for row in rows if not self.maybe(row)]
        return found

    def remove(self, connection: sqlite3.Connection, keys: Iterable[RowKey]) -> int:
        """Remove the rows with these keys that still cannot be read; return how many."""
        condition = " AND ".join(f"{name} IS ?" for name in self._key(connection))
        count = 0
        for key in keys:
            row = connection.execute(
                f"SELECT {self.columns} FROM {self.table} WHERE {condition}", key
            ).fetchone()
            if row is not None and not self.maybe(row):
                if self.again:
                    connection.execute(f"{self.again} {condition}", key)
                connection.execute(f"DELETE FROM {self.table} WHERE {condition}", key)
                count += 1
        return count

    def _key(self, connection: sqlite3.Connection) -> list[str]:
        columns = connection.execute(f"PRAGMA table_info({self.table})").fetchall()
        return [one["name"] for one in sorted(columns, key=lambda one: one["pk"]) if one["pk"]]


def damaged_measurements(
    connection: sqlite3.Connection, tables: Sequence[MeasuredRows[Any]]
) -> dict[str, list[RowKey]]:
    """Return, by table, the keys of the rows of measurements that cannot be read."""
    found = {rows.table: rows.damaged(connection) for rows in tables}
    return {table: keys for table, keys in found.items() if keys}


def remove_measurements(
    connection: sqlite3.Connection,
    tables: Sequence[MeasuredRows[Any]],
    damaged: Mapping[str, Sequence[RowKey]],
) -> dict[str, int]:
    """Remove these damaged rows of measurements, and return how many of each table there were."""
    found = {
        rows.table: rows.remove(connection, damaged[rows.table])
        for rows in tables
        if rows.table in damaged
    }
    return {table: count for table, count in found.items() if count}
