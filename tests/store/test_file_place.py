"""Tests of noticing that an open file was removed or replaced."""

from __future__ import annotations

from pathlib import Path

from lull.store.file_place import FilePlace


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
