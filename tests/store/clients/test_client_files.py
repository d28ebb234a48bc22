"""Tests of reading and replacing other programs' files: never one that changed in between."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lull.core.errors import ClientFileError, Conflict
from lull.store.clients.client_files import (
    SIZE_LIMIT,
    missing_folders,
    read_client_file,
    remove_client_file,
    replace_client_file,
)


def test_a_file_that_changed_since_it_was_read_is_neither_replaced_nor_removed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    was = read_client_file(path)
    path.write_text("mine")
    for change in (lambda: replace_client_file(was, b"x"), lambda: remove_client_file(was, ())):
        with pytest.raises(Conflict):
            change()
        assert path.read_text() == "mine"
        assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_folders_that_were_made_for_a_file_go_with_it_unless_something_else_lies_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a" / "b" / "settings.json"
    made = missing_folders(path)
    assert made == (str(path.parent), str(path.parent.parent))
    replace_client_file(read_client_file(path), b"{}")
    (path.parent.parent / "other").touch()
    remove_client_file(read_client_file(path), made)
    assert not path.parent.exists()
    assert [one.name for one in path.parent.parent.iterdir()] == ["other"]


def test_what_cannot_be_a_settings_file_is_refused_and_left(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b" " * (SIZE_LIMIT + 1))
    with pytest.raises(ClientFileError, match="at most"):
        read_client_file(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ClientFileError, match="not a plain file"):
        read_client_file(path)
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ClientFileError, match="does not exist"):
        read_client_file(path)
    path.unlink()
    path.write_bytes(b"a = 1\n\xff")
    with pytest.raises(ClientFileError, match="line 2: not UTF-8"):
        _ = read_client_file(path).text


def test_a_link_stays_a_link_and_a_file_with_two_names_is_refused(tmp_path: Path) -> None:
    target, link = tmp_path / "dotfiles", tmp_path / "settings.json"
    target.write_text("{}")
    link.symlink_to(target)
    replace_client_file(read_client_file(link), b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    (tmp_path / "second").hardlink_to(target)
    with pytest.raises(ClientFileError, match="hard link"):
        replace_client_file(read_client_file(target), b"newer")
    assert target.read_bytes() == b"new"
