"""How long the watch rests between two looks, and what wakes it earlier.

A service looks at every tick. A simulation may pass over ticks at which nothing can have changed;
that is the one thing it does otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Pace:
    def __init__(self) -> None:
        self._nudged = asyncio.Event()

    def nudge(self) -> None:
        """Look now: a chat came, a unit ended, the user said something."""
        self._nudged.set()

    async def rest(self, tick_s: float, steady_s: Callable[[], float]) -> float:
        """Return after a tick or a nudge; the answer is how long it was meant to be.

        `steady_s` says how long, from now, no decision can fall otherwise by time alone.
        """
        planned_s = self.planned_s(tick_s, steady_s)
        try:
            async with asyncio.timeout(planned_s):
                await self._nudged.wait()
        except TimeoutError:
            pass
        self._nudged.clear()
        return planned_s

    def planned_s(self, tick_s: float, _steady_s: Callable[[], float]) -> float:
        return tick_s
