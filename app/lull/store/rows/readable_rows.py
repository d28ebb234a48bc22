"""Reads database rows of which some may be damaged: a damaged row is skipped in lists, raises an
error where it is asked for, and is reported to the user; all other rows stay usable. Of a
conversation only the damaged value is left out, so that its text can still be read.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from lull.core.errors import StoreError
from lull.store.rows.declared_types import check_types

log = logging.getLogger(__name__)

T = TypeVar("T")

DAMAGE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)
"""What the conversion of a row raises whose values are not what Lull wrote."""


_JSON = {
    "turns": ("skills", "sampling", "suffixes"),
    "trajectories": ("selection", "suffixes"),
    "rewards": ("votes", "signals"),
}
"""Columns with JSON, by table."""


def readable(text: Any, convert: Callable[[Any], T], otherwise: T) -> T:
    """Convert what a column with JSON holds; return `otherwise` if it is damaged."""
    try:
        value = convert(json.loads(text))
        check_types(value)
    except DAMAGE:
        return otherwise
    return value


def count_damaged_values(connection: sqlite3.Connection) -> int:
    """Return how many values of conversations, answers and their scores are damaged and left
    out.
    """
    found = 0
    for table, columns in _JSON.items():
        each = " + ".join(f"(json_valid({column}) = 0)" for column in columns)
        (bad,) = connection.execute(f"SELECT coalesce(sum({each}), 0) FROM {table}").fetchone()
        found += bad
    return found


class NamedValues(Protocol):
    """Interface of one database row, read from its table or from its sealed copy: returns the value
    of a column by its name.
    """

    def __getitem__(self, column: str, /) -> Any: ...


class DamagedRow(StoreError):
    """Raised for a database row with values that Lull cannot have written, because it was damaged
    or changed; the rest of the database is usable.
    """

    title = "Part of the database was damaged or changed"


@dataclass(frozen=True, slots=True)
class ReadableRows(Generic[T]):
    """Converts the rows of one database table to Python values, and finds the damaged ones."""

    convert: Callable[[NamedValues], T]
    damaged: Callable[[str], DamagedRow]
    """Makes the error that tells the user of a damaged row, from the row's id."""
    id: str = "id"
    """The column that names a row to the user."""

    def one(self, row: NamedValues) -> T:
        """Convert a row. Raises DamagedRow if it is damaged."""
        try:
            value = self.convert(row)
            check_types(value)
        except DAMAGE as error:
            raise self.damaged(str(row[self.id])) from error
        return value

    def all(self, rows: Iterable[NamedValues]) -> list[T]:
        """Convert those rows that can be read, and log the others."""
        found = []
        for row in rows:
            try:
                found.append(self.one(row))
            except DamagedRow as error:
                log.info("%s %s", error.detail, error.__cause__)
        return found

    def damage_error(
        self, rows: Iterable[NamedValues], *, lost: Iterable[str] = ()
    ) -> StoreError | None:
        """Return an error that tells the user which of these rows are damaged, `lost` rows (given
        by id) included; None if all can be read.
        """
        errors = [self.damaged(id_) for id_ in sorted(lost)]
        for row in rows:
            try:
                self.one(row)
            except DamagedRow as error:
                errors.append(error)
        if len(errors) < 2:
            return errors[0] if errors else None
        return StoreError(
            f"{len(errors)} records are damaged, such as this one. {errors[0].detail}",
            hint=errors[0].hint,
        )
