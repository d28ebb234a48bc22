"""What a running service does to forget a conversation, beside removing it from the database: stops
training, rolls adapters back and refreshes what it holds in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lull.core.errors import Conflict
from lull.loops.adapters.promote import Promote
from lull.loops.feedback.standing_wishes import StandingWishes
from lull.loops.forgetting.forget import Exemplars
from lull.loops.skills.approve import Approve
from lull.loops.training.training_job import TrainingJob
from lull.service.feedback.fast_loop import FastLoop
from lull.service.process.lock import alive
from lull.store.disk.leftovers import sweep_work


class OpensExemplars(Protocol):
    """Interface of the memory of past requests, which is opened when it is first needed."""

    async def opened(self) -> Exemplars | None:
        """Return the opened memory; None if nothing was ever stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetInService:
    """The actions in the running service that deleting a conversation needs, such as stopping
    training and rolling back adapters; implements ForgetElsewhere.
    """

    approve: Approve
    wishes: StandingWishes
    fast_loop: FastLoop
    job: TrainingJob
    promote: Promote
    memory: OpensExemplars
    home: Path

    async def exemplars(self) -> Exemplars | None:
        return await self.memory.opened()

    async def roll_back(self, model: str, *, to: str | None, why: str) -> None:
        with contextlib.suppress(Conflict):  # it is already rolled back
            if to is None:
                await self.promote.to_base(model, why=why)
            else:
                await self.promote.roll_back(model, to, why=why)

    async def stop(self, runs: Sequence[str]) -> None:
        await self.job.stop(runs)

    async def afterwards(self) -> None:
        self.wishes.clear()
        await self.approve.follow()
        self.fast_loop.on_proposal_decided()
        self.job.nudge()
        # What an editor that was killed left may quote what is forgotten.
        await asyncio.to_thread(sweep_work, self.home, alive)
