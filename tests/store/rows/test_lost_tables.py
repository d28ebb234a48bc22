"""Tests of lost tables: the user is told until they are back or the reminder is dismissed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.store.rows.lost_tables import lost_tables, note_lost_tables, note_told
from tests.building import opened


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "lull.db"
    with opened(path):
        return path


@pytest.fixture
def connection(database: Path) -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(database)
    made.row_factory = sqlite3.Row
    yield made
    made.close()


def told(connection: sqlite3.Connection, path: Path) -> bool:
    said = bool(lost_tables(connection, path, anew=()))
    note_told(connection)
    return said


def test_a_loss_is_told_at_each_start_until_the_reminder_is_deleted(
    connection: sqlite3.Connection, database: Path
) -> None:
    assert not told(connection, database)
    note_lost_tables(connection, ["rewards"])
    assert told(connection, database) and told(connection, database)
    database.with_name("tables.lost").unlink()
    assert not told(connection, database)
    note_lost_tables(connection, ["proposals"])
    (error,) = lost_tables(connection, database, anew=())
    assert "proposals, rewards" in error.detail


def test_a_backup_that_has_them_ends_the_reminder(
    connection: sqlite3.Connection, database: Path
) -> None:
    note_lost_tables(connection, ["rewards"])
    assert told(connection, database)
    with opened(database.with_name("backup.db")):
        pass
    whole = sqlite3.connect(database.with_name("backup.db"))
    whole.row_factory = sqlite3.Row
    assert not told(whole, database)
    whole.close()
    assert not database.with_name("tables.lost").exists()


def test_what_only_serves_the_search_is_told_without_a_reminder(
    connection: sqlite3.Connection, database: Path
) -> None:
    (error,) = lost_tables(connection, database, anew=["search_words"])
    assert "Nothing is lost" in error.hint
    assert not database.with_name("tables.lost").exists()
