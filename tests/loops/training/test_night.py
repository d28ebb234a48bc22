"""Tests of the slow loop, from recorded turns to groups, runs and the gate, and what comes next."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.chat.client import Client
from lull.core.chat.messages import Completion, Finish
from lull.core.errors import Conflict, EngineDown, TrainingError
from lull.core.feedback.reward import Source
from lull.core.idle.scheduling import LullWork
from lull.core.models.engine import GenerateRequest
from lull.core.skills.skill import ChangeKind
from lull.core.training.events import RunEvent, RunFailed, RunRefused
from lull.core.training.examples import GraduationExample, Group, ReplayExample
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import RunSource, RunStatus
from lull.core.training.rollout import GroupState, SampledPolicy, held_out
from lull.core.training.spec import RunKind, RunSpec
from lull.loops.training.make_run import LEAST_ROWS
from lull.loops.training.next_step import (
    JudgingStep,
    LabelledAnswers,
    MakingStep,
    NextStep,
    NothingToDo,
    Task,
    TrainingStep,
    TrainRule,
    run_of,
)
from lull.loops.training.work.trainer_work import TrainerWork
from lull.pocket import language as pocket
from lull.store.chat.turn_rows import Label
from tests.building import FACTS, assistant, throw_older
from tests.doubles.fake_engine import FakeEngine
from tests.doubles.fakes import FakeClock
from tests.doubles.scripted_trainer import whole_run
from tests.eventually import until
from tests.loops.classroom import BAD, GOOD, ScriptedJudge
from tests.loops.night_house import (
    POCKET,
    RULE,
    NightHouse,
    now_and_then,
    says_menus,
    trains_in_a_skill,
)

pytestmark = pytest.mark.slow

BASE = SampledPolicy(base=FACTS.digest, adapter="")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[NightHouse]:
    made = NightHouse(tmp_path)
    yield made
    await made.job.close()
    await asyncio.to_thread(made.database.close)


def verdict(*, accepted: bool) -> Verdict:
    why = GateCheck(name="target", holds=accepted, text="Nine of ten answers are better.")
    return Verdict(accepted=accepted, at=FakeClock().now(), against=None, checks=(why,))


def groups(house: NightHouse, *states: GroupState) -> int:
    wanted = states or tuple(GroupState)
    return len(house.training.groups(BASE, states=wanted, unused=False))


def taken(house: NightHouse) -> set[str]:
    """Ids of the runs that hold groups, which no other run can have."""
    all_ = house.training.groups(BASE, states=tuple(GroupState), unused=False)
    assert all_
    return {group.run for group in all_ if group.run}


# Rollouts


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
    assert house.job.queue() == []
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
    (work,) = house.job.queue()
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


# Trouble


def falls_behind(step: int, of: int = 6) -> Callable[[RunSpec], list[RunEvent | TrainingError]]:
    """Trainer script: continues from the checkpoint before this step, makes it, and is killed."""
    whole = whole_run(of, from_step=max(0, step - 1))
    return lambda _: [*whole[: 1 + min(step, 1)], TrainingError("It was killed.")]


async def falls(house: NightHouse, work: LullWork) -> None:
    with pytest.raises(TrainingError, match="It was killed"):
        await work.run_slice(house.clock.monotonic_s() + 30)


@pytest.mark.parametrize("step", [0, 3])
async def test_a_run_whose_trainer_dies_three_times_at_the_same_step_waits_for_a_word(
    house: NightHouse, step: int
) -> None:
    house.trainer.says = falls_behind(step)
    work = await to_train(house)
    # A step made before the first failure allows no additional failures later.
    for _ in range(2):
        await falls(house, work)
    # A restart allows none either.
    await house.restart()
    await house.job.search_now()
    (work,) = house.job.queue()
    await work.run_slice(house.clock.monotonic_s() + 30)
    (run,) = house.training.runs()
    assert run.status is RunStatus.STUCK and taken(house)
    for words in ("It was killed.", "3 times", f"lull train cancel {run.id}", "lull train now"):
        assert words in run.why

    # The run is not tried again, no other is made of the same groups, and the reason is reported.
    next_step = await house.does(3)
    assert next_step == NothingToDo(text=run.why, stuck=True)
    started = len(house.trainer.runs)
    watching = asyncio.create_task(house.job.keep_searching())
    await until(lambda: any(str(error).find(run.why) >= 0 for _, error in house.problems))
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert len(house.trainer.runs) == started and len(house.training.runs()) == 1

    # `lull train now` sends the run on from where it stood, with one more set of tries.
    await house.job.train_now()
    (again,) = house.job.queue()
    assert again.id == run.id
    for _ in range(2):
        await falls(house, again)
    await again.run_slice(house.clock.monotonic_s() + 30)
    assert house.training.get(run.id).status is RunStatus.STUCK
    house.trainer.says = lambda _: whole_run(6, from_step=step)
    await house.job.train_now()
    await house.does()
    assert house.training.get(run.id).status in {RunStatus.TRAINED, RunStatus.JUDGING}


async def test_a_run_that_is_stuck_can_be_cancelled_and_what_it_was_made_of_is_free(
    house: NightHouse,
) -> None:
    house.trainer.says = falls_behind(0)
    work = await to_train(house)
    for _ in range(2):
        await falls(house, work)
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert house.training.get(work.id).status is RunStatus.STUCK
    assert (await house.job.cancel(work.id)).status is RunStatus.CANCELLED
    assert not taken(house)


async def test_a_kind_of_run_that_fails_three_times_the_same_way_is_not_made_any_more(
    house: NightHouse,
) -> None:
    """Not the trainer is at fault but the run, which would be made anew of the same every night."""
    house.trainer.says = lambda _: [RunFailed(title="No", detail="The batch is empty.")]
    work = await to_train(house)
    await work.run_slice(house.clock.monotonic_s() + 30)
    (run,) = house.training.runs({RunStatus.FAILED})
    for number in range(2):
        await house.training.add_run(replace(run, id=f"run_again_{number}"), ())
    next_step = await house.does(3)
    assert isinstance(next_step, NothingToDo) and next_step.stuck
    assert "No: The batch is empty." in next_step.text and "lull train now" in next_step.text
    assert "3 runs failed in the same way" in next_step.text
    # Other weights, or another reason: nobody knows that it will fail.
    await house.training.change("run_again_1", lambda now: replace(now, why="Another."))
    assert not stuck(await house.job.search_now())
    await house.training.change("run_again_1", lambda now: replace(now, why=run.why, base="other"))
    assert not stuck(await house.job.search_now())
    await house.training.change("run_again_1", lambda now: replace(now, base=run.base))
    assert stuck(await house.job.search_now())
    assert not (await house.job.train_now()).stuck


async def test_the_hurry_of_a_user_ends_with_the_run_that_fails(house: NightHouse) -> None:
    """Otherwise the run would be made anew for as long as the user waits."""
    house.trainer.says = lambda _: [RunFailed(title="No", detail="The batch is empty.")]
    work = await to_train(house)
    await house.job.train_now()
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert "The batch is empty." in str(house.job.trouble)
    for number in range(2):
        (run,) = house.training.runs({RunStatus.FAILED})[:1]
        await house.training.add_run(replace(run, id=f"run_again_{number}"), ())
    assert stuck(await house.job.search_now())


async def test_a_full_disk_is_said_and_ends_no_run_however_long_it_is_full(
    house: NightHouse,
) -> None:
    full = RunFailed(title="No", detail="The disk is full.", for_now=True)
    house.trainer.says = lambda _: [full]
    work = await to_train(house)
    for _ in range(5):
        with pytest.raises(TrainingError, match="The disk is full"):
            await work.run_slice(house.clock.monotonic_s() + 30)
    house.trainer.says = lambda _: whole_run(6)
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert house.training.runs({RunStatus.TRAINED})


async def test_a_parent_that_stays_unreadable_is_tried_three_times_and_then_said(
    house: NightHouse,
) -> None:
    unreadable = RunFailed(title="No", detail="No such disk.", for_now=True, counts=True)
    house.trainer.says = lambda _: [unreadable]
    work = await to_train(house)
    for _ in range(2):
        with pytest.raises(TrainingError, match="No such disk"):
            await work.run_slice(house.clock.monotonic_s() + 30)
    await work.run_slice(house.clock.monotonic_s() + 30)
    (run,) = house.training.runs({RunStatus.STUCK})
    assert "No such disk." in run.why and f"lull train cancel {run.id}" in run.why
    assert stuck(await house.job.search_now()) and not house.job.queue()
    house.trainer.says = lambda _: whole_run(6)
    await house.job.train_now()
    (work,) = house.job.queue()
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert house.training.runs({RunStatus.TRAINED})


async def test_what_could_not_be_read_and_a_trainer_that_fell_are_counted_apart(
    house: NightHouse,
) -> None:
    unreadable = RunFailed(title="No", detail="No such disk.", for_now=True, counts=True)
    fell = TrainingError("It was killed.")
    whole = whole_run(6)
    tries: Iterator[list[RunEvent | TrainingError]] = iter(
        [[unreadable], [fell], [unreadable], [whole[0], fell], [unreadable], [unreadable], [*whole]]
    )
    house.trainer.says = lambda _: next(tries)
    work = await to_train(house)
    for _ in range(6):
        with pytest.raises(TrainingError, match=r"No such disk|It was killed"):
            await work.run_slice(house.clock.monotonic_s() + 30)
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert house.training.runs({RunStatus.TRAINED})


async def test_one_that_falls_often_and_makes_a_step_each_time_comes_to_its_end(
    house: NightHouse,
) -> None:
    """The trainer is killed again and again for lack of memory, and each time it goes on."""
    fell = TrainingError("It was killed.")
    tries = iter(range(1, 7))

    def says(_: RunSpec) -> list[RunEvent | TrainingError]:
        done = next(tries)
        whole = whole_run(6, from_step=done - 1)
        return list(whole) if done == 6 else [*whole[:2], fell]

    house.trainer.says = says
    work = await to_train(house)
    for _ in range(5):
        with pytest.raises(TrainingError):
            await work.run_slice(house.clock.monotonic_s() + 30)
    await work.run_slice(house.clock.monotonic_s() + 30)
    (run,) = house.training.runs({RunStatus.TRAINED})
    assert run.progress.step == 6


async def test_what_does_not_fit_into_memory_is_made_smaller_once_and_else_said(
    house: NightHouse,
) -> None:
    refused = RunRefused(
        needs_mb=900.0, limit_mb=100.0, would_fit="256 tokens at once.", fits_micro_tokens=256
    )
    house.trainer.says = lambda spec: [refused] if spec.micro_tokens > 256 else whole_run()
    work = await to_train(house)
    await work.run_slice(house.clock.monotonic_s() + 30)
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert [spec.micro_tokens for spec in house.trainer.specs] == [2048, 256]
    assert house.training.runs({RunStatus.TRAINED})


async def test_a_run_that_cannot_be_trained_says_why(house: NightHouse) -> None:
    house.trainer.says = lambda _: [RunFailed(title="No", detail="The batch is empty.")]
    work = await to_train(house)
    await work.run_slice(house.clock.monotonic_s() + 30)
    (run,) = house.training.runs({RunStatus.FAILED})
    assert run.why == "No: The batch is empty."


async def test_an_engine_that_is_away_is_trouble_and_not_a_score(house: NightHouse) -> None:
    await house.menus(6)
    await house.job.search_now()
    house.engine.knock_down()
    (work,) = house.job.queue()
    with pytest.raises(EngineDown):
        await work.run_slice(house.clock.monotonic_s() + 30)
    assert isinstance(house.job.trouble, EngineDown)
    assert groups(house) == 0


async def test_a_run_is_cancelled_for_good(house: NightHouse) -> None:
    work = await to_train(house)
    run = await house.job.cancel(work.id)
    assert run.status is RunStatus.CANCELLED
    with pytest.raises(Conflict):
        await house.job.cancel(work.id)
    assert all(one.id != work.id for one in house.job.queue())
    assert not taken(house)


async def test_a_run_that_is_cancelled_before_the_gate_never_comes_into_force(
    house: NightHouse,
) -> None:
    house.gate.waits = asyncio.Event()
    house.gate.verdicts = [verdict(accepted=True)]
    await house.menus(12)
    for _ in range(20):
        next_step = await house.job.search_now()
        (work,) = house.job.queue()
        if next_step.task is Task.JUDGE:
            break
        await work.run_slice(house.clock.monotonic_s() + 30)
    assert isinstance(next_step, JudgingStep)
    unit = asyncio.create_task(work.run_slice(house.clock.monotonic_s() + 30))
    await until(lambda: house.gate.considered)
    await house.job.cancel(next_step.run.id)
    house.gate.waits.set()
    await unit
    assert house.gate.verdicts, "the gate was stopped before it had spoken"
    assert house.training.get(next_step.run.id).status is RunStatus.CANCELLED


async def test_of_a_run_that_was_cancelled_no_round_goes_on(house: NightHouse) -> None:
    house.training_rule = TrainRule(groups_a_run=4, groups_at_least=1, rounds=3)
    await house.menus(14)
    for _ in range(60):
        next_step = await house.does()
        last = run_of(next_step)
        if isinstance(next_step, MakingStep) and last is not None:
            break
    assert isinstance(next_step, MakingStep) and last is not None
    await house.job.cancel(last.id)
    before = house.training.runs()
    with pytest.raises(Conflict):
        await house.train.make(next_step)
    assert house.training.runs() == before
    # Not what the rounds before have learned from, either.
    assert not taken(house)
    assert {one.name for one in house.folders.root.iterdir()} == {run.id for run in before}


async def test_of_a_conversation_that_goes_meanwhile_no_run_is_made(house: NightHouse) -> None:
    await house.menus(14)
    for _ in range(8):
        next_step = await house.does()
        if isinstance(next_step, MakingStep):
            break
    assert isinstance(next_step, MakingStep)
    await throw_older(house.database, house.clock.now() + timedelta(seconds=1))
    with pytest.raises(TrainingError, match="left"):
        await house.train.make(next_step)
    assert house.training.runs() == []


async def test_a_run_with_a_turn_that_is_gone_is_not_written_down(house: NightHouse) -> None:
    work = await to_train(house)
    run = replace(house.training.get(work.id), id="run_2", parent=work.id)
    gone = [*house.training.sources(work.id), RunSource(kind="turn", id="turn_gone")]
    with pytest.raises(Conflict, match="been deleted"):
        await house.training.add_run(run, gone, goes_on=lambda last: replace(last, why="no"))
    assert [one.id for one in house.training.runs()] == [work.id]
    assert house.training.get(work.id).why != "no"


async def test_a_model_that_is_not_served_here_says_so(house: NightHouse) -> None:
    house.serves = False
    next_step = await house.job.search_now()
    assert (next_step.task, next_step.text) == (Task.NOTHING, "Nothing is served.")


# The other kinds


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


# Helpers


def stuck(next_step: NextStep) -> bool:
    return isinstance(next_step, NothingToDo) and next_step.stuck


async def to_train(house: NightHouse) -> TrainerWork:
    """Bring the loop to a run that is to be trained, and return its work."""
    await house.menus(12)
    for _ in range(12):
        next_step = await house.job.search_now()
        (work,) = house.job.queue()
        if next_step.task is Task.TRAIN:
            assert isinstance(work, TrainerWork)
            return work
        await work.run_slice(house.clock.monotonic_s() + 30)
    raise AssertionError(next_step)
