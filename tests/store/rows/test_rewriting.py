"""Tests of the rewriting of the database file while another program reads it."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from lull.store.forgetting.forgetting import ForgettingRows
from lull.store.rows.rewriting import log_emptied
from lull.store.sqlite.database import Database


def test_others_write_while_the_rewriting_waits_for_a_reader(tmp_path: Path) -> None:
    database = Database(tmp_path / "lull.db")
    try:
        with (
            closing(sqlite3.connect(database.path, isolation_level=None)) as reader,
            ThreadPoolExecutor(1) as aside,
        ):
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM turns").fetchone()
            waiting = aside.submit(ForgettingRows(database).rewrite, 60.0)
            for number in range(20):
                add = f"INSERT INTO facts (name, value) VALUES ('n{number}', x'00')"
                database.submit(lambda c, add=add: c.execute(add)).result()
            assert not waiting.done(), "it waits for the reader"
            reader.execute("COMMIT")
            waiting.result()
    finally:
        database.close()


def test_who_empties_the_log_waits_for_other_writers_as_before(tmp_path: Path) -> None:
    database = Database(tmp_path / "lull.db")
    try:
        with closing(database.connect()) as connection:
            before = connection.execute("PRAGMA busy_timeout").fetchone()[0]
            assert log_emptied(connection, 1.0)
            assert connection.execute("PRAGMA busy_timeout").fetchone()[0] == before
    finally:
        database.close()
