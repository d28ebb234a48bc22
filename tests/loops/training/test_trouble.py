"""Tests of trouble in nights of training: what fails is tried again, told, or given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from lull.core.errors import Conflict, EngineDown, TrainingError
from lull.core.idle.scheduling import LullWork
from lull.core.training.events import RunEvent, RunFailed, RunRefused
from lull.core.training.record import RunSource, RunStatus
from lull.core.training.spec import RunSpec
from lull.loops.training.next_step import (
    JudgingStep,
    MakingStep,
    NothingToDo,
    Task,
    TrainRule,
    run_of,
)
from tests.building import throw_older
from tests.doubles.scripted_trainer import whole_run
from tests.eventually import until
from tests.loops.night_house import (
    NightHouse,
)
from tests.loops.training.nights import groups, stuck, taken, to_train, verdict

pytestmark = pytest.mark.slow


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
    (work,) = house.job.works()
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
    await until(lambda: any(str(error).find(run.why) >= 0 for _, error in house.told_problems.told))
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert len(house.trainer.runs) == started and len(house.training.runs()) == 1

    # `lull train now` sends the run on from where it stood, with one more set of tries.
    await house.job.train_now()
    (again,) = house.job.works()
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
    assert stuck(await house.job.search_now()) and not house.job.works()
    house.trainer.says = lambda _: whole_run(6)
    await house.job.train_now()
    (work,) = house.job.works()
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
    (work,) = house.job.works()
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
    assert all(one.id != work.id for one in house.job.works())
    assert not taken(house)


async def test_a_run_that_is_cancelled_before_the_gate_never_comes_into_force(
    house: NightHouse,
) -> None:
    house.gate.waits = asyncio.Event()
    house.gate.verdicts = [verdict(accepted=True)]
    await house.menus(12)
    for _ in range(20):
        next_step = await house.job.search_now()
        (work,) = house.job.works()
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
