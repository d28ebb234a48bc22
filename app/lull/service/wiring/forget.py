"""Builds the part that deletes a conversation and everything derived from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from lull.config.paths import Paths
from lull.core.errors import Conflict
from lull.loops.adapters.promote import Promote
from lull.loops.forget import Forget, ForgetElsewhere, ForgetFiles, ForgetTables
from lull.loops.training.training_job import TrainingJob
from lull.service.wiring.learning.asking import Services
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.memory import LateExemplars
from lull.service.wiring.night.training import NightParts
from lull.store.forgetting import ForgettingRows


def forget_of(
    world: Services,
    paths: Paths,
    slow: NightParts,
    *,
    learning: LearningParts,
    night: TrainingJob,
    promote: Promote,
    memory: LateExemplars,
) -> Forget:
    """Build the part of a running service that deletes a conversation and what came of it."""
    stores = world.stores

    async def roll_back(model: str, to: str | None, why: str) -> None:
        with contextlib.suppress(Conflict):  # it is already rolled back
            if to is None:
                await promote.to_base(model, why=why)
            else:
                await promote.roll_back(model, to, why=why)

    async def afterwards() -> None:
        learning.score.wishes.clear()
        await world.approve.follow()
        learning.fast_loop.looked_at()
        night.nudge()

    def logs() -> Iterator[Path]:
        return paths.logs.glob("*")

    tables = ForgetTables(
        trajectories=stores.trajectories,
        proposals=stores.proposals,
        skills=stores.skills,
        training=stores.training,
        adapters=slow.adapters,
        rewards=stores.rewards,
        heard=stores.feedback,
        forgetting=ForgettingRows(stores.database),
    )
    elsewhere = ForgetElsewhere(
        exemplars=memory.opened, roll_back=roll_back, stop=night.stop, afterwards=afterwards
    )
    return Forget(
        tables,
        ForgetFiles(runs=slow.folders, adapters=slow.files, logs=logs),
        elsewhere,
        approve=world.approve,
        library=world.library,
    )
