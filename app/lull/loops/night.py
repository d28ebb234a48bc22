"""The slow loop beside the service: looks what there is to do and offers it to the lulls.

Looking reads the store and takes a moment, while the lulls ask ten times a second: so it is done
when something was recorded or done, and its outcome stands until then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from lull.core.errors import Conflict, LullError
from lull.core.lull_work import LullWork, WorkKind
from lull.core.ports import Clock, Trainer
from lull.core.training_record import OPEN, Run, RunStatus
from lull.loops.outlook import Outlook, Task
from lull.loops.train import Gate, Train
from lull.loops.train_work import TrainWork
from lull.loops.training_work import GROUP_S, AskingWork
from lull.store.run_folders import RunFolders
from lull.store.training import Training

log = logging.getLogger(__name__)

LOOK_S: Final = 60.0
"""How often it is looked for what time alone has brought."""
REST_S: Final = 20.0
"""Between two looks: turns come in crowds."""
STEP_S: Final = 1.0
"""How often a standing trainer is looked at."""
MAKE_S: Final = 20.0
GATE_S: Final = 120.0
_NOTHING: Final = Outlook(task=Task.NOTHING, text="Lull has not looked yet.")


class Night:
    def __init__(
        self,
        *,
        train: Train,
        trainer: Trainer,
        gate: Gate,
        training: Training,
        folders: RunFolders,
        clock: Clock,
        settle: Callable[[], None],
        keep_runs: Callable[[], int],
        kill_after_s: Callable[[], float],
        short_of_memory: Callable[[], bool],
        problem: Callable[[str, LullError | None], None],
        tell: Callable[[Run | None, Outlook], None],
    ) -> None:
        """`settle` blocks until everything that was recorded so far can be read; `tell` hears of
        every change of what is to be done."""
        self._train = train
        self._trainer = trainer
        self._gate = gate
        self._training = training
        self._folders = folders
        self._clock = clock
        self._settle = settle
        self._keep_runs = keep_runs
        self._kill_after_s = kill_after_s
        self._short_of_memory = short_of_memory
        self._problem = problem
        self._tell = tell
        self._outlook = _NOTHING
        self._work: LullWork | None = None
        self._training_work: TrainWork | None = None
        """The one run that has, or may have, a process."""
        self._looking = asyncio.Lock()
        self._nudged = asyncio.Event()
        self._hurry = False
        self._soon: asyncio.Task[None] | None = None
        self.trouble: LullError | None = None
        """What work has come to since the user asked for it last."""

    @property
    def outlook(self) -> Outlook:
        """As of the last look."""
        return self._outlook

    def queue(self) -> list[LullWork]:
        """What lulls may do; asked ten times a second."""
        return [self._work] if self._work is not None else []

    def nudge(self) -> None:
        """Something was recorded, rated or approved."""
        self._nudged.set()

    # Jobs

    async def watching(self) -> None:
        """Look when something has happened; kept running by the supervisor."""
        await asyncio.to_thread(self._sweep)
        while True:
            await self._look()
            await asyncio.sleep(REST_S)
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._nudged.wait()
            except TimeoutError:
                pass
            self._nudged.clear()

    async def standing(self) -> None:
        """Take the memory of a trainer that stands between two units for long."""
        while True:
            await asyncio.sleep(STEP_S)
            work = self._training_work
            stood_s = work.standing_s if work is not None else None
            if work is None or stood_s is None:
                continue
            if self._short_of_memory() or stood_s > self._kill_after_s():
                log.info("%s stood for %.0f s and is ended; it goes on later", work.id, stood_s)
                await work.give_back_memory()

    async def close(self) -> None:
        """End the trainer; it goes on at the next start."""
        if self._soon is not None:
            self._soon.cancel()
            await asyncio.gather(self._soon, return_exceptions=True)
        if self._training_work is not None:
            await self._training_work.give_back_memory()

    def _sweep(self) -> None:
        runs = self._training.runs()
        self._folders.sweep(run.id for run in runs)

    # Looking

    async def look_again(self) -> Outlook:
        """Raises LullError."""
        async with self._looking:
            await asyncio.to_thread(self._settle)
            outlook = await self._train.look(hurry=self._hurry)
            if outlook.task is Task.NOTHING:
                self._hurry = False
            self._outlook = outlook
            self._work = await self._work_for(outlook)
            self._tell(outlook.run, outlook)
            return outlook

    async def now(self) -> Outlook:
        """The user asks for it: begin with what there is. Raises LullError."""
        self._hurry = True
        self.trouble = None
        return await self.look_again()

    async def _work_for(self, outlook: Outlook) -> LullWork | None:
        running = self._training_work
        if running is not None and (outlook.run is None or outlook.run.id != running.id):
            self._training_work = None
            await running.give_back_memory()
        match outlook.task:
            case Task.TRAIN:
                return self._to_train(outlook)
            case Task.SAMPLE:
                left = max(1, outlook.wanted - outlook.telling)
                return self._asking(outlook, WorkKind.ROLLOUT, left * GROUP_S, self._sample)
            case Task.MAKE:
                return self._asking(outlook, WorkKind.STEP, MAKE_S, self._make)
            case Task.JUDGE:
                return self._asking(outlook, WorkKind.STEP, GATE_S, self._judge)
            case Task.NOTHING:
                return None

    def _to_train(self, outlook: Outlook) -> LullWork:
        run = outlook.run
        assert run is not None
        if self._training_work is None:
            self._training_work = TrainWork(
                run,
                text=outlook.text,
                trainer=self._trainer,
                training=self._training,
                folders=self._folders,
                ended=self._ended,
                trouble=self._troubled,
                clock=self._clock,
            )
        return self._training_work

    def _asking(
        self,
        outlook: Outlook,
        kind: WorkKind,
        left_s: float,
        some: Callable[[Outlook, float], Awaitable[bool]],
    ) -> LullWork:
        mark = outlook.run.id if outlook.run is not None else "new"

        async def piece(until_s: float) -> bool:
            try:
                more = await some(outlook, until_s)
                if not more:
                    await self.look_again()
            except LullError as error:
                self.trouble = error
                raise
            return more

        return AskingWork(
            f"{outlook.task}:{mark}",
            kind=kind,
            text=outlook.text,
            progress=outlook.progress,
            left_s=left_s,
            needs_s=min(left_s, GROUP_S),
            some=piece,
            clock=self._clock,
        )

    # Doing

    async def _sample(self, outlook: Outlook, _until_s: float) -> bool:
        if not await self._train.sample(outlook):
            return False
        telling = await asyncio.to_thread(self._train.telling, outlook)
        if isinstance(self._work, AskingWork):
            self._work.progress = min(1.0, telling / outlook.wanted)
            self._work.left_s = max(1, outlook.wanted - telling) * GROUP_S
        return telling < outlook.wanted

    async def _make(self, _: Outlook, _until_s: float) -> bool:
        # Looked at anew: it may have been stopped right behind its end the last time.
        outlook = await self.look_again()
        if outlook.task is Task.MAKE:
            try:
                await self._train.make(outlook)
            except Conflict as error:  # what it would have been made of has gone meanwhile
                log.info("no run was made: %s", error)
        return False

    async def _judge(self, outlook: Outlook, until_s: float) -> bool:
        assert outlook.run is not None
        # As it stands now: the outlook is older than the last piece.
        run = await asyncio.to_thread(self._training.get, outlook.run.id)
        if run.status is not RunStatus.JUDGING:
            run = await self._train.judging(run, self._gate)
        assert run.adapter is not None
        verdict = await self._gate.consider(run.adapter, until_s)
        if verdict is None:
            return self._clock.monotonic_s() < until_s
        await self._train.judged(run, verdict)
        await asyncio.to_thread(self._tidy)
        return False

    async def _ended(self) -> None:
        """A run has come to its end: look what is next. Not waited for, because the look may take
        the very process that is just telling us."""
        self._soon = asyncio.create_task(self._look())

    def _troubled(self, error: LullError) -> None:
        self.trouble = error

    async def _look(self) -> None:
        try:
            await self.look_again()
        except LullError as error:
            self.trouble = error
            self._problem("training", error)
            self._work = None
        else:
            self._problem("training", None)

    def _tidy(self) -> None:
        """Checkpoints of what is done go, and whole folders beyond the newest."""
        done = [run for run in self._training.runs() if run.status not in OPEN]
        for number, run in enumerate(done):
            if number >= self._keep_runs():
                self._folders.remove(run.id)
            else:
                self._folders.slim(run.id)

    # The user's word

    async def stop(self, runs: Sequence[str]) -> None:
        """End the trainer if it is at one of these, and whatever else is under way: they are to be
        removed, and what is being made may hold of what goes with them."""
        await self._end_asking()
        work = self._training_work
        if work is not None and work.id in runs:
            self._training_work = None
            self._work = None
            await work.give_back_memory()

    async def _end_asking(self) -> None:
        work = self._work
        if isinstance(work, AskingWork):
            self._work = None
            await work.give_back_memory()

    async def learner_changed(self) -> None:
        """Another model learns from now on: what is under way for the last one ends here, and what
        there is to do is looked for anew."""
        await self._end_asking()
        await self._look()

    async def cancel(self, run_id: str) -> Run:
        """End a run for good. Raises NotFound, Conflict."""
        run = await asyncio.to_thread(self._training.get, run_id)
        if run.status not in OPEN:
            raise Conflict(f"{run_id} is {run.status} already.")
        if self._outlook.run is not None and self._outlook.run.id == run_id:
            await self._end_asking()  # or the gate would put it in force all the same
        done = await self._training.change(run_id, self._cancelled, free=True)
        if self._training_work is not None and self._training_work.id == run_id:
            work, self._training_work = self._training_work, None
            await work.give_back_memory()
        await self.look_again()
        return done

    def _cancelled(self, run: Run) -> Run:
        if run.status not in OPEN:
            raise Conflict(f"{run.id} is {run.status} already.")
        return replace(
            run,
            status=RunStatus.CANCELLED,
            why="You cancelled it.",
            changed_at=self._clock.now(),
        )
