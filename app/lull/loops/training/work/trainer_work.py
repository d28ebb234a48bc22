"""Runs a training run as background work, in a trainer process that can be suspended or killed.

At the end of a unit of work the process is suspended and keeps its memory for the next unit. If its
memory is needed the process is killed, and training later continues from the last checkpoint. Its
events are stored as they arrive.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final

from lull.core.errors import LullError, TrainingError
from lull.core.idle.scheduling import WorkKind
from lull.core.ports import Clock
from lull.core.training.events import (
    RunBegan,
    RunEvent,
    RunFailed,
    RunFinished,
    RunRefused,
    StepDone,
)
from lull.core.training.ports import Trainer, TrainingProcess
from lull.core.training.record import (
    AT_WORK,
    Run,
    RunStatus,
    why_stuck,
    with_crash,
    with_step,
    with_trainer_started,
    with_unread,
)
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training

log = logging.getLogger(__name__)

FIRST_STEP_GUESS_S: Final = 20.0
"""Assumed seconds to start the trainer process, load the weights and do one step, until they are
measured. The built-in model takes 6 to 20 on two busy cores.
"""
LEFT_GUESS_S: Final = 60.0
"""Assumed seconds left of a training run, until the trainer reports an estimate."""


class _NotNow(TrainingError):
    """A temporary failure that is not the run's fault, and does not count as a crash."""


class _Unread(TrainingError):
    """A temporary failure to read what the run starts from; it may not be temporary for ever."""


