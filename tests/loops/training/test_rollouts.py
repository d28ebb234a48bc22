"""Tests of rollouts in a night: what is sampled, how it is scored, and what is left out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lull.core.chat.client import Client
from lull.core.chat.messages import Completion, Finish
from lull.core.models.engine import GenerateRequest
from lull.core.training.rollout import GroupState, held_out
from lull.loops.training.next_step import (
    Task,
)
from lull.loops.training.work.engine_work import GROUP_S
from lull.pocket import language as pocket
from tests.building import assistant
from tests.doubles.fake_engine import FakeEngine
from tests.loops.classroom import BAD, GOOD, ScriptedJudge
from tests.loops.night_house import (
    POCKET,
    RULE,
    NightHouse,
    says_menus,
)
from tests.loops.training.nights import BASE, groups

pytestmark = pytest.mark.slow


async def test_a_request_whose_wish_is_known_is_sampled_and_scored_by_it(
    house: NightHouse,
) -> None:
    turns = await house.menus(6)
    next_step = await house.job.search_now()
    assert next_step.task is Task.SAMPLE
    assert {one.turn for one in house.rollouts.collect_requests(POCKET).prompts} == set(turns)
    await house.does()
    found = house.training.groups(BASE, states=tuple(GroupState))
    assert found
    for group in found:
        assert len(group.samples) == 4 and len(group.prompt_ids) > 0
        assert group.scored_by == "verifier: check"
        assert {one.reward for one in group.samples} <= {0.0, 1.0}
        assert all(len(one.ids) == len(one.logprobs) for one in group.samples)
    free = [r for r in house.engine.requests if r.logprobs == 0 and r.sampling.temperature]
    assert {r.sampling.temperature for r in free} == {1.0}
    assert {r.sampling.top_p for r in free} == {1.0}
    assert len({r.sampling.seed for r in free}) == len(free)


async def test_what_sampling_needs_is_what_it_took_here(house: NightHouse) -> None:
    await house.menus(6)
    await house.job.search_now()
    (work,) = house.job.works()
    assert work.needs_s == GROUP_S

    def slowly(_: GenerateRequest) -> str:
        house.clock.advance(10.0)
        return "soup and bread"

    house.engine.says(slowly)
    began_s = house.clock.monotonic_s()
    await work.run_slice(began_s + 1.0)
    took_s = house.clock.monotonic_s() - began_s
    sampled = len(house.training.groups(BASE, states=tuple(GroupState)))
    assert sampled and took_s / sampled > 4 * GROUP_S
    assert work.needs_s == pytest.approx(took_s / sampled)
    assert work.left_s >= work.needs_s
    again = await house.job.search_now()
    (work,) = house.job.works()
    assert again.task is Task.SAMPLE and work.needs_s > 4 * GROUP_S


async def test_where_the_user_said_nothing_of_the_kind_nothing_is_sampled(
    house: NightHouse,
) -> None:
    await house.menus(4, corrected=0)
    next_step = await house.job.search_now()
    assert next_step.task is Task.NOTHING
    assert house.rollouts.collect_requests(POCKET).unscored == 4


async def test_what_taught_a_skill_is_neither_sampled_nor_a_wish(house: NightHouse) -> None:
    turns = await house.menus(6)
    await house.evolve.step()
    (proposal,) = house.open_proposals()
    assert turns[0] in proposal.failures
    next_step = await house.job.search_now()
    assert house.rollouts.collect_requests(POCKET).wishes == ()
    assert next_step.task is Task.NOTHING
    # Said once more of another request, it is a wish of its own: nothing new to propose.
    await house.plays(
        "make a menu of copper desert plane", "copper and desert and plane", f"no, {RULE}",
        pocket.NOTED, model=POCKET,
    )  # fmt: skip
    await house.score.read_new()
    assert await house.evolve.step() == []
    await house.job.search_now()
    book = house.rollouts.collect_requests(POCKET)
    assert [wish.words for wish in book.wishes] == [f"no, {RULE}"]
    sampled = {prompt.turn for prompt in book.prompts}
    assert sampled and turns[0] not in sampled


async def test_what_the_user_turned_down_as_a_skill_is_not_trained_in(house: NightHouse) -> None:
    await house.menus(6)
    await house.evolve.step()
    (proposal,) = house.open_proposals()
    await house.review.reject(proposal.id, reason="only that once")
    next_step = await house.job.search_now()
    assert house.rollouts.collect_requests(POCKET).wishes == () and next_step.task is Task.NOTHING


async def test_a_client_kept_apart_teaches_nobody_else(house: NightHouse) -> None:
    anna = Client(name="anna", apart=True)
    await house.plays(
        "write a menu for apple river", "apple and river", f"no, {RULE}", pocket.NOTED,
        model=POCKET, client=anna,
    )  # fmt: skip
    await house.score.read_new()
    next_step = await house.job.search_now()
    assert house.rollouts.collect_requests(POCKET).prompts == () and next_step.task is Task.NOTHING


async def test_groups_that_are_all_alike_are_counted_and_make_no_run(tmp_path: Path) -> None:
    house = NightHouse(tmp_path, engine=FakeEngine(says_menus(lambda _: False)))
    try:
        await house.menus(5)
        next_step = await house.does(20)
        assert next_step.task is Task.NOTHING
        assert groups(house, GroupState.FLAT) == groups(house) > 0
        assert house.training.runs() == []
        before = len(house.engine.requests)
        await house.does(3)
        assert len(house.engine.requests) == before  # and are not sampled again and again
    finally:
        await asyncio.to_thread(house.database.close)


async def test_a_judge_scores_where_no_verifier_can_and_the_grey_zone_is_masked(
    tmp_path: Path,
) -> None:
    judge = ScriptedJudge(lambda q: (GOOD if "|" in q.answer.text else BAD,) * 3)
    house = NightHouse(tmp_path, judge=judge)
    try:
        (turn,) = await house.plays("tell a joke about salt", "haha", model="gemma")
        served = house.served(turn)

        def said(text: str, finish: Finish = Finish.STOP) -> Completion:
            return Completion(message=assistant(text), finish=finish)

        assert house.rewarding.can_score(served, (), ())
        good = await house.rewarding.score_answer(served, (), (), said("a | b"))
        bad = await house.rewarding.score_answer(served, (), (), said("a b"))
        assert good is not None and bad is not None and good.reward > 0.65 and bad.reward < 0.35
        assert good.by == "judge: judge-1"
        assert (
            await house.rewarding.score_answer(served, (), (), said("a | b", Finish.LENGTH)) is None
        )
        judge.says = lambda q: ()
        assert await house.rewarding.score_answer(served, (), (), said("a | b")) is None
    finally:
        await asyncio.to_thread(house.database.close)


@pytest.mark.slow
async def test_requests_kept_for_the_gate_are_never_trained_on(house: NightHouse) -> None:
    turns = await house.menus(30)
    await house.does(12)
    kept = {turn for turn in turns if held_out(house.served(turn).asked)}
    assert kept
    sampled = {group.turn for group in house.training.groups(BASE, states=tuple(GroupState))}
    used = {run_turn for run in house.training.runs() for run_turn in run.skills}
    assert not kept & (sampled | used)
