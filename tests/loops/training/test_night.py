"""Tests of nights of training: how runs are made and superseded, and how they give way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lull.core.models.engine import GenerateRequest
from lull.core.training.examples import Group, ReplayExample
from lull.core.training.record import RunStatus
from lull.core.training.rollout import GroupState
from lull.core.training.spec import RunKind
from lull.loops.training.next_step import (
    Task,
    TrainingStep,
    TrainRule,
)
from lull.pocket import language as pocket
from tests.eventually import until
from tests.loops.night_house import (
    POCKET,
    NightHouse,
    now_and_then,
    says_menus,
)
from tests.loops.training.nights import BASE, groups, taken, to_train, verdict

pytestmark = pytest.mark.slow


# Runs


async def test_enough_groups_become_a_run_that_is_trained_and_judged(house: NightHouse) -> None:
    await house.menus(12)
    house.gate.verdicts = [None, verdict(accepted=True)]
    for _ in range(20):
        next_step = await house.does()
        if house.training.runs({RunStatus.PROMOTED}):
            break
    (run,) = house.training.runs({RunStatus.PROMOTED})
    assert next_step.task is not Task.TRAIN
    assert (run.kind, run.verdict, run.round) == (RunKind.GRPO, "accepted", 1)
    assert run.reasons == ("Nine of ten answers are better.",)
    assert run.progress.step == run.progress.of == 2
    assert run.progress.reward_before is not None and run.progress.tokens == 200
    assert house.gate.brought == [(run.id, str(house.folders.adapter(run.id)), "")]
    assert house.gate.considered == [run.adapter] * 2
    (batch,) = house.trainer.batches
    learned = [one for one in batch if isinstance(one, Group)]
    assert len(learned) == 4 and all(one.teaches for one in learned)
    assert {one.id for one in learned} <= set(run.skills)
    assert {source.id for source in house.training.sources(run.id)} >= {one.id for one in learned}


async def test_a_quarter_is_replayed_half_of_it_with_skills_in_the_prompt(
    house: NightHouse,
) -> None:
    await house.menus(12)
    for _ in range(8):
        await house.does()
        if house.trainer.batches:
            break
    (batch,) = house.trainer.batches
    answers = sum(len(one.samples) for one in batch if isinstance(one, Group))
    replays = [one for one in batch if isinstance(one, ReplayExample)]
    assert len(replays) == pytest.approx(answers / 3, abs=1)
    with_skills = [one for one in replays if one.id.startswith("own-with-skills")]
    assert abs(2 * len(with_skills) - len(replays)) <= 1


async def test_other_skills_in_its_prompts_supersede_a_run_and_its_groups_are_free_again(
    house: NightHouse,
) -> None:
    await house.menus(12)
    for _ in range(8):
        if (await house.does()).task is Task.TRAIN:
            break
    (run,) = house.training.runs()
    used = [g for g in house.training.groups(BASE, states=tuple(GroupState), unused=False) if g.run]
    assert {group.run for group in used} == {run.id}
    await house.add("menus", "When you write a menu.", "When you write a menu, use dashes.")
    await house.job.search_now()
    now = house.training.get(run.id)
    assert now.status is RunStatus.SUPERSEDED
    assert "no longer allowed in training" in now.why or "other skills" in now.why
    left = house.training.groups(BASE, states=tuple(GroupState), unused=False)
    assert len(left) >= len(used) and not any(group.run for group in left)


async def test_a_course_that_was_superseded_is_begun_anew_on_what_is_there(
    house: NightHouse,
) -> None:
    """The new course begins on the groups that exist, without waiting for new requests."""
    house.training_rule = TrainRule(groups_a_run=4, groups_at_least=1, rounds=3)
    await house.menus(14)
    for _ in range(60):
        await house.does()
        if len(house.training.runs()) == 2:
            break
    house.model, house.digest = "llama", "sha256:other"
    await house.job.learner_changed()
    second, first = house.training.runs()
    assert (first.status, second.status) == (RunStatus.CONTINUED, RunStatus.SUPERSEDED)
    assert not taken(house)
    house.model, house.digest = POCKET, first.base
    sampled = groups(house)
    await house.does()
    assert len(house.training.runs()) == 3
    assert house.training.runs()[0].parent is None
    assert groups(house) == sampled


@pytest.mark.parametrize("change", ["weights", "adapter"])
async def test_what_serves_otherwise_now_supersedes_a_run(house: NightHouse, change: str) -> None:
    await house.menus(12)
    for _ in range(8):
        if (await house.does()).task is Task.TRAIN:
            break
    (run,) = house.training.runs()
    if change == "weights":
        house.digest = "sha256:other"
    else:
        house.in_force = "aa" * 32
        await house.engine.load_adapter(house.in_force, "/adapters/a")
    await house.job.search_now()
    now = house.training.get(run.id)
    assert now.status is RunStatus.SUPERSEDED
    assert ("weights" if change == "weights" else "adapter") in now.why


async def test_rounds_go_on_from_the_adapter_before_until_it_is_good_enough(
    tmp_path: Path,
) -> None:
    rule = TrainRule(groups_a_run=4, groups_at_least=1, rounds=3)
    house = NightHouse(tmp_path, training_rule=rule)
    house.gate.verdicts = [verdict(accepted=False)]
    try:
        await house.menus(14)
        for _ in range(60):
            await house.does()
            if house.training.runs({RunStatus.REJECTED}):
                break
        runs = sorted(house.training.runs(), key=lambda run: run.id)
        first, last = runs[0], house.training.runs({RunStatus.REJECTED})[0]
        course = [first, *(run for run in runs if run.parent)]
        assert [run.round for run in course] == [1, 2, 3]
        assert [run.status for run in course[:2]] == [RunStatus.CONTINUED] * 2
        assert course[1].parent == first.id and last.why == "Nine of ten answers are better."
        specs = {spec.id: spec for spec in house.trainer.specs}
        assert specs[first.id].parent is None
        assert specs[course[1].id].parent == str(house.folders.adapter(first.id))
        asked = {r.adapter for r in house.engine.requests if r.sampling.temperature == 1.0}
        assert asked >= {None, f"run:{first.id}", f"run:{course[1].id}"}
    finally:
        await house.job.close()
        await asyncio.to_thread(house.database.close)


async def test_a_run_whose_words_teach_a_skill_meanwhile_is_superseded(house: NightHouse) -> None:
    turns = await house.menus(14)
    for _ in range(8):
        if (await house.does()).task is Task.TRAIN:
            break
    (run,) = house.training.runs()
    wish = {source.id for source in house.training.sources(run.id) if source.kind == "wish"}
    assert wish == {turns[0]}
    assert turns[0] not in run.skills, "or its own turn would speak, and not its words"
    await house.evolve.step()
    (proposal,) = house.open_proposals()
    await house.review.reject(proposal.id, reason="only that once")
    await house.job.search_now()
    now = house.training.get(run.id)
    assert now.status is RunStatus.SUPERSEDED
    assert "has since been used for a skill" in now.why


async def test_a_change_of_mind_leaves_what_was_scored_by_the_old_words_behind(
    house: NightHouse,
) -> None:
    house.training_rule = TrainRule(groups_a_run=100, groups_at_least=50)
    turns = await house.menus(8)
    await house.does()
    await house.job.search_now()
    before = house.rollouts.scored_groups(house.rollouts.collect_requests(POCKET), BASE)
    assert before and {group.wish for group in before} == {turns[0]}
    (changed, _) = await house.plays(
        "make a menu of copper desert plane", "copper and desert and plane",
        "no, when you write a menu, join with dashes", pocket.NOTED, model=POCKET,
    )  # fmt: skip
    await house.score.read_new()
    await house.job.search_now()
    book = house.rollouts.collect_requests(POCKET)
    assert house.rollouts.groups_with_signal(book, BASE) == []
    assert house.rollouts.scored_groups(book, BASE) == []
    await house.does()
    await house.job.search_now()
    anew = house.rollouts.scored_groups(house.rollouts.collect_requests(POCKET), BASE)
    assert {group.wish for group in anew} == {changed}


async def test_when_another_model_is_to_learn_the_trainer_ends_and_its_run_says_why(
    house: NightHouse,
) -> None:
    house.trainer.held = True
    work = await to_train(house)
    unit = asyncio.create_task(work.run_slice(house.clock.monotonic_s() + 30))
    await until(lambda: house.trainer.runs)
    house.model, house.digest = "llama", "sha256:other"
    await house.job.learner_changed()
    await unit
    run = house.training.get(work.id)
    assert run.status is RunStatus.SUPERSEDED
    assert run.why == "llama is learning now, not pocket."
    (process,) = house.trainer.runs
    assert process.calls[-1] == "kill"
    assert house.job.works() == []
    # What was sampled is left for when the first one learns again.
    left = house.training.groups(BASE, states=tuple(GroupState), unused=False)
    assert left and not any(group.run for group in left)


# Giving way


async def test_a_trainer_is_stopped_at_once_and_goes_on_and_keeps_its_time(
    house: NightHouse,
) -> None:
    house.trainer.held = True
    work = await to_train(house)
    unit = asyncio.create_task(work.run_slice(house.clock.monotonic_s() + 30))
    await until(lambda: house.trainer.runs)
    await asyncio.sleep(0)
    (process,) = house.trainer.runs
    house.clock.advance(5)
    await work.suspend()
    assert process.calls[-1] == "suspend" and process.suspended
    await work.suspend()  # twice is harmless
    house.clock.advance(100)
    await work.resume()
    assert process.calls[-1] == "resume"
    await unit
    (run,) = house.training.runs({RunStatus.TRAINED})
    assert run.progress.took_s == 5.0


async def test_a_trainer_that_lost_its_memory_is_started_again_on_the_same_folder(
    house: NightHouse,
) -> None:
    house.trainer.held = True
    work = await to_train(house)
    unit = asyncio.create_task(work.run_slice(house.clock.monotonic_s() + 30))
    await until(lambda: house.trainer.runs)
    await work.give_back_memory()
    await unit
    assert house.trainer.runs[0].killed
    await work.give_back_memory()
    house.trainer.held = False
    await work.run_slice(house.clock.monotonic_s() + 30)
    first, again = house.trainer.runs
    assert first.folder == again.folder
    assert house.training.runs({RunStatus.TRAINED})


async def test_a_unit_that_ends_leaves_the_trainer_standing_with_its_memory(
    house: NightHouse,
) -> None:
    house.trainer.held = True
    work = await to_train(house)
    await work.run_slice(house.clock.monotonic_s())
    (process,) = house.trainer.runs
    assert process.suspended and not process.killed
    house.clock.advance(40)
    assert work.suspended_s == 40
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert len(house.trainer.runs) == 1 and house.training.runs({RunStatus.TRAINED})


@pytest.mark.full
@pytest.mark.parametrize("why", ["stood for long", "memory is short"])
async def test_a_trainer_that_stands_gives_its_memory_back_and_goes_on_later(
    house: NightHouse, why: str
) -> None:
    house.trainer.held = True
    work = await to_train(house)
    await work.run_slice(house.clock.monotonic_s())
    (process,) = house.trainer.runs
    watching = asyncio.create_task(house.job.watch_suspension())
    try:
        house.clock.advance(299)  # of 300
        looked = house.looks
        await until(lambda: house.looks > looked + 1)
        assert process.suspended and not process.killed
        if why == "memory is short":
            house.short = True
        else:
            house.clock.advance(2)
        await until(lambda: process.killed)
    finally:
        watching.cancel()
    assert work.suspended_s is None
    house.trainer.held = False
    await work.run_slice(house.clock.monotonic_s() + 30)
    first, again = house.trainer.runs
    assert first.folder == again.folder and house.training.runs({RunStatus.TRAINED})


async def test_sampling_that_is_stopped_loses_no_group_that_came_to_its_end(
    house: NightHouse,
) -> None:
    await house.menus(8)
    await house.job.search_now()
    (work,) = house.job.works()
    asked = asyncio.Event()

    def says(request: GenerateRequest) -> str:
        asked.set()
        return says_menus(now_and_then)(request)

    house.engine.says(says)
    unit = asyncio.create_task(work.run_slice(house.clock.monotonic_s() + 30))
    await asked.wait()  # in the middle of an answer
    await work.suspend()
    await until(lambda: house.engine.hangups)
    assert not unit.done()
    await work.resume()
    await unit
    assert groups(house) > 0
    numbers = {(g.turn, g.number) for g in house.training.groups(BASE, states=tuple(GroupState))}
    assert len(numbers) == groups(house)


async def test_after_a_restart_the_run_goes_on(house: NightHouse) -> None:
    work = await to_train(house)
    await house.restart()
    (again,) = [await house.job.search_now()]
    assert isinstance(again, TrainingStep) and again.run.id == work.id
    await house.does()
    assert house.training.runs({RunStatus.TRAINED, RunStatus.JUDGING})


async def test_a_folder_that_a_crash_left_without_a_row_is_swept(house: NightHouse) -> None:
    left = house.folders.root / "run_of_nobody"
    left.mkdir(parents=True)
    watching = asyncio.create_task(house.job.keep_searching())
    await until(lambda: not left.exists())
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
