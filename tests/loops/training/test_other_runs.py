"""Tests of runs on rated answers and of skills that are trained in."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.adapters.adapter import AdapterStatus, AdapterVersion, LearnedSkill
from lull.core.feedback.reward import Source
from lull.core.models.engine import GenerateRequest
from lull.core.skills.skill import ChangeKind
from lull.core.training.examples import GraduationExample
from lull.core.training.lesson import GraduationCourse
from lull.core.training.ratings import rating_held_out
from lull.core.training.record import RunStatus
from lull.loops.training.make_run import LEAST_ROWS
from lull.loops.training.next_step import (
    LabelledAnswers,
    MakingStep,
    Task,
    TrainRule,
)
from lull.loops.training.replay_examples import ReplayExamples
from lull.pocket import language as pocket
from lull.store.adapters.adapters import Adapters
from lull.store.chat.turn_rows import Label
from tests.loops.classroom import GOOD, ScriptedJudge
from tests.loops.night_house import (
    POCKET,
    Labels,
    NightHouse,
    trains_in_a_skill,
)
from tests.loops.training.nights import verdict

pytestmark = pytest.mark.slow


async def rates(house: NightHouse, count: int, good: Callable[[int], bool], kind: str) -> None:
    """Have answers to requests of a kind rated, each asked once."""
    chance = random.Random(f"{kind} {count}")
    for number in range(count):
        words = " ".join(chance.sample(pocket.WORDS, 3))
        (turn,) = await house.plays(f"write a {kind} for {words}", words, model=POCKET)
        await house.rate(turn, Label.GOOD if good(number) else Label.BAD)


async def test_single_answers_train_from_enough_sure_labels_of_both_kinds(
    tmp_path: Path,
) -> None:
    rule = TrainRule(groups=False, labels_a_run=16, labels_of_the_rarer=6, pairs_to_test=4)
    house = NightHouse(tmp_path, training_rule=rule)
    try:
        chance = random.Random(4)
        labels: list[bool] = []
        kept: list[bool] = []
        made = 0
        for number in range(60):
            words = " ".join(chance.sample(pocket.WORDS, 2))
            asked = f"write a note for {words}"
            (turn,) = await house.plays(asked, words, model=POCKET)
            await house.rate(turn, Label.BAD if number % 3 == 0 else Label.GOOD)
            (kept if rating_held_out(asked) else labels).append(number % 3 != 0)
            next_step = await house.job.search_now()
            enough = len(labels) >= 16 and min(labels.count(True), labels.count(False)) >= 6
            enough = enough and min(kept.count(True), kept.count(False)) >= 4
            assert (next_step.task is Task.MAKE) == enough, number
            made += enough
        assert made and kept
        assert isinstance(next_step, MakingStep)
        assert isinstance(next_step.source, LabelledAnswers)
        assert [good for _, good in next_step.source.answers] == labels[::-1]
    finally:
        await asyncio.to_thread(house.database.close)


async def test_kinds_of_request_that_are_only_good_or_only_bad_make_no_run(tmp_path: Path) -> None:
    """What such ratings ask for cannot be seen from them, and no test could show it."""
    rule = TrainRule(groups=False, labels_a_run=16, labels_of_the_rarer=6, pairs_to_test=4)
    house = NightHouse(tmp_path, training_rule=rule)
    try:
        await rates(house, 40, lambda _: False, "note")
        await rates(house, 40, lambda _: True, "plan")
        next_step = await house.job.search_now()
        assert next_step.task is Task.NOTHING
        assert "Ratings to train on: 0 good, 0 bad" in next_step.text
        await rates(house, 40, lambda number: number % 2 == 0, "route")
        next_step = await house.job.search_now()
        assert isinstance(next_step, MakingStep)
        assert isinstance(next_step.source, LabelledAnswers)
        asked = {prompt.served.asked.split()[2] for prompt, _ in next_step.source.answers}
        assert asked == {"route"}
    finally:
        await asyncio.to_thread(house.database.close)


async def test_the_old_answers_to_what_is_to_change_are_not_practised(tmp_path: Path) -> None:
    house = NightHouse(tmp_path)
    try:
        learner = await house.learner()
        assert learner is not None
        note = (await house.engine.tokenize(GenerateRequest(prompt="a note")))[1]
        for changes in ([], ["write a note for apple river"]):
            found, _ = await replay_examples(house).replays(
                learner, 40, (), graduates=None, changes=changes, seed="1"
            )
            plain = [one for one in found if one.id.startswith("own-plain")]
            assert plain
            assert any(note in one.prompt_ids for one in plain) is not bool(changes)
            # Where a skill says how, it is still to be followed.
            assert any(note in one.prompt_ids for one in found)
    finally:
        await asyncio.to_thread(house.database.close)


async def test_a_good_answer_that_is_kept_out_is_not_replayed_either(tmp_path: Path) -> None:
    house = NightHouse(tmp_path)
    try:
        learner = await house.learner()
        assert learner is not None
        await rates(house, 30, lambda _: True, "plan")
        recent = house.rollouts.candidates(POCKET)
        examples = replay_examples(house)
        known = {prompt.served.asked for prompt in examples._successes(recent)}
        assert known == {one.asked for one in recent if not rating_held_out(one.asked)}
    finally:
        await asyncio.to_thread(house.database.close)


def replay_examples(house: NightHouse) -> ReplayExamples:
    return ReplayExamples(
        eligible=house.eligible,
        rewarding=house.rewarding,
        current_selection=house.current_selection,
        curriculum=Labels(),
    )


async def test_requests_whose_skill_is_in_the_weights_are_passed_over(tmp_path: Path) -> None:
    """The base, which the trainer holds an answer against, would have the skill in its prompt."""
    rule = TrainRule(groups=False, graduation=False, labels_a_run=16, pairs_to_test=4)
    house = NightHouse(tmp_path, training_rule=rule)
    try:
        skill = await house.proved_skill(wins=8)
        (turn,) = await house.menus(1, corrected=0)
        await house.rate(turn, Label.GOOD)
        recent = house.rollouts.candidates(POCKET)
        assert [one.turn for one, _ in house.ratings.labelled(POCKET, recent)] == [turn]
        learned = AdapterVersion(
            id="ad1",
            parent=None,
            base_model=house.model,
            base_digest=house.digest,
            sha256="a" * 64,
            run=None,
            status=AdapterStatus.CANDIDATE,
            made=house.clock.now(),
        )
        adapters = Adapters(house.database)
        await adapters.add(learned, [LearnedSkill(skill=skill.key, sha256=skill.sha256)])
        assert house.ratings.labelled(POCKET, recent), "a candidate answers nobody yet"
        await adapters.promote("ad1", at=house.clock.now(), why="better")
        assert house.ratings.labelled(POCKET, recent) == []
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
