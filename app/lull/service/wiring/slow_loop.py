"""The slow loop as one thing: the weights that answer, what judges new ones, the night, and the way
to take a conversation out of all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lull.backends.trainer_process import TrainerProcesses
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.loops.forget import Forget
from lull.loops.night import Night
from lull.service.wiring.adapters import AdapterParts, adapters_of
from lull.service.wiring.asking import World
from lull.service.wiring.forget import forget_of
from lull.service.wiring.learning import Learning
from lull.service.wiring.memory import Memory
from lull.service.wiring.night import night_of, parts_of
from lull.service.wiring.weights import Weights, weights_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowLoop:
    weights: Weights
    adapters: AdapterParts
    night: Night
    forget: Forget


def slow_loop_of(
    world: World,
    settings: Callable[[], Settings],
    paths: Paths,
    *,
    learning: Learning,
    memory: Memory,
    short_of_memory: Callable[[], bool],
) -> SlowLoop:
    weights = weights_of(
        settings(),
        paths,
        world.asking,
        world.stores.database,
        world.problems,
        world.local,
        world.clock,
    )
    parts = parts_of(world, settings, paths, learning)
    adapters = adapters_of(
        world, settings, learning=learning, parts=parts, host=weights.host(world.local)
    )
    night = night_of(
        world,
        settings,
        parts,
        learning=learning,
        trainer=TrainerProcesses(),
        promote=adapters.promote,
        memory=memory,
        short_of_memory=short_of_memory,
    )
    forget = forget_of(
        world, paths, parts, learning=learning, night=night, promote=adapters.promote, memory=memory
    )
    return SlowLoop(weights=weights, adapters=adapters, night=night, forget=forget)
