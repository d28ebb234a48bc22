"""Tests of which examples a training step sees: only batch, seed and number of processes decide."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.training.examples import Example
from lull.core.training.spec import RunKind, RunSpec
from lull.trainer.plan import Share, TrainingPlan
from tests.trainer.making import examples, group, replays, spec

ASKED = spec(RunKind.KTO, Path("model"), steps=None, replay_share=0.25)


def plan(asked: RunSpec = ASKED, own: int = 10, past: int = 7, processes: int = 1) -> TrainingPlan:
    return TrainingPlan(asked, [*examples(asked.kind, own), *replays(past)], processes)


def shares(made: TrainingPlan, process: int = 0) -> list[Share]:
    return [made.share(step, process) for step in range(made.steps)]


def own_ids(share: Share) -> list[str]:
    return [example.id for _, example in share.own]


def test_an_epoch_sees_every_example_once_and_the_next_in_another_order() -> None:
    made = plan(replace(ASKED, epochs=2))
    assert made.steps == 6
    seen = [name for share in shares(made) for name in own_ids(share)]
    assert sorted(seen[:10]) == sorted(seen[10:]) == sorted(e.id for e in made.own)
    assert seen[:10] != seen[10:]


def test_steps_that_are_asked_for_go_round_as_often_as_needed() -> None:
    made = plan(replace(ASKED, steps=7))
    assert [len(share.own) for share in shares(made)] == [4, 4, 2, 4, 4, 2, 4]


def test_a_quarter_of_a_step_is_replay_and_all_replays_take_turns() -> None:
    made = plan(replace(ASKED, epochs=20, examples_a_step=6), own=12)
    seen = Counter(replay.id for share in shares(made) for replay in share.replays)
    assert [len(share.replays) for share in shares(made)] == [2] * made.steps
    assert len(seen) == 7
    assert max(seen.values()) - min(seen.values()) <= 1


@pytest.mark.parametrize("past", [0, 7])
def test_without_a_share_or_without_replays_there_are_none(past: int) -> None:
    made = plan(replace(ASKED, replay_share=0.0 if past else 0.25), past=past)
    assert all(share.replays == () for share in shares(made))


def test_another_seed_is_another_order() -> None:
    assert own_ids(plan().share(0)) == own_ids(plan().share(0))
    assert own_ids(plan().share(0)) != own_ids(plan(replace(ASKED, seed=99)).share(0))


def test_two_processes_see_together_what_one_sees_with_twice_the_examples() -> None:
    one = plan(replace(ASKED, examples_a_step=6, epochs=3), own=16)
    two = plan(replace(ASKED, examples_a_step=3, epochs=3), own=16, processes=2)
    assert one.steps == two.steps
    for step in range(one.steps):
        whole, parts = one.share(step), [two.share(step, process) for process in (0, 1)]
        by_number = {n: e for part in parts for n, e in part.own}
        assert by_number == dict(whole.own)
        assert Counter(r.id for part in parts for r in part.replays) == Counter(
            replay.id for replay in whole.replays
        )
        partners = {
            number: partner.id
            for part in parts
            for (number, _), partner in zip(part.own, part.partners, strict=True)
        }
        assert partners == {
            number: partner.id
            for (number, _), partner in zip(whole.own, whole.partners, strict=True)
        }


def test_a_partner_is_another_example_and_each_is_somebodys() -> None:
    made = plan(replace(ASKED, examples_a_step=10))
    share = made.share(0)
    assert all(
        mine.id != other.id for (_, mine), other in zip(share.own, share.partners, strict=True)
    )
    assert sorted(partner.id for partner in share.partners) == sorted(own_ids(share))


def test_groups_without_any_variance_are_left_out_and_counted() -> None:
    rng = random.Random(0)
    flat: list[Example] = [group(rng, f"flat-{n}", [1.0] * 4) for n in range(3)]
    batch = [*flat, group(rng, "uneven", [1.0, 0.0])]
    made = TrainingPlan(spec(RunKind.GRPO, Path("model"), steps=None), batch, 1)
    assert (made.skipped_groups, made.steps) == (3, 1)
    assert own_ids(made.share(0)) == ["uneven"]


@pytest.mark.parametrize("steps", [None, 5])
def test_a_batch_of_nothing_but_those_has_no_steps(steps: int | None) -> None:
    rng = random.Random(0)
    flat: list[Example] = [group(rng, f"flat-{n}", [1.0] * 4) for n in range(3)]
    asked = spec(RunKind.GRPO, Path("model"), steps=steps)
    assert TrainingPlan(asked, [*flat, *replays(4)], 1).steps == 0
