"""Tests of a run whose trainer process is killed: it goes on from its last checkpoint.

One that always dies at the same place waits for the user's word, also over a restart.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest

from lull.backends.mlx.trainer_process import TrainerProcess, TrainerProcesses
from lull.backends.system.clock import SystemClock
from lull.core.errors import StoreError, TrainingError
from lull.core.ports import Clock
from lull.core.training.events import RunBegan
from lull.core.training.record import Run, RunProgress, RunStatus
from lull.core.training.spec import RunKind
from lull.loops.training.work import trainer_work
from lull.loops.training.work.trainer_work import FIRST_STEP_GUESS_S, TrainerWork
from lull.store.sqlite.database import Database
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training
from tests.doubles.fakes import FakeClock
from tests.trainer.making import examples, kept, replays, spec

pytestmark = pytest.mark.full
STEPS = 8
LONG_S = 100_000.0
DIES = """
import os, signal, sys
from lull.trainer.blas import prepare
prepare()
from lull.trainer import checkpoints
from lull.trainer.main import main
steps, write = int(sys.argv[1]), checkpoints.Checkpoints.write
def killed(*args, **more):
    global steps
    if steps == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    steps -= 1
    write(*args, **more)
checkpoints.Checkpoints.write = killed
sys.exit(main(sys.argv[2:]))
"""
"""A trainer that is killed in the step after the given number of steps."""

STARVES = """
import resource, sys
from lull.trainer.blas import prepare
prepare()
import mlx.core
from lull.trainer import checkpoints
from lull.trainer.main import main
kept, steps, write = [], int(sys.argv[1]), checkpoints.Checkpoints.write
def starved(*args, **more):
    global steps
    write(*args, **more)
    steps -= 1
    if steps == 0:
        with open("/proc/self/statm") as statm:
            has = int(statm.read().split()[0]) * resource.getpagesize()
        mlx.core.clear_cache()
        resource.setrlimit(resource.RLIMIT_AS, (has, has))
        size = 1 << 20
        while size >= 4096:
            try:
                kept.append(bytearray(size))
            except MemoryError:
                size //= 2
checkpoints.Checkpoints.write = starved
sys.exit(main(sys.argv[2:]))
"""
"""A trainer that gets no more memory after the checkpoint of the given number of steps.

What was free is used up first: else it might have room for all that is left to do.
"""

HAS_NO_ROOM = """
import resource, sys
from lull.trainer.blas import prepare
prepare()
from lull.trainer import policy
from lull.trainer.main import main
load = policy.load_model
def starved(*args, **more):
    with open("/proc/self/statm") as statm:
        has = int(statm.read().split()[0]) * resource.getpagesize() + (1 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (has, has))
    return load(*args, **more)
