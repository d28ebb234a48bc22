"""Tests of `lull train run DIR` as a person types it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.training.run_format import ADAPTER, SPEC, WEIGHTS, spec_text
from lull.core.training.spec import RunKind
from tests.running import Lull
from tests.trainer.making import adapter_bytes, examples, model_folder, run_folder, spec

pytestmark = pytest.mark.full


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder whose model is named by its path from the run."""
    model_folder(tmp_path / "model")
    asked = spec(RunKind.KTO, Path("../model"), steps=2)
    return run_folder(tmp_path / "run", asked, examples(RunKind.KTO, 6))


def test_a_run_folder_is_trained_and_then_checked(lull: Lull, folder: Path) -> None:
    first = lull.ask("train", "run", str(folder))["runs"][0]
    assert (first["status"], first["kind"], first["steps"]) == ("finished", "kto", 2)
    made = adapter_bytes(folder)
    again = lull.run("train", "run", str(folder))
    assert again.code == 0
    assert "the same, byte for byte" in again.out
    assert adapter_bytes(folder) == made
    assert sorted(p.name for p in folder.parent.iterdir() if "again" in p.name) == []


def test_an_adapter_that_was_changed_is_found_out(lull: Lull, folder: Path) -> None:
    lull.run("train", "run", str(folder))
    file = folder / ADAPTER / WEIGHTS
    file.write_bytes(file.read_bytes()[:-1] + b"\x7f")
    done = lull.run("train", "run", str(folder), "--json")
    assert done.code == 1
    assert done.json["runs"][0]["same"] is False
    assert "holds another adapter" in done.err


def test_what_does_not_fit_is_said_with_what_would(lull: Lull, folder: Path) -> None:
    asked = spec(RunKind.KTO, Path("../model"))
    (folder / SPEC).write_text(spec_text(replace(asked, memory_share=1e-6)))
    done = lull.run("train", "run", str(folder))
    assert done.code == 1
    assert "does not fit into memory" in done.err
    assert "What would fit" in done.err


def test_a_folder_that_is_no_run_is_one_line(lull: Lull, tmp_path: Path) -> None:
    done = lull.run("train", "run", str(tmp_path))
    assert done.code == 1
    assert "holds no spec.json" in done.err
