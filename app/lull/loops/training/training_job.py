"""Searches in the background for the next step of training (such as sampling answers), and offers
it as work for idle times.

The search reads the store and takes a moment, but the idle watch asks for work ten times a second.
So the search is done only after something changed, and its result is kept until then.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from lull.core.errors import Conflict, LullError, TrainingError
from lull.core.events import EventKind
from lull.core.idle.scheduling import LullWork, WorkKind
from lull.core.ports import Clock, ProblemReporter
from lull.core.training.record import OPEN_RUN_STATUSES, Run, RunStatus, ended_already
from lull.loops.training.decide_step import DecideStep
from lull.loops.training.next_step import (
    JudgingStep,
    MakingStep,
    NextStep,
    NothingToDo,
    SamplingStep,
    TrainingStep,
    groups_of,
    run_of,
)
from lull.loops.training.train import TrainingSteps
from lull.loops.training.work.engine_work import GROUP_S, EngineWork
from lull.loops.training.work.running_trainer import RunningTrainer
from lull.store.training.tidy_runs import RunFolderCleanup
from lull.store.training.training import Training

log = logging.getLogger(__name__)

IDLE_LOOK_S: Final = 60.0
"""Maximum seconds until the next training step is looked for again without a nudge."""
DEBOUNCE_S: Final = 20.0
"""Debounce: minimum seconds between two searches for the next step; turns come in bursts."""
MAKE_GUESS_S: Final = 20.0
"""Assumed seconds to make a training run's folder."""
GATE_GUESS_S: Final = 120.0
"""Assumed seconds to test an adapter before it may answer users (the gate)."""
MEMORY_S: Final = 60.0
"""Most seconds that a search waits until the exemplar memory (past requests for which a skill was
useful) is open; then it goes on without it.
"""
NEWS: Final = frozenset(
    {EventKind.TURN_RECORDED, EventKind.LABEL, EventKind.GENERATION, EventKind.SETTINGS}
)
"""Events that may change what can be trained on."""
_NOTHING: Final = NothingToDo(text="Lull has not checked yet.")


class TrainingEvents(Protocol):
    """Interface that tells users' programs what training does next."""

    def tell_step(self, run: Run | None, next_step: NextStep) -> None:
        """Tell the result of a search for the next step of training, and the training run that it
        is about, if any.
        """


