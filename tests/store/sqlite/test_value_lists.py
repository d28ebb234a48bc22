"""Tests that lists of values make few different statements, and mean what they hold."""

from __future__ import annotations

import sqlite3

import pytest

from lull.store.sqlite.value_lists import value_list


def test_lists_of_all_lengths_make_few_statements() -> None:
    statements = {value_list([str(n) for n in range(length)])[0] for length in range(1000)}
    assert len(statements) == 12


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 100, 16_384, 16_385, 32_766])
def test_a_list_selects_what_it_holds_once(length: int) -> None:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE turns (id TEXT PRIMARY KEY)")
        ids = [(str(n),) for n in range(40_000)]
        database.executemany("INSERT INTO turns VALUES (?)", ids)
        marks, values = value_list([str(n) for n in range(length)])
        found = database.execute(f"SELECT id FROM turns WHERE id IN ({marks})", values).fetchall()
    database.close()
    assert sorted(found) == sorted(ids[:length])
