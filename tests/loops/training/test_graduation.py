"""Tests of graduating a skill into the weights: its run's examples, and what rejection changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lull.core.adapters.adapter import AdapterStatus, AdapterVersion, LearnedSkill
from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.models.engine import GenerateRequest
from lull.core.training.examples import GraduationExample
from lull.core.training.lesson import MOST_TRIES, GraduationCourse
from lull.core.training.record import RunStatus
from lull.loops.training.make_run import LEAST_ROWS, RunRule
from lull.loops.training.next_step import MakingStep, NothingToDo, SkillToTrainIn, TrainRule
from lull.loops.training.teacher import ANSWERS_AT_ONCE
from lull.store.adapters.adapters import Adapters
from tests.doubles.fakes import FakeClock
from tests.loops.night_house import NightHouse, trains_in_a_skill

pytestmark = pytest.mark.slow

LITTLE = GateCheck(
    name="kept", holds=False, text="it keeps 2% of what the skill in the prompt gains"
)
TALK = GateCheck(name="canaries:small talk", holds=False, text="small talk: 9 lost")


def rejects(*checks: GateCheck) -> Verdict:
    return Verdict(accepted=False, at=FakeClock().now(), against=None, checks=checks)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[NightHouse]:
    rule = TrainRule(graduation_prompts=2, groups=False, single_answers=False)
    made = NightHouse(tmp_path, training_rule=rule)
    await made.proved_skill(wins=8)
    await made.menus(6, corrected=0)
    try:
        yield made
    finally:
        await made.job.close()
        await asyncio.to_thread(made.database.close)


async def judged(house: NightHouse, count: int) -> None:
    """Run the slow loop until this many runs have their verdict."""
    for _ in range(12 * count):
        if len(house.training.runs({RunStatus.REJECTED, RunStatus.PROMOTED})) >= count:
            return
        await house.does()
    raise AssertionError([run.why for run in house.training.runs()])


async def test_a_skill_that_the_adapter_in_force_has_learned_is_not_trained_in_again(
    house: NightHouse,
) -> None:
    wanted = await house.job.search_now()
    assert isinstance(wanted, MakingStep) and isinstance(wanted.source, SkillToTrainIn)
    skill = wanted.source.skill
    adapters = Adapters(house.database)
    learned = LearnedSkill(skill=skill.key, sha256=skill.sha256)
    trained = AdapterVersion(
        id="ad1",
        parent=None,
        base_model=house.model,
        base_digest=house.digest,
        sha256="a" * 64,
        run="run_1",
        status=AdapterStatus.CANDIDATE,
        made=house.clock.now(),
    )
    await adapters.add(trained, [learned])
    assert isinstance(await house.job.search_now(), MakingStep)  # a candidate answers nobody yet
    await adapters.promote("ad1", at=house.clock.now(), why="better")
    assert isinstance(await house.job.search_now(), NothingToDo)


async def test_each_example_holds_what_the_teacher_said_with_the_skill(house: NightHouse) -> None:
    house.gate.verdicts = [Verdict(accepted=True, at=FakeClock().now(), against=None)]
    await judged(house, 1)
    (batch,) = house.trainer.batches
    learned = [one for one in batch if isinstance(one, GraduationExample)]
    assert all(one.sample_ids for one in learned)
    taught = [one for one in learned if one.teacher_ids != one.prompt_ids]
    assert len(taught) == LEAST_ROWS
    assert len(learned) - len(taught) == GraduationCourse().anchors * LEAST_ROWS


@pytest.mark.full
async def test_a_rejection_says_what_was_lost_and_the_next_run_is_trained_otherwise(
    house: NightHouse,
) -> None:
    house.gate.verdicts = [rejects(LITTLE), rejects(TALK), rejects(LITTLE)]
    await judged(house, MOST_TRIES)
    third, second, first = house.training.runs({RunStatus.REJECTED})
    few = GraduationCourse().anchors
    assert "keeps 2%" in first.why and "1.5 times as long" in first.why
    assert first.next_course == second.course == GraduationCourse(number=2, passes=1.5)
    assert "small talk" in second.why and "2 times as many other requests" in second.why
    assert second.next_course == third.course
    assert third.course == GraduationCourse(number=3, passes=1.5, anchors=2 * few)
    usual = RunRule().graduation_epochs
    assert [spec.epochs for spec in house.trainer.specs] == [usual, 1.5 * usual, 1.5 * usual]
    held = [
        sum(
            isinstance(one, GraduationExample) and one.id.startswith("own-contrast")
            for one in batch
        )
        for batch in house.trainer.batches
    ]
    assert held[0] == held[1] == few * LEAST_ROWS and held[2] == 2 * few * LEAST_ROWS
    # That was enough: it stays in the prompt.
    assert third.next_course is None and "stays in the prompt" in third.why
    assert not trains_in_a_skill(await house.job.search_now())


@pytest.mark.full
async def test_a_promoted_skill_is_not_tried_again(house: NightHouse) -> None:
    house.gate.verdicts = [
        rejects(LITTLE),
        Verdict(accepted=True, at=FakeClock().now(), against=None),
    ]
    await judged(house, 2)
    assert not trains_in_a_skill(await house.job.search_now())


async def test_a_skill_that_an_older_lull_could_not_train_in_is_tried_anew(
    house: NightHouse,
) -> None:
    house.gate.verdicts = [rejects(LITTLE)]
    await judged(house, 1)
    (run,) = house.training.runs({RunStatus.REJECTED})
    await house.database.write(
        lambda connection: connection.execute(
            "UPDATE runs SET fields = json_remove(fields, '$.course', '$.next_course')"
        )
    )
    assert house.training.get(run.id).next_course == GraduationCourse()
    next_step = await house.job.search_now()
    assert trains_in_a_skill(next_step)


async def test_what_was_answered_before_an_interruption_is_not_asked_again(
    house: NightHouse,
) -> None:
    next_step = await house.job.search_now()
    assert isinstance(next_step, MakingStep)
    first = len(house.engine.requests)
    making = asyncio.ensure_future(house.train.make(next_step))
    while len(house.engine.requests) < first + 5 * ANSWERS_AT_ONCE:  # noqa: ASYNC110
        await asyncio.sleep(0)
    making.cancel()
    await asyncio.gather(making, return_exceptions=True)
    second = len(house.engine.requests)
    assert not house.training.runs()
    run = await house.train.make(next_step)
    assert house.training.get(run.id).status is RunStatus.WAITING
    before = {_asked(request) for request in house.engine.requests[first:second]}
    after = {_asked(request) for request in house.engine.requests[second:]}
    assert len(before & after) <= 2 * ANSWERS_AT_ONCE < len(before)


def _asked(request: GenerateRequest) -> str:
    return repr([(message.role, message.text) for message in request.messages])
