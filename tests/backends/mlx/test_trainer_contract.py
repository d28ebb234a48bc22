"""Contract tests that every trainer passes: the scripted fake, and the real process."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from lull.backends.mlx.trainer_process import TrainerProcesses
from lull.core.training.events import RunBegan, RunEvent, RunFailed, RunFinished, StepDone
from lull.core.training.ports import Trainer, TrainingProcess
from lull.core.training.spec import RunKind
from tests.doubles.scripted_trainer import ScriptedTrainer
from tests.trainer.making import examples, model_folder, run_folder, spec

STEPS = 100
"""Steps of a run, so many that a test can suspend it before its end."""
Pair = tuple[Trainer, str]


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.full)])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    """A trainer, and the folder of a run that it can train."""
    asked = spec(RunKind.GRPO, tmp_path / "model", steps=STEPS)
    folder = run_folder(tmp_path / "run", asked, examples(RunKind.GRPO, 6))
    if request.param == "fake":
        return ScriptedTrainer(steps=STEPS, pace_s=0.002), str(folder)
    model_folder(tmp_path / "model")
    return TrainerProcesses(), str(folder)


async def until(process: TrainingProcess, holds: Callable[[RunEvent], bool]) -> list[RunEvent]:
    said = []
    async for event in process.events():
        said.append(event)
        if holds(event):
            break
    return said


async def to_the_end(process: TrainingProcess) -> list[RunEvent]:
    return await until(process, lambda _: False)


async def test_a_run_says_that_it_began_each_step_and_its_end(pair: Pair) -> None:
    trainer, folder = pair
    said = await to_the_end(await trainer.start(folder))
    assert isinstance(said[0], RunBegan)
    assert isinstance(said[-1], RunFinished)
    assert [e.step for e in said if isinstance(e, StepDone)] == list(range(1, STEPS + 1))


def copies(folder: str) -> Iterator[str]:
    """Yield copies of a run to try again with, where a test came only after the run had ended."""
    for number in count():
        yield shutil.copytree(folder, f"{folder}-{number}")


async def test_killed_it_ends_without_complaint_and_goes_on_where_it_was(pair: Pair) -> None:
    trainer, whole = pair
    for folder in copies(whole):
        process = await trainer.start(folder)
        steps, last = list[int](), None
        async for event in process.events():
            last = event
            if isinstance(event, StepDone):
                steps.append(event.step)
                if event.step == 3:
                    await process.kill()
        assert not process.suspended
        if not isinstance(last, RunFinished):
            break
    again = await to_the_end(await trainer.start(folder))
    assert isinstance(again[0], RunBegan)
    assert again[0].from_step >= steps[-1]
    assert isinstance(again[-1], RunFinished)


async def test_suspended_it_does_no_step_and_resumed_it_finishes(pair: Pair) -> None:
    trainer, whole = pair
    for folder in copies(whole):
        process = await trainer.start(folder)
        said: list[RunEvent] = []

        async def read(process: TrainingProcess, said: list[RunEvent]) -> None:
            async for event in process.events():
                said.append(event)

        reading = asyncio.create_task(read(process, said))
        while not said:  # noqa: ASYNC110 - events come when they come
            await asyncio.sleep(0.001)
        await process.suspend()
        while not process.suspended and not isinstance(said[-1], RunFinished):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        stood = not isinstance(said[-1], RunFinished)
        await process.resume()
        await reading
        assert isinstance(said[-1], RunFinished)
        if stood:
            break


async def test_suspended_it_can_be_killed_and_twice(pair: Pair) -> None:
    trainer, folder = pair
    process = await trainer.start(folder)
    await process.suspend()
    await process.kill()
    await process.kill()
    await process.resume()
    assert await to_the_end(process) == []


async def test_what_cannot_be_trained_comes_as_an_event(pair: Pair) -> None:
    trainer, folder = pair
    (event,) = await to_the_end(await trainer.start(f"{folder}-nowhere"))
    assert isinstance(event, RunFailed)
    assert event.title == "The run cannot be trained"
