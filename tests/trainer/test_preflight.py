"""Tests of whether a training step fits into memory: small steps are measured first.

A refusal says what would fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lull.core.training.examples import Example, GraduationExample, ReplayExample
from lull.core.training.spec import Lora, RunKind
from lull.trainer.gradients import ChunkedEvaluator
from lull.trainer.plan import TrainingPlan
from lull.trainer.policy import load
from lull.trainer.preflight import (
    MicroBatchSize,
    PreflightResult,
    check,
    decide,
    heaviest,
    working_set_bytes,
)
from tests.trainer.making import examples, spec

FIXED, A_TOKEN = 1000, 10


@dataclass
class Machine:
    """A fake machine whose memory in use grows with the tokens that go through at once."""

    tried: list[int] = field(default_factory=list)

    def peak_of(self, load: MicroBatchSize) -> int:
        self.tried.append(load.all_tokens)
        return FIXED + A_TOKEN * load.all_tokens


def decided(
    machine: Machine, load: MicroBatchSize, limit: int, *, rank_bytes: int = 160
) -> PreflightResult:
    return decide(machine.peak_of, load, limit_bytes=limit, rank=16, rank_bytes=rank_bytes)


def test_what_fits_is_measured_whole() -> None:
    machine = Machine()
    made = decided(machine, MicroBatchSize(rows=8, tokens=50), 5000)
    assert (made.refused, made.peak_bytes) == (None, 5000)
    assert machine.tried == [100, 200, 400]


def test_what_would_not_fit_is_never_tried_whole() -> None:
    machine = Machine()
    made = decided(machine, MicroBatchSize(rows=8, tokens=50), 4999)
    assert machine.tried == [100, 200]
    assert made.refused is not None
    assert made.peak_bytes == 5000


@pytest.mark.parametrize("limit", [1001, 1500, 2000, 3000, 4990])
def test_the_tokens_that_are_said_to_fit_do_fit(limit: int) -> None:
    refused = decided(Machine(), MicroBatchSize(rows=8, tokens=50), limit).refused
    assert refused is not None
    fits = refused.fits_micro_tokens
    assert FIXED + A_TOKEN * fits <= limit < FIXED + A_TOKEN * (fits + 2)


def test_fewer_at_once_is_said_where_single_rows_fit_and_shorter_ones_where_not() -> None:
    few = decided(Machine(), MicroBatchSize(rows=8, tokens=50), 3000).refused
    short = decided(Machine(), MicroBatchSize(rows=8, tokens=50), 1300).refused
    assert few is not None
    assert short is not None
    assert "200 tokens at once" in few.would_fit
    assert "at most 30 tokens, here up to 50" in short.would_fit


def test_a_smaller_rank_is_said_where_it_is_enough() -> None:
    refused = decided(Machine(), MicroBatchSize(rows=8, tokens=50), 4500, rank_bytes=1600).refused
    assert refused is not None
    assert "rank of at most 11" in refused.would_fit


def test_where_nothing_helps_a_smaller_model_is_said() -> None:
    refused = decided(Machine(), MicroBatchSize(rows=8, tokens=50), 500).refused
    assert refused is not None
    assert refused.fits_micro_tokens == 0
    assert refused.would_fit == "a smaller model, or one with 4-bit weights"


def test_the_heaviest_is_as_many_of_the_longest_row_as_go_through_at_once() -> None:
    asked = spec(RunKind.GRADUATION, Path("model"), examples_a_step=8, micro_tokens=64)
    batch: list[Example] = [
        GraduationExample(id="a", prompt_ids=(1, 2), teacher_ids=(1, 2, 3, 4, 5, 6)),
        ReplayExample(id="b", prompt_ids=(1,), ids=(2, 3)),
    ]
    # 6 tokens with the skill and up to 6 drawn, the last of which predicts nothing
    assert heaviest(TrainingPlan(asked, batch, 1), asked) == MicroBatchSize(rows=5, tokens=11)
    long = ReplayExample(id="c", prompt_ids=(1,), ids=tuple(range(200)))
    assert heaviest(TrainingPlan(asked, [*batch, long], 1), asked) == MicroBatchSize(
        rows=1, tokens=200
    )


@pytest.mark.parametrize("kind", [RunKind.GRPO, RunKind.GRADUATION])
def test_measuring_leaves_the_policy_as_it_was(model: Path, kind: RunKind) -> None:
    policy = load(model, parent=None, lora=Lora(rank=4), seed=1, checkpoint_layers=None)
    asked = spec(kind, model)
    before = {name: array.tolist() for name, array in policy.weights().items()}
    load_ = heaviest(TrainingPlan(asked, examples(kind, 6), 1), asked)
    made = check(ChunkedEvaluator(policy=policy, chunk=8), asked, load_, limit_bytes=1 << 40)
    assert made.refused is None
    assert made.peak_bytes > policy.trained_parameters * 4
    assert {name: array.tolist() for name, array in policy.weights().items()} == before


def test_a_container_may_have_less_than_the_machine(tmp_path: Path) -> None:
    file = tmp_path / "memory.max"
    whole = working_set_bytes(tmp_path / "nowhere")
    file.write_text("1000000\n")
    assert working_set_bytes(file) == 1_000_000
    file.write_text("max\n")
    assert working_set_bytes(file) == whole > 1_000_000
