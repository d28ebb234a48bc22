"""Times the readings of the idle signals (whether the user is away): waits for a fixed interval, or
less if something happens meanwhile.

A service reads at every tick. A simulation may skip ticks at which nothing can have changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class LullPace:
    """Waits between two readings of the idle signals (whether the user is away)."""

    def __init__(self) -> None:
        self._nudged = asyncio.Event()

    def nudge(self) -> None:
        """End the wait for the next reading of the idle signals, because a chat came, work ended or
        the user gave a command.
        """
        self._nudged.set()

    async def wait(self, tick_s: float, steady_s: Callable[[], float]) -> float:
        """Wait until the idle signals (whether the user is away) are to be read again, or until
        `nudge` is called. Return the planned length of the wait in seconds.

        `tick_s` is the normal interval. `steady_s` returns for how long no decision can change by
        the passing of time alone.
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
        """Return how many seconds to wait before the next reading of the idle signals: here always
        the normal interval `tick_s`.
        """
        return tick_s