class TrainerWork:
    """The background work of one training run: starts, suspends and ends the process that trains
    (implements LullWork).
    """

    kind = WorkKind.STEP
    value = 1.0

    def __init__(
        self,
        run: Run,
        *,
        text: str,
        trainer: Trainer,
        training: Training,
        folders: RunFolders,
        ended: Callable[[], Awaitable[None]],
        trouble: Callable[[LullError], None],
        clock: Clock,
    ) -> None:
        """The callback `ended` is awaited when the training run ends, well or badly.

        `trouble` is called with each failure of the trainer process.
        """
        self.id = run.id
        self.text = text
        self._run = run
        self._trainer = trainer
        self._training = training
        self._folders = folders
        self._ended = ended
        self._trouble = trouble
        self._clock = clock
        self._process: TrainingProcess | None = None
        self._reader: asyncio.Task[None] | None = None
        self._going = asyncio.Event()
        """Set while the process runs."""
        self._held = False
        """Whether the work was suspended, perhaps while its process was still starting."""
        self._given_back = 0
        """How many times the trainer's memory was taken."""
        self._until_s = 0.0
        self._stood_s: float | None = None
        """Monotonic time since when the trainer is suspended with its memory."""
        self._since_s = 0.0
        """Monotonic time when the trainer last started or resumed."""
        self._starting_s: float | None = None
        """Seconds for which the trainer has run since its start, without the present piece of them;
        None once it has done a step.
        """
        self._step_s = 0.0
        """Seconds that the trainer's last step took; 0 before the first step of this process."""
        self._wrote: str | None = None
        """The hash of the finished adapter, as the trainer said it; None before."""
        self._refitted = False
        self._over = False

    @property
    def has_ended(self) -> bool:
        """Whether this background work has ended for good, so that it cannot train its run any
        further.
        """
        return self._over

    @property
    def progress(self) -> float:
        made = self._run.progress
        return min(1.0, made.step / made.of) if made.of else 0.0

    @property
    def left_s(self) -> float:
        return 0.0 if self._over else (self._run.progress.left_s or LEFT_GUESS_S)

    @property
    def needs_s(self) -> float:
        """A trainer that still has its memory needs one step; any other one, its whole start, which
        is lost if the user comes back before its first step.
        """
        if self._process is not None and self._step_s:
            return min(self._step_s, self.left_s)
        return self._run.progress.first_step_s or FIRST_STEP_GUESS_S

    @property
    def suspended_s(self) -> float | None:
        """Seconds for which the trainer process has been suspended while keeping its memory; None
        if it is not suspended.
        """
        if self._process is None or self._stood_s is None:
            return None
        return self._clock.monotonic_s() - self._stood_s

    # Implementing LullWork

    async def run_slice(self, until_s: float) -> None:
        if self._over:
            return
        self._until_s = until_s
        self._held = False
        reader = await self._go_on()
        while reader is not None and not reader.done():
            left_s = self._until_s - self._clock.monotonic_s()
            if left_s <= 0.0 and self._going.is_set():
                await self._stand()
                return
            await self._wait(reader, left_s)
        if reader is not None and self._reader is reader:
            self._reader = None
            reader.result()

    async def _wait(self, reader: asyncio.Task[None], left_s: float) -> None:
        """Wait for the end of the run or of the unit; a suspended unit does not end."""
        going = asyncio.ensure_future(self._going.wait())
        waiting: set[asyncio.Future[object]] = {reader}  # type: ignore[arg-type]
        running = self._going.is_set()
        if not running:
            waiting.add(going)  # type: ignore[arg-type]
        try:
            await asyncio.wait(
                waiting,
                timeout=max(left_s, 0.0) if running else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            going.cancel()

    async def suspend(self) -> None:
        self._held = True
        if self._process is not None and self._going.is_set():
            await self._process.suspend()
            self._note_time()
            self._going.clear()
            self._stood_s = self._clock.monotonic_s()

    async def resume(self) -> None:
        self._held = False
        if self._process is None or self._going.is_set():
            return
        if self._stood_s is not None:
            self._until_s += self._clock.monotonic_s() - self._stood_s
        await self._process.resume()
        self._runs()

    async def give_back_memory(self) -> None:
        self._given_back += 1
        self._note_start_in_vain()
        process, self._process = self._process, None
        self._stood_s = None
        self._going.clear()
        if process is not None:
            await process.kill()
        reader, self._reader = self._reader, None
        if reader is not None:
            # Store the events from before it was killed.
            await asyncio.gather(reader, return_exceptions=True)

    # The process

    async def _go_on(self) -> asyncio.Task[None] | None:
        """Start or resume the process; return the task that reads its events.

        None if the memory was taken while the process was starting.
        """
        if self._process is not None and self._reader is not None and not self._reader.done():
            await self._process.resume()
            self._runs()
            return self._reader
        before, began_s = self._given_back, self._clock.monotonic_s()
        self._step_s = 0.0
        process = await self._trainer.start(str(self._folders.folder(self.id)))
        self._starting_s = self._clock.monotonic_s() - began_s
        if self._given_back != before:
            await process.kill()
            return None
        self._process = process
        reader = self._reader = asyncio.create_task(self._read(process))
        self._runs()
        if self._held:
            await self.suspend()
        await self._moved(RunStatus.TRAINING)
        return reader

    def _runs(self) -> None:
        self._stood_s = None
        self._since_s = self._clock.monotonic_s()
        self._going.set()

    async def _stand(self) -> None:
        """Suspend the process at the end of a unit; it keeps its memory."""
        await self.suspend()

    def _note_start_in_vain(self) -> None:
        """A start that ends before its first step shows that one needs longer than this."""
        if self._starting_s is None:
            return
        now_s = self._clock.monotonic_s()
        spent_s = self._starting_s + (now_s - self._since_s if self._going.is_set() else 0.0)
        self._starting_s = None
        made = self._run.progress
        if spent_s > (made.first_step_s or FIRST_STEP_GUESS_S):
            self._run = replace(self._run, progress=replace(made, first_step_s=spent_s))

    def _note_time(self) -> None:
        took_s = self._clock.monotonic_s() - self._since_s
        if self._starting_s is not None:
            self._starting_s += took_s
        made = self._run.progress
        self._run = replace(self._run, progress=replace(made, took_s=made.took_s + took_s))

    async def _read(self, process: TrainingProcess) -> None:
        try:
            await self._hear_all(process)
        except LullError:
            # Nobody reads its events any more; the next unit starts another in the same folder.
            await process.kill()
            raise

    async def _hear_all(self, process: TrainingProcess) -> None:
        try:
            async for event in process.events():
                await self._hear(event)
        except TrainingError as error:
            await self._fell(error)
            if not self._over:  # then it is told as what became of the run
                raise

    async def _hear(self, event: RunEvent) -> None:
        made = self._run.progress
        match event:
            case RunBegan():
                made = with_trainer_started(made, event.from_step)
                made = replace(made, of=event.steps, peak_mb=event.peak_mb)
            case StepDone():
                self._step_s = event.tokens / event.tokens_s if event.tokens_s else 0.0
                if self._starting_s is not None:
                    first_s = self._starting_s + self._clock.monotonic_s() - self._since_s
                    made, self._starting_s = replace(made, first_step_s=first_s), None
                made = replace(
                    with_step(made, event.step),
                    step=event.step,
                    of=event.of,
                    loss=event.loss,
                    kl=event.kl,
                    tokens=made.tokens + event.tokens,
                    tokens_s=event.tokens_s,
                    left_s=event.left_s,
                    peak_mb=event.peak_mb,
                )
            case RunFinished():
                self._note_time()
                self._since_s = self._clock.monotonic_s()
                made = replace(self._run.progress, step=event.steps, of=event.steps, left_s=0.0)
                self._wrote = event.adapter_sha256 or None
                self._run = replace(self._run, progress=made)
                await self._end(RunStatus.TRAINED, self._run.why)
                return
            case RunRefused():
                await self._refused(event)
                return
            case RunFailed() if event.for_now:
                kind = _Unread if event.counts else _NotNow
                raise kind(event.detail, hint=event.hint)
            case RunFailed():
                await self._end(RunStatus.FAILED, f"{event.title}: {event.detail}")
                return
        self._run = replace(self._run, progress=made)
        await self._write()

    async def _refused(self, event: RunRefused) -> None:
        """Shrink the micro-batch of a refused run, once; otherwise the run has failed."""
        if self._refitted or not event.fits_micro_tokens:
            why = f"It does not fit into memory. What would fit: {event.would_fit}."
            await self._end(RunStatus.FAILED, why)
            return
        self._refitted = True
        spec = await asyncio.to_thread(self._folders.spec, self.id)
        smaller = replace(spec, micro_tokens=event.fits_micro_tokens)
        await asyncio.to_thread(self._folders.change, smaller)

    async def _fell(self, error: TrainingError) -> None:
        self._trouble(error)
        if isinstance(error, _NotNow):
            return
        failed = with_unread if isinstance(error, _Unread) else with_crash
        self._run = replace(self._run, progress=failed(self._run.progress))
        if why := why_stuck(self._run, error.detail):
            await self._end(RunStatus.STUCK, why)
        else:
            await self._write()

    async def _end(self, status: RunStatus, why: str) -> None:
        self._over = True
        if status is RunStatus.FAILED:
            self._trouble(TrainingError(why))
        await self._moved(status, why)
        await self._ended()

    async def _moved(self, status: RunStatus, why: str | None = None) -> None:
        self._run = replace(self._run, status=status, why=self._run.why if why is None else why)
        await self._write()

    async def _write(self) -> None:
        mine, at = self._run, self._clock.now()
        now = await self._training.change(
            self.id,
            lambda now: _as_told(now, mine, at),
            free=mine.status is RunStatus.FAILED,
            wrote=self._wrote,
        )
        if now.status not in {*AT_WORK, mine.status}:
            self._over = True  # the run was cancelled in the meantime


def _as_told(now: Run, mine: Run, at: datetime) -> Run:
    """Return the run with the trainer's progress; a status set by someone else in the meantime
    stays.
    """
    if now.status not in AT_WORK:
        return replace(now, progress=mine.progress)
    return replace(now, status=mine.status, why=mine.why, progress=mine.progress, changed_at=at)
