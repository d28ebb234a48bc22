"""Builds the part that deletes a conversation and everything derived from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lull.config.paths import Paths
from lull.core.errors import Conflict
from lull.loops.adapters.promote import Promote
from lull.loops.forgetting.derived import ForgetTables
from lull.loops.forgetting.forget import Exemplars, Forget, ForgetFiles
from lull.loops.skills.approve import Approve
from lull.loops.training.training_job import TrainingJob
from lull.service.wiring.base.memory import LateExemplars
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.night.training import TrainingGateParts
from lull.store.forgetting.forgetting import ForgettingRows


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetInService:
    """The actions in the running service that deleting a conversation needs, such as stopping
    training and rolling back adapters; implements ForgetElsewhere.
    """

    approve: Approve
    learning: LearningParts
    job: TrainingJob
    promote: Promote
    memory: LateExemplars

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
        self.learning.scoring.score.wishes.clear()
        await self.approve.follow()
        self.learning.fast_loop.on_proposal_decided()
        self.job.nudge()


def forget_of(
    shared: SharedParts,
    paths: Paths,
    slow: TrainingGateParts,
    *,
    learning: LearningParts,
    job: TrainingJob,
    promote: Promote,
    memory: LateExemplars,
) -> Forget:
    """Build the part of a running service that deletes a conversation and what was learned from
    it.
    """
    stores = shared.stores

    def logs() -> Iterator[Path]:
        return paths.logs.glob("*")

    tables = ForgetTables(
        trajectories=stores.trajectories,
        proposals=stores.proposals,
        skills=stores.skills,
        training=stores.training,
        adapters=slow.adapters,
        rewards=stores.rewards,
        feedback=stores.feedback,
        forgetting=ForgettingRows(stores.database),
    )
    elsewhere = ForgetInService(
        approve=shared.approve, learning=learning, job=job, promote=promote, memory=memory
    )
    return Forget(
        tables,
        ForgetFiles(runs=slow.folders, adapters=slow.files, logs=logs),
        elsewhere,
        approve=shared.approve,
        library=shared.library,
    )
