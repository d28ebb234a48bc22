"""Tests of the folders of training runs: whole or not there, and never removed by mistake."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.errors import StoreError
from lull.core.training.run_format import EVENTS, SPEC
from lull.core.training.spec import RunKind
from lull.store.training.run_folders import RunFolders
from tests.trainer.making import examples, spec


@pytest.fixture
def folders(tmp_path: Path) -> RunFolders:
    return RunFolders(tmp_path / "runs")


def test_a_run_is_written_whole_and_its_settings_may_change(folders: RunFolders) -> None:
    asked = spec(RunKind.KTO, Path("/model"))
    folder = folders.write(asked, examples(RunKind.KTO, 4))
    assert [one.name for one in folders.root.iterdir()] == [folder.name]
    assert folders.spec("run") == asked
    folders.change(replace(asked, steps=9))
    assert folders.spec("run").steps == 9
    assert not folders.is_gone("run") and folders.adapter_is_gone("run")
    folders.remove("run")
    assert folders.is_gone("run") and list(folders.root.iterdir()) == []


def test_where_no_folder_can_be_made_nothing_is_left_of_it(folders: RunFolders) -> None:
    folders.root.parent.mkdir(exist_ok=True)
    folders.root.write_text("in its place")
    with pytest.raises(StoreError):
        folders.write(spec(RunKind.KTO, Path("/model")), [])
    assert folders.root.read_text() == "in its place"


def test_a_run_on_a_disk_that_was_taken_out_is_not_gone(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    folders = RunFolders(tmp_path / "runs")
    folders.root.symlink_to(disk)
    assert not folders.is_gone("run")
    disk.mkdir()
    assert folders.is_gone("run")


def test_a_sweep_leaves_unknown_runs_where_rows_are_missing(folders: RunFolders) -> None:
    for name in ("known", "unknown", ".new-torn"):
        (folders.root / name).mkdir(parents=True)
    careful = RunFolders(folders.root, rows_missing=lambda: True)
    assert careful.sweep(["known"]) == [".new-torn"]
    assert folders.sweep(["known"]) == ["unknown"]
    assert [one.name for one in folders.root.iterdir()] == ["known"]


@pytest.mark.skipif(os.name != "posix", reason="no pipes in folders here")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", [os.mkfifo, lambda file: file.symlink_to("/dev/zero")])
def test_a_pipe_or_a_device_in_a_runs_folder_keeps_nobody_waiting(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    folders = RunFolders(tmp_path)
    folders.folder("run_1").mkdir()
    for name in (SPEC, EVENTS):
        make(folders.folder("run_1") / name)
    assert folders.steps("run_1") == []
    with pytest.raises(StoreError):
        folders.spec("run_1")
