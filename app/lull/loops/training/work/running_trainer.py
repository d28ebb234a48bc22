"""Holds the trainer process of the training run in progress, and frees its memory when needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from lull.core.errors import LullError
from lull.core.ports import Clock
from lull.core.training.ports import Trainer
from lull.core.training.record import Run
from lull.loops.training.work.trainer_work import TrainerWork
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training

log = logging.getLogger(__name__)

STANDING_CHECK_S: Final = 1.0
"""Seconds between two checks whether a trainer stays suspended for too long."""


class RunningTrainer:
    """Holds the background work (a trainer process) of the training run in progress; there is never
    more than one.
    """

    def __init__(
        self,
        trainer: Trainer,
        *,
        training: Training,
        folders: RunFolders,
        clock: Clock,
        kill_after_s: Callable[[], float],
        short_of_memory: Callable[[], bool],
    ) -> None:
        """A trainer process that stays suspended for longer than `kill_after_s` seconds is ended,
        to free its memory.
        """
        self._trainer = trainer
        self._training = training
        self._folders = folders
        self._clock = clock
        self._kill_after_s = kill_after_s
        self._short_of_memory = short_of_memory
        self._work: TrainerWork | None = None

    def trains(self, run: str) -> bool:
        """Whether the trainer process held here is the one of this training run."""
        return self._work is not None and self._work.id == run

    def work_for(
        self,
        run: Run,
        *,
        text: str,
        ended: Callable[[], Awaitable[None]],
        trouble: Callable[[LullError], None],
    ) -> TrainerWork:
        """Return the background work that trains this run in a trainer process; it is made at the
        first call.

        While another run is being trained, that run's work is returned instead. `ended` is called
        when the run ends, `trouble` when the trainer fails.
        """
        if self._work is None:
            self._work = TrainerWork(
                run,
                text=text,
                trainer=self._trainer,
                training=self._training,
                folders=self._folders,
                ended=ended,
                trouble=trouble,
                clock=self._clock,
            )
        return self._work

    async def end_unless(self, run: Run | None) -> None:
        """End the trainer process unless it trains this training run and can still go on.

        A run that got stuck and that the user restarted gets new work.
        """
        if self._work is not None and (
            run is None or not self.trains(run.id) or self._work.has_ended
        ):
            await self.end()

    async def end(self) -> None:
        """End the trainer process and discard the background work that owns it."""
        work, self._work = self._work, None
        if work is not None:
            await work.give_back_memory()

    async def close(self) -> None:
        """End the trainer process when the service stops; the training run continues at the next
        start.
        """
        if self._work is not None:
            await self._work.give_back_memory()

    async def watch_suspension(self) -> None:
        """End the trainer process, to free its memory, once it has been suspended for too long or
        memory gets short while it is suspended; checks every second, forever.
        """
        while True:
            await asyncio.sleep(STANDING_CHECK_S)
            work = self._work
            stood_s = work.suspended_s if work is not None else None
            if work is None or stood_s is None:
                continue
            if self._short_of_memory() or stood_s > self._kill_after_s():
                log.info("%s stood for %.0f s and is ended; it goes on later", work.id, stood_s)
                await work.give_back_memory()
