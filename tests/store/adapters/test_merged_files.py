"""The files of models with an adapter merged in are short-lived and leave nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.core.errors import WeightsError
from lull.store.adapters.merged_files import MergedFiles


def test_a_versions_name_becomes_one_file_name_in_the_folder(tmp_path: Path) -> None:
    path = MergedFiles(tmp_path / "publishing").path_for("me/qwen:4b-lull1")
    assert path == str(tmp_path / "publishing" / "me-qwen-4b-lull1.gguf")
    assert (tmp_path / "publishing").is_dir()


def test_the_file_is_removed_with_what_an_interrupted_merge_left(tmp_path: Path) -> None:
    files = MergedFiles(tmp_path)
    path = Path(files.path_for("qwen"))
    unfinished = Path(f"{path}.tmp")
    path.touch()
    unfinished.touch()
    files.remove(str(path))
    assert not path.exists() and not unfinished.exists()
    files.remove(str(path))


def test_a_file_that_cannot_be_removed_is_told(tmp_path: Path) -> None:
    files = MergedFiles(tmp_path)
    path = Path(files.path_for("qwen"))
    path.mkdir()
    with pytest.raises(WeightsError, match="cannot be removed"):
        files.remove(str(path))


def test_what_a_killed_merge_left_goes_at_the_next_start(tmp_path: Path) -> None:
    """Its weights hold what an adapter learned from a conversation, which may be forgotten now."""
    path = Path(MergedFiles(tmp_path).path_for("me/qwen:4b-lull1"))
    unfinished = Path(f"{path}.tmp")
    path.write_bytes(b"learned")
    unfinished.write_bytes(b"lear")
    MergedFiles(tmp_path)
    assert list(tmp_path.iterdir()) == []
