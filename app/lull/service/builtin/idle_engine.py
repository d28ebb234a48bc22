"""Unloads the engine of the built-in model when nobody, Lull itself included, has used it for a
while.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from lull.core.models.engine import EngineStatus
from lull.core.ports import Clock
from lull.service.proxy.data_plane import DataPlane

log = logging.getLogger(__name__)

_LOOK_WHETHER_QUIET_EVERY_S = 30.0


class UnloadableEngine(Protocol):
    """An inference engine that frees its memory when closed, and loads its model again with the
    next request.
    """

    @property
    def pid(self) -> int | None:
        """The id of the engine's process; None while there is none."""

    async def status(self) -> EngineStatus:
        """Return how busy the engine is. It must be running."""

    async def close(self) -> None:
        """Unload the model and free its memory; the next request loads it again."""


class IdleEngine:
    """Watches how long the engine of the built-in model has been idle, and unloads it after a set
    time.
    """

    def __init__(
        self,
        engine: UnloadableEngine,
        data_plane: DataPlane,
        clock: Clock,
        *,
        after_s: Callable[[], float],
    ) -> None:
        """The function `after_s` returns the idle seconds after which to unload the engine; 0:
        never.
        """
        self._engine = engine
        self._data_plane = data_plane
        self._clock = clock
        self._after_s = after_s

    async def unload(self) -> None:
        """Background job: unload the built-in engine whenever it has been idle long enough."""
        after_s, decoded = self._after_s(), 0
        while after_s:
            await asyncio.sleep(min(after_s, _LOOK_WHETHER_QUIET_EVERY_S))
            quiet_s = self._clock.monotonic_s() - self._data_plane.last_request_s
            if quiet_s < after_s or self._data_plane.in_flight or not self._engine.pid:
                continue
            # Lull itself may be using it for replays, sampling or the gate.
            status = await self._engine.status()
            idle, decoded = status.decoded_tokens == decoded, status.decoded_tokens
            if idle and not status.in_flight:
                log.info("the engine was idle for %.0f minutes: unloaded", quiet_s / 60)
                await self._engine.close()