class TrainingJob:
    """Finds the next step of training, such as sampling answers or testing an adapter, and offers
    it as background work for times when the user is away.
    """

    def __init__(
        self,
        *,
        deciding: DecideStep,
        train: TrainingSteps,
        running: RunningTrainer,
        training: Training,
        tidying: RunFolderCleanup,
        clock: Clock,
        settle: Callable[[], None],
        problems: ProblemReporter,
        events: TrainingEvents,
    ) -> None:
        """The function `settle` blocks until everything recorded so far can be read."""
        self._deciding = deciding
        self._train = train
        self._running = running
        self._training = training
        self._tidying = tidying
        self._clock = clock
        self._settle = settle
        self._problems = problems
        self._events = events
        self._next_step: NextStep = _NOTHING
        self._work: LullWork | None = None
        self._looking = asyncio.Lock()
        self._nudged = asyncio.Event()
        self._hurry = False
        self._group_s = GROUP_S
        """Seconds to sample one group of answers, as last measured."""
        self._soon: asyncio.Task[None] | None = None
        self.trouble: LullError | None = None
        """The last error since the user last asked for training."""

    @property
    def next_step(self) -> NextStep:
        """The next step of training (such as sampling answers), as found by the last search."""
        return self._next_step

    def works(self) -> list[LullWork]:
        """Return the training work that may run in idle times; called ten times a second."""
        return [self._work] if self._work is not None else []

    def nudge(self) -> None:
        """Search for the next training step soon, because a change may have made one possible: an
        answer was recorded or rated, or a skill (an instruction text) approved.
        """
        self._nudged.set()

    def heard(self, kind: str) -> None:
        """Search soon if an event of this kind may have changed what can be trained on."""
        if kind in NEWS:
            self.nudge()

    # Jobs

    async def keep_searching(self) -> None:
        """Search for the next training step after every `nudge` and at least once a minute,
        forever.

        The service's supervisor starts this again if it fails.
        """
        await asyncio.to_thread(self._tidying.sweep)
        while True:
            await self._look()
            await asyncio.sleep(DEBOUNCE_S)
            try:
                async with asyncio.timeout(IDLE_LOOK_S):
                    await self._nudged.wait()
            except TimeoutError:
                pass
            self._nudged.clear()

    async def watch_suspension(self) -> None:
        """End the trainer process, to free its memory, once it has been suspended for too long or
        memory gets short while it is suspended; checks every second, forever.
        """
        await self._running.watch_suspension()

    async def close(self) -> None:
        """Stop the trainer process; training continues at the next service start."""
        if self._soon is not None:
            self._soon.cancel()
            await asyncio.gather(self._soon, return_exceptions=True)
        await self._running.close()

    # Finding the next step

    async def search_now(self) -> NextStep:
        """Search for the next training step now. Raises LullError."""
        async with self._looking:
            await asyncio.to_thread(self._settle)
            next_step = await self._deciding.decide_next(hurry=self._hurry)
            if isinstance(next_step, NothingToDo):
                self._hurry = False
            self._next_step = next_step
            self._work = await self._work_for(next_step)
            self._events.tell_step(run_of(next_step), next_step)
            return next_step

    async def train_now(self) -> NextStep:
        """Search for the next training step on the user's command to train now: less material than
        usual is enough, and stuck training runs continue.

        Raises LullError.
        """
        self._hurry = True
        self.trouble = None
        await self._train.retry_stuck_runs()
        return await self.search_now()

    async def _work_for(self, next_step: NextStep) -> LullWork | None:
        await self._running.end_unless(run_of(next_step))
        match next_step:
            case TrainingStep():
                return self._running.work_for(
                    next_step.run, text=next_step.text, ended=self._ended, trouble=self._troubled
                )
            case SamplingStep():
                left = max(1, next_step.groups.wanted - next_step.groups.with_signal)
                step = partial(self._sample, next_step)
                return self._asking(next_step, WorkKind.ROLLOUT, left * self._group_s, step)
            case MakingStep():
                return self._asking(next_step, WorkKind.STEP, MAKE_GUESS_S, self._make)
            case JudgingStep():
                step = partial(self._judge, next_step)
                return self._asking(next_step, WorkKind.STEP, GATE_GUESS_S, step)
            case NothingToDo():
                return None

    def _asking(
        self,
        next_step: NextStep,
        kind: WorkKind,
        left_s: float,
        step: Callable[[float], Awaitable[bool]],
    ) -> LullWork:
        run = run_of(next_step)
        mark = run.id if run is not None else "new"

        async def piece(until_s: float) -> bool:
            try:
                more = await step(until_s)
                if not more:
                    await self.search_now()
            except LullError as error:
                self.trouble = error
                raise
            return more

        return EngineWork(
            f"{next_step.task}:{mark}",
            kind=kind,
            text=next_step.text,
            progress=groups_of(next_step).progress,
            left_s=left_s,
            needs_s=min(left_s, self._group_s),
            step=piece,
            clock=self._clock,
        )

    # Steps

    async def _sample(self, step: SamplingStep, _until_s: float) -> bool:
        began_s = self._clock.monotonic_s()
        answered = await self._train.sample(step)
        if not answered:
            return False
        took_s = self._clock.monotonic_s() - began_s
        self._group_s = took_s / answered or self._group_s
        telling = await asyncio.to_thread(self._train.count_with_signal, step.source)
        wanted = step.groups.wanted
        if isinstance(self._work, EngineWork):
            self._work.progress = min(1.0, telling / wanted)
            self._work.left_s = max(1, wanted - telling) * self._group_s
            self._work.needs_s = min(self._work.left_s, self._group_s)
        return telling < wanted

    async def _make(self, until_s: float) -> bool:
        # Look again: the last try may have been stopped just after it finished.
        next_step = await self.search_now()
        if not isinstance(next_step, MakingStep):
            return False
        making = asyncio.ensure_future(self._train.make(next_step))
        try:
            await asyncio.wait({making}, timeout=max(0.0, until_s - self._clock.monotonic_s()))
            if not making.done():  # the next unit goes on with what was asked for in this one
                return True
            making.result()
        except Conflict as error:  # its material has been removed in the meantime
            log.info("no run was made: %s", error)
        finally:
            making.cancel()
            await asyncio.gather(making, return_exceptions=True)
        return False

    async def _judge(self, step: JudgingStep, until_s: float) -> bool:
        if not await self._train.judge(step.run.id, until_s):
            return self._clock.monotonic_s() < until_s
        await asyncio.to_thread(self._tidying.tidy)
        return False

    async def _ended(self) -> None:
        """Look for the next step after a run ended.

        It runs as a task, because the look may end the process that calls this.
        """
        self._soon = asyncio.create_task(self._look())

    def _troubled(self, error: LullError) -> None:
        self.trouble = error
        # Else a run that cannot be trained would be made anew again and again.
        self._hurry = False

    async def _look(self) -> None:
        try:
            await self.search_now()
        except LullError as error:
            self.trouble = error
            self._problems.set_or_clear("training", error)
            self._work = None
        else:
            step = self._next_step
            stuck = isinstance(step, NothingToDo) and step.stuck
            self._problems.set_or_clear("training", TrainingError(step.text) if stuck else None)

    # The user's commands

    async def stop(self, runs: Sequence[str]) -> None:
        """End the training work of these runs, which are about to be removed, and all training work
        that uses the inference engine.
        """
        await self._end_asking()
        if any(self._running.trains(run) for run in runs):
            self._work = None
            await self._running.end()

    async def _end_asking(self) -> None:
        work = self._work
        if isinstance(work, EngineWork):
            self._work = None
            await work.give_back_memory()

    async def learner_changed(self) -> None:
        """End training work for the earlier model, because the user chose another model to train,
        and search for the next step for that one.
        """
        await self._end_asking()
        await self._look()

    async def cancel(self, run_id: str) -> Run:
        """Cancel a training run for good. Raises NotFound, Conflict."""
        run = await asyncio.to_thread(self._training.get, run_id)
        if run.status not in OPEN_RUN_STATUSES:
            raise ended_already(run)
        now = run_of(self._next_step)
        if now is not None and now.id == run_id:
            await self._end_asking()  # or the gate could still put it in force
        done = await self._training.change(run_id, self._cancelled, free=True)
        if self._running.trains(run_id):
            await self._running.end()
        await self.search_now()
        return done

    def _cancelled(self, run: Run) -> Run:
        if run.status not in OPEN_RUN_STATUSES:
            raise ended_already(run)
        return replace(
            run,
            status=RunStatus.CANCELLED,
            why="You cancelled it.",
            changed_at=self._clock.now(),
        )


def wait_until_readable(flush: Callable[[], None], memory: threading.Event) -> None:
    """Wait until everything that decides what may be trained on can be read: pending writes, by
    `flush`, and the exemplar memory, which is open once the event `memory` is set. Blocking.
    """
    flush()
    memory.wait(MEMORY_S)
