"""Tests of rollouts: which request is sampled next, which groups make a run, what supersedes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lull.core.training.record import CurrentState, Run, RunProgress, RunStatus, why_superseded
from lull.core.training.rollout import (
    GroupState,
    RolloutAnswer,
    RolloutGroup,
    SampledPolicy,
    chosen_groups,
    held_out,
    mean_reward,
    next_prompt,
    state_of,
)
from lull.core.training.spec import RunKind
from tests.doubles.fakes import FakeClock

FLAT, TELLING, SILENT = GroupState.FLAT, GroupState.TELLING, GroupState.SILENT


def drawn(*rewards: float | None) -> tuple[RolloutAnswer, ...]:
    return tuple(
        RolloutAnswer(ids=(1, 2), logprobs=(-0.5, -0.1), reward=reward) for reward in rewards
    )


def group(name: str, turn: str, number: int, *rewards: float | None) -> RolloutGroup:
    return RolloutGroup(
        id=name,
        turn=turn,
        trajectory="conv",
        at=FakeClock().now(),
        policy=SampledPolicy(base="b", adapter=""),
        skills=(),
        number=number,
        prompt_ids=(1,),
        samples=drawn(*rewards),
        scored_by="verifier: check",
    )


@pytest.mark.parametrize(
    ("rewards", "state"),
    [
        ((1.0, 0.0, 0.0, 0.0), TELLING),
        ((1.0, 1.0, 1.0, 1.0), FLAT),
        ((0.0, None, 0.0, None), FLAT),
        ((1.0, None, None, None), SILENT),
        ((None, None), SILENT),
        ((), SILENT),
    ],
)
def test_a_group_tells_where_some_answers_were_better(
    rewards: tuple[float | None, ...], state: GroupState
) -> None:
    assert state_of(drawn(*rewards)) is state


def test_tokens_and_their_chances_go_together() -> None:
    with pytest.raises(ValueError, match="2 ids and 1"):
        RolloutAnswer(ids=(1, 2), logprobs=(-0.5,), reward=1.0)


def test_the_request_with_the_fewest_groups_is_next_and_none_beyond_its_share() -> None:
    done = {"a": [FLAT, FLAT], "b": [FLAT]}
    assert next_prompt(["a", "b", "c"], done, most=3) == "c"
    assert next_prompt(["a", "b"], done, most=3) == "b"
    assert next_prompt(["a", "b"], {"a": [FLAT] * 3, "b": [TELLING] * 3}, most=3) is None
    assert next_prompt(["a"], {"a": [SILENT]}, most=3) is None
    assert next_prompt([], {}, most=3) is None


def test_a_run_takes_one_group_of_each_request_in_turn() -> None:
    groups = [
        group("g1", "a", 0, 1, 0),
        group("g2", "a", 1, 1, 0),
        group("g3", "a", 2, 1, 0),
        group("g4", "b", 0, 1, 0),
        group("g5", "b", 1, 1, 1),
    ]
    assert [one.id for one in chosen_groups(groups, most=3)] == ["g1", "g4", "g2"]
    assert [one.id for one in chosen_groups(groups, most=9)] == ["g1", "g4", "g2", "g3"]


def test_the_mean_reward_counts_each_group_alike() -> None:
    assert mean_reward([group("a", "a", 0, 1, 1, 1, 0), group("b", "b", 0, 0, None)]) == 0.375
    assert mean_reward([group("a", "a", 0, None)]) is None


def test_one_request_in_five_is_held_out_whatever_its_case_and_spaces() -> None:
    asked = [f"write a menu for number {number}" for number in range(1000)]
    kept = [one for one in asked if held_out(one)]
    assert 130 < len(kept) < 270
    assert all(held_out(f"  {one.upper()} ") for one in kept)


def run() -> Run:
    return Run(
        id="run_1",
        kind=RunKind.GRPO,
        status=RunStatus.WAITING,
        why="",
        made_at=FakeClock().now(),
        changed_at=FakeClock().now(),
        model="pocket",
        base="b",
        root=None,
        parent=None,
        skills={"t1": (), "t2": ("s1",)},
        progress=RunProgress(),
    )


STAND = CurrentState(
    model="pocket", base="b", root=None, skills={"t1": (), "t2": ("s1",)}, live={"s1"}
)


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (STAND, ""),
        (replace(STAND, base="other"), "weights"),
        (replace(STAND, model="llama", base="other"), "llama is learning now, not pocket."),
        (replace(STAND, root="adapter"), "Another adapter"),
        (replace(STAND, skills={"t1": ()}), "in it: no longer allowed"),
        (replace(STAND, skills={}), "2 answers in it: no longer allowed"),
        (replace(STAND, skills={"t1": ("s2",), "t2": ("s1",)}), "different skills"),
    ],
)
def test_a_run_stands_while_nothing_that_it_was_made_of_has_changed(
    now: CurrentState, why: str
) -> None:
    said = why_superseded(run(), now)
    assert (why in said) if why else said == ""


def test_a_run_that_trains_a_skill_in_ends_with_the_skill() -> None:
    graduating = replace(run(), graduates="s1")
    assert why_superseded(graduating, STAND) == ""
    assert "no longer active" in why_superseded(graduating, replace(STAND, live=()))
