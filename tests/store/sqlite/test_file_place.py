"""Tests of noticing that an open file was removed or replaced, and of opening no other instead."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from lull.core.errors import StoreError
from lull.store.forgetting.forgetting import ForgettingRows
from lull.store.sqlite.database import Database
from lull.store.sqlite.file_place import FilePlace


def test_a_file_that_is_removed_replaced_and_put_back(tmp_path: Path) -> None:
    file, other = tmp_path / "lull.db", tmp_path / "other.db"
    file.write_text("ours")
    other.write_text("theirs")
    place = FilePlace(file)
    file.write_text("ours, longer")
    assert place.error() is None
    kept = file.rename(tmp_path / "kept.db")
    gone = place.error()
    assert gone is not None and gone.detail.startswith(f"{file} was removed while Lull runs.")
    other.replace(file)
    replaced = place.error()
    assert replaced is not None and "replaced by another file" in replaced.detail
    kept.replace(file)
    assert place.error() is None


def test_where_no_file_was_nothing_is_said(tmp_path: Path) -> None:
    assert FilePlace(tmp_path / "lull.db").error() is None


def _removed(file: Path) -> None:
    file.rename(file.with_name("kept"))


def _replaced(file: Path) -> None:
    file.rename(file.with_name("kept"))
    with closing(sqlite3.connect(file.with_name("other.db"))) as other:
        other.execute("CREATE TABLE theirs (id)")
    file.with_name("other.db").rename(file)


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
@pytest.mark.parametrize("harm", [_removed, _replaced])
def test_no_connection_is_opened_to_what_is_there_instead(
    tmp_path: Path, end: str, harm: Callable[[Path], None]
) -> None:
    database = Database(tmp_path / "lull.db")
    database.submit(lambda c: c.execute("INSERT INTO facts VALUES ('a', 'b')")).result()
    file = tmp_path / f"lull.db{end}"
    harm(file)
    before = _bytes_in(tmp_path)
    rows = ForgettingRows(database)
    with pytest.raises(StoreError, match=f"{file} was re(moved|placed by another file) while"):
        rows.rewrite()
    with pytest.raises(StoreError, match="while Lull runs"):
        database.connect()
    with pytest.raises(StoreError, match="while Lull runs"), database.as_if_written(lambda _: None):
        raise AssertionError("opened")
    assert _bytes_in(tmp_path) == before
    (tmp_path / "kept").replace(file)
    rows.rewrite()
    assert (
        database.read(lambda c: c.execute("SELECT value FROM facts WHERE name = 'a'").fetchone()[0])
        == "b"
    )
    database.close()


@pytest.mark.parametrize("harm", [_removed, _replaced])
def test_threads_without_a_reader_read_what_was_opened(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    database = Database(tmp_path / "lull.db")
    database.submit(lambda c: c.execute("INSERT INTO facts VALUES ('a', 'b')")).result()

    def value() -> str:
        return str(database.read(lambda c: c.execute("SELECT value FROM facts").fetchone()[0]))

    assert value() == "b"
    harm(tmp_path / "lull.db")
    with ThreadPoolExecutor(8) as threads:
        assert {one.result() for one in [threads.submit(value) for _ in range(200)]} == {"b"}
    (tmp_path / "kept").replace(tmp_path / "lull.db")
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(value).result() == "b"
    database.close()


def _bytes_in(folder: Path) -> dict[str, bytes]:
    """Return what each file at the database's paths holds; "-shm" has locks."""
    files = (file for file in folder.glob("lull.db*") if not file.name.endswith("-shm"))
    return {file.name: file.read_bytes() for file in sorted(files)}
