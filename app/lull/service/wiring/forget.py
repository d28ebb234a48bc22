"""Forgetting, put together: what follows a conversation through all that Lull keeps."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from lull.config.paths import Paths
from lull.core.errors import Conflict
from lull.loops.forget import Forget
from lull.loops.night import Night
from lull.loops.promote import Promote
from lull.service.wiring.asking import World
from lull.service.wiring.learning import Learning
from lull.service.wiring.memory import Memory
from lull.service.wiring.night import NightParts
from lull.store.forgetting import Forgetting


def forget_of(
    world: World,
    paths: Paths,
    slow: NightParts,
    *,
    learning: Learning,
    night: Night,
    promote: Promote,
    memory: Memory,
) -> Forget:
    stores = world.stores

    async def roll_back(model: str, to: str | None, why: str) -> None:
        with contextlib.suppress(Conflict):  # it stands so already
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

    return Forget(
        trajectories=stores.trajectories,
        proposals=stores.proposals,
        skills=stores.skills,
        approve=world.approve,
        library=world.library,
        training=stores.training,
        folders=slow.folders,
        adapters=slow.adapters,
        adapter_files=slow.files,
        rewards=stores.rewards,
        heard=stores.feedback,
        forgetting=Forgetting(stores.database),
        exemplars=memory.opened,
        roll_back=roll_back,
        stop=night.stop,
        afterwards=afterwards,
        logs=logs,
        clock=world.clock,
    )
