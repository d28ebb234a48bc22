"""Writes lists of values into SQL statements, in few different lengths.

Each connection keeps the statements that it has prepared. One for each length that a list happens
to have would take megabytes a connection, and grow for days.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

_MOST_PADDED: Final = 16_384
"""Length of the longest list that is filled up; SQLite allows 32,766 values in a statement."""


def value_list(values: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the placeholders for `column IN (…)` and the values for them: the list, filled up with
    its last value to the next power of two.
    """
    padded = tuple(values)
    if 0 < len(padded) <= _MOST_PADDED:
        padded += (padded[-1],) * ((1 << (len(padded) - 1).bit_length()) - len(padded))
    return ",".join("?" * len(padded)), padded
