"""Tests of runs on rated answers and of skills that are trained in."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.feedback.reward import Source
from lull.core.skills.skill import ChangeKind
from lull.core.training.examples import GraduationExample
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import RunStatus
from lull.core.training.rollout import held_out
from lull.loops.training.make_run import LEAST_ROWS
from lull.loops.training.next_step import (
    LabelledAnswers,
    MakingStep,
    Task,
    TrainRule,
)
from lull.pocket import language as pocket
from lull.store.chat.turn_rows import Label
from tests.loops.classroom import GOOD, ScriptedJudge
from tests.loops.night_house import (
    POCKET,
    NightHouse,
    trains_in_a_skill,
)
from tests.loops.training.nights import verdict

pytestmark = pytest.mark.slow


async def test_single_answers_train_from_enough_sure_labels_of_both_kinds(
    tmp_path: Path,
) -> None:
    rule = TrainRule(groups=False, labels_a_run=8, labels_of_the_rarer=3)
    house = NightHouse(tmp_path, training_rule=rule)
    try:
        chance = random.Random(4)
        labels: list[bool] = []
        kept = 0
        for number in range(14):
            words = chance.sample(pocket.WORDS, 2)
            asked = f"write a note for {' '.join(words)}"
            (turn,) = await house.plays(asked, " ".join(words), model=POCKET)
            await house.rate(turn, Label.BAD if number % 3 == 0 else Label.GOOD)
            if held_out(asked):
                kept += 1  # for the gate, and does not count
            else:
                labels.append(number % 3 != 0)
            next_step = await house.job.search_now()
            enough = len(labels) >= 8 and min(labels.count(True), labels.count(False)) >= 3
            assert (next_step.task is Task.MAKE) == enough, number
        assert kept
        assert isinstance(next_step, MakingStep)
        assert next_step.source == LabelledAnswers()
    finally:
        await asyncio.to_thread(house.database.close)


async def test_labels_of_a_judge_that_agrees_too_little_do_not_train(tmp_path: Path) -> None:
    house = NightHouse(tmp_path, judge=ScriptedJudge(lambda _: (GOOD,) * 3), coin=0.0)
    try:
        assert house.rewarding.judge_may_train()[0]
        for number in range(24):
            (turn,) = await house.plays(
                f"say {number}", f"never {number}", model="gemma", format='"json"'
            )
            await house.score.read_new()
        await house.ask_judge.step(hurry=True, limit=64)
        row = house.known(turn)
        assert row.reward is not None and row.reward.source is Source.VERIFIABLE
        trains, why = house.rewarding.judge_may_train()
        assert not trains and "does not train on" in why
        served = house.served(turn)
        assert not house.rewarding.can_score(
            replace(served, turn=replace(served.turn, format="")), (), ()
        )
    finally:
        await asyncio.to_thread(house.database.close)


async def test_a_well_proved_skill_that_served_enough_requests_is_trained_in(
    tmp_path: Path,
) -> None:
    rule = TrainRule(graduation_prompts=6)
    house = NightHouse(tmp_path, training_rule=rule)
    try:
        skill = await house.proved_skill(wins=8)
        await house.menus(4, corrected=0)
        assert not trains_in_a_skill(await house.job.search_now())
        turns = await house.menus(12, corrected=0, seed=2)
        next_step = await house.job.search_now()
        assert trains_in_a_skill(next_step)
        house.gate.verdicts = [verdict(accepted=True)]
        for _ in range(4):
            await house.does()
        (run,) = house.training.runs({RunStatus.PROMOTED})
        assert run.graduates == skill.sha256
        assert house.gate.brought[0][2] == skill.name
        (batch,) = house.trainer.batches
        learned = [one for one in batch if isinstance(one, GraduationExample)]
        own = [one for one in learned if one.id in turns]
        assert own and all(len(one.teacher_ids) > len(one.prompt_ids) for one in own)
        # Few of the user's: some of ours that the skill is about stand beside them, no two alike.
        ours = [one for one in learned if one.id.startswith("own-alike")]
        assert ours and all(len(one.teacher_ids) > len(one.prompt_ids) for one in ours)
        assert len({one.prompt_ids for one in ours}) > 0.9 * len(ours)
        # More of them hold the model to what it does where the skill has no say.
        contrast = [one for one in learned if one.id.startswith("own-contrast")]
        assert len(learned) - len(contrast) == LEAST_ROWS
        assert len(contrast) == GraduationCourse().anchors * LEAST_ROWS
        assert all(one.teacher_ids == one.prompt_ids for one in contrast)
        sources = {(one.kind, one.id) for one in house.training.sources(run.id)}
        assert ("skill", skill.sha256) in sources
        # It is not tried again.
        assert not trains_in_a_skill(await house.job.search_now())
    finally:
        await house.job.close()
        await asyncio.to_thread(house.database.close)


async def test_of_requests_that_are_not_its_business_a_skill_is_not_learned(
    tmp_path: Path,
) -> None:
    house = NightHouse(tmp_path, training_rule=TrainRule(graduation_prompts=6))
    try:
        skill = await house.proved_skill(wins=8)
        await house.approve.switch(skill.key, ChangeKind.PIN)
        routes = await house.menus(12, corrected=0, seed=2, kind=pocket.Kind.ROUTE)
        assert all(house.served(turn).turn.skills for turn in routes)
        assert not trains_in_a_skill(await house.job.search_now())
        await house.menus(12, corrected=0, seed=3)
        assert trains_in_a_skill(await house.job.search_now())
        house.gate.verdicts = [verdict(accepted=True)]
        await house.does(4)
        (batch,) = house.trainer.batches
        assert not {one.id for one in batch}.intersection(routes)
    finally:
        await house.job.close()
        await asyncio.to_thread(house.database.close)


async def test_a_skill_that_is_not_proved_stays_in_the_prompt(tmp_path: Path) -> None:
    house = NightHouse(tmp_path, training_rule=TrainRule(graduation_prompts=2))
    try:
        await house.proved_skill(wins=3)
        await house.menus(12, corrected=0)
        assert not trains_in_a_skill(await house.job.search_now())
    finally:
        await asyncio.to_thread(house.database.close)