policy.load_model = starved
sys.exit(main(sys.argv[2:]))
"""
"""A trainer that gets no more than a megabyte from where it is to load the model."""


@dataclass
class Bench:
    """One training run on a real database, and what is needed to work on it."""

    folder: Path
    model: Path
    clock: Clock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.database = Database(self.folder / "lull.db")
        self.training = Training(self.database)
        self.folders = RunFolders(self.folder / "runs")

    async def prepare(self, steps: int = STEPS) -> None:
        asked = spec(RunKind.KTO, self.model, steps=steps)
        self.folders.write(asked, [*examples(RunKind.KTO, 10), *replays(6)])
        now = self.clock.now()
        run = Run(
            id=asked.id,
            kind=RunKind.KTO,
            status=RunStatus.WAITING,
            why="",
            made_at=now,
            changed_at=now,
            model="tiny",
            base="digest",
            root=None,
            parent=None,
            progress=RunProgress(),
        )
        await self.training.add_run(run, ())

    async def trains(self, *, steps: int | None = None, dies: str = DIES) -> None:
        """Train as after a start of Lull, when nothing is known but what is written down.

        With `steps`, its trainer dies after that many.
        """
        command = None if steps is None else [sys.executable, "-c", dies, str(steps)]
        await self.work(command).run_slice(self.clock.monotonic_s() + LONG_S)

    def work(self, command: list[str] | None = None) -> TrainerWork:
        async def ended() -> None:
            pass

        return TrainerWork(
            self.row,
            text="Training",
            trainer=TrainerProcesses(command),
            training=self.training,
            folders=self.folders,
            ended=ended,
            trouble=lambda _: None,
            clock=self.clock,
        )

    @property
    def row(self) -> Run:
        return self.training.get("run")

    @property
    def began(self) -> list[int]:
        events = kept(self.folders.folder("run"))
        return [event.from_step for event in events if isinstance(event, RunBegan)]


@pytest.fixture
async def bench(tmp_path: Path, model: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path, model)
    await made.prepare()
    yield made
    made.database.close()


async def test_a_trainer_that_is_killed_again_and_again_goes_on_to_its_end(bench: Bench) -> None:
    for _ in range(4):  # once more than it may die at the same step
        with pytest.raises(TrainingError, match="SIGKILL"):
            await bench.trains(steps=1)
        assert bench.row.status is RunStatus.TRAINING
    await bench.trains()
    assert bench.row.status is RunStatus.TRAINED and bench.row.progress.step == STEPS
    assert bench.began[0] == 0 and bench.began[-1] == 4
    assert all(later > earlier for earlier, later in pairwise(bench.began))


async def test_one_that_dies_three_times_at_the_same_step_goes_on_when_asked(bench: Bench) -> None:
    with pytest.raises(TrainingError, match="SIGKILL"):
        await bench.trains(steps=2)
    with pytest.raises(TrainingError, match="SIGKILL"):
        await bench.trains(steps=0)
    await bench.trains(steps=0)
    assert bench.row.status is RunStatus.STUCK
    assert "3 times after step 2 of 8: The trainer ended by signal SIGKILL" in bench.row.why

    await bench.training.change("run", _sent_on)
    await bench.trains()
    assert bench.row.status is RunStatus.TRAINED and bench.began[-1] == 2


async def test_one_that_was_restored_without_its_checkpoints_is_not_stuck_for_it(
    bench: Bench,
) -> None:
    await bench.training.change(
        "run", lambda run: replace(run, progress=RunProgress(step=6, of=STEPS, furthest=6))
    )
    for _ in range(3):  # each time a step further than ever since
        with pytest.raises(TrainingError, match="SIGKILL"):
            await bench.trains(steps=1)
    assert bench.row.status is RunStatus.TRAINING
    assert (bench.row.progress.furthest, bench.row.progress.falls) == (3, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads its own size as Linux tells it")
async def test_one_without_memory_says_so_in_one_line_and_goes_on(bench: Bench) -> None:
    with pytest.raises(TrainingError, match="The trainer ended") as told:
        await bench.trains(steps=2, dies=STARVES)
    assert "\n" not in told.value.detail
    assert bench.row.status is RunStatus.TRAINING and bench.row.progress.falls == 1
    await bench.trains()
    assert bench.row.status is RunStatus.TRAINED and bench.row.progress.step == STEPS
    assert bench.began[-1] >= 2


@pytest.mark.skipif(sys.platform != "linux", reason="reads its own size as Linux tells it")
async def test_one_without_memory_for_its_model_is_not_given_up(bench: Bench) -> None:
    with pytest.raises(TrainingError, match="The trainer ended"):
        await bench.trains(steps=0, dies=HAS_NO_ROOM)
    assert bench.row.status is RunStatus.TRAINING and bench.row.progress.falls == 1
    await bench.trains()
    assert bench.row.status is RunStatus.TRAINED and bench.row.progress.step == STEPS


async def test_one_whose_steps_cannot_be_recorded_is_ended(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[TrainerProcess] = []
    start, change = TrainerProcesses.start, Training.change

    async def watched(self: TrainerProcesses, folder: str) -> TrainerProcess:
        started.append(await start(self, folder))
        return started[-1]

    async def full(self: Training, run: str, plan: Callable[[Run], Run], **more: bool) -> Run:
        if bench.row.progress.step:
            raise StoreError("The disk is full.", hint="Make room.")
        return await change(self, run, plan, **more)

    monkeypatch.setattr(TrainerProcesses, "start", watched)
    with monkeypatch.context() as patch, pytest.raises(StoreError, match="full"):
        patch.setattr(Training, "change", full)
        await bench.trains()
    (process,) = started
    assert not process._child.alive, "the next one trains in the same folder"
    await bench.trains()
    assert bench.row.status is RunStatus.TRAINED and bench.row.progress.step == STEPS


def _sent_on(run: Run) -> Run:
    return replace(run, status=RunStatus.WAITING, progress=replace(run.progress, falls=0))


async def test_a_trainer_without_memory_needs_its_measured_start_and_one_with_it_a_step(
    tmp_path: Path, model: Path
) -> None:
    bench = Bench(tmp_path, model, clock=SystemClock())
    await bench.prepare(steps=2_000)
    work = bench.work()
    assert work.needs_s == FIRST_STEP_GUESS_S
    began_s = bench.clock.monotonic_s()
    while not bench.row.progress.step:
        await work.run_slice(bench.clock.monotonic_s() + 0.3)
    start_s = bench.row.progress.first_step_s
    assert 0.3 < start_s < bench.clock.monotonic_s() - began_s
    assert 0.0 < work.needs_s < start_s / 2  # one step, since its memory is kept
    await work.give_back_memory()
    assert work.needs_s == start_s
    assert bench.work().needs_s == start_s  # also after a restart of Lull
    bench.database.close()


async def test_a_start_that_ends_before_its_first_step_says_how_long_one_takes_at_least(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, model, clock=SystemClock())
    await bench.prepare()
    work = bench.work([sys.executable, "-c", "import time; time.sleep(60)"])
    await work.run_slice(bench.clock.monotonic_s() + 0.5)
    await work.give_back_memory()
    assert work.needs_s == FIRST_STEP_GUESS_S
    monkeypatch.setattr(trainer_work, "FIRST_STEP_GUESS_S", 0.1)
    await work.run_slice(bench.clock.monotonic_s() + 0.5)
    await work.give_back_memory()
    assert 0.4 < work.needs_s < 5.0
    bench.database.close()
