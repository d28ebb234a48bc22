"""Remembers which sealed rows were changed by other programs and put right, until the user is told.

Any change of a sealed table puts right what it finds, also one by the command line. It is noted in
the same transaction, so that the next look at the records tells it, whoever found it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from lull.store.rows.facts import fact, set_fact

_PUT_RIGHT: Final = "put-right:"
"""Beginning of the name of a fact: the table's name follows."""
_MOST: Final = 20
"""Most groups of rows that are noted for one table; the user is told a few of them."""


def note_put_right(connection: sqlite3.Connection, table: str, groups: Iterable[str]) -> None:
    """Note that these groups of a sealed table's rows were changed outside of Lull and put right.
    Call it in the transaction that does so.
    """
    all_ = dict.fromkeys([*noted_put_right(connection, table), *groups])
    if all_:
        text = "\n".join(list(all_)[:_MOST])
        set_fact(connection, f"{_PUT_RIGHT}{table}", text.encode(errors="replace"))


def noted_put_right(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the groups of a sealed table's rows that were put right and not told since."""
    noted = fact(connection, f"{_PUT_RIGHT}{table}")
    return noted.decode(errors="replace").split("\n") if noted else []


def forget_put_right(connection: sqlite3.Connection, table: str) -> None:
    """Remove the note about a sealed table's rows that were put right, because it is told now."""
    connection.execute("DELETE FROM facts WHERE name = ?", (f"{_PUT_RIGHT}{table}",))
