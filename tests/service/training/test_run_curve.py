"""Tests of reading a run's steps from its folder: each once, also after a trainer was killed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.training.events import StepDone, event_line, steps_in
from lull.core.training.run_format import EVENTS
from lull.service.training.views import MOST_STEPS, curve_view
from lull.store.training.run_folders import RunFolders

STEP = StepDone(
    step=1, of=9, loss=0.5, kl=0.01, clip_share=0.0, reward=0.1, replay_loss=0.0, grad_norm=1.0,
    tokens=100, tokens_s=50.0, peak_mb=10.0, left_s=60.0,
)  # fmt: skip


def test_a_step_done_again_counts_once_and_broken_lines_not_at_all() -> None:
    steps = [replace(STEP, step=n, loss=n / 10) for n in (1, 2, 3)]
    again = replace(STEP, step=2, loss=7.0)
    lines = [event_line(one) for one in [*steps, again]]
    broken = ['{"event": "step", "step": 4}', lines[0][:20], "a library says something", ""]
    assert steps_in([*lines, *broken]) == [steps[0], again, steps[2]]


def test_the_folder_of_a_run_tells_its_steps(tmp_path: Path) -> None:
    folders = RunFolders(tmp_path)
    assert folders.steps("run_1") == []
    folders.folder("run_1").mkdir()
    (folders.folder("run_1") / EVENTS).write_bytes(f"{event_line(STEP)}\n\xff".encode("latin-1"))
    assert folders.steps("run_1") == [STEP]


def test_many_steps_are_told_as_some_and_a_loss_that_is_none_as_null() -> None:
    many = [replace(STEP, step=n, loss=float(n)) for n in range(5 * MOST_STEPS)]
    told = curve_view(many)
    assert len(told) == MOST_STEPS
    assert (told[0]["step"], told[-1]["step"]) == (0, 5 * MOST_STEPS - 1)
    assert curve_view([replace(STEP, loss=float("nan"))]) == [{"step": 1, "loss": None}]
    assert curve_view([]) == []


@pytest.mark.parametrize("loss", [0.25, -1.5])
def test_a_loss_is_told_as_it_is(loss: float) -> None:
    assert curve_view([replace(STEP, loss=loss)]) == [{"step": 1, "loss": loss}]
