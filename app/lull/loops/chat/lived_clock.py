"""Tells the time and, because a system clock may be wrong, the days that Lull has lived through.

What must not happen early because somebody set the clock ahead is measured in these days.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from lull.core.chat.day_count import DayCount
from lull.core.ports import Clock
from lull.store.forgetting.retention import Retention

_DAY_S = 86_400.0


class LivedClock:
    """The system's clock, with the count of days that have surely passed since Lull's first start
    (implements `Clock`). There is one in a service: each start counts once.
    """

    def __init__(self, clock: Clock, retention: Retention) -> None:
        self._clock = clock
        self._retention = retention
        self._lived: DayCount | None = None
        self._counted_s = 0.0
        self._one = asyncio.Lock()

    def now(self) -> datetime:
        """Return the current time by the system clock, timezone-aware, in UTC."""
        return self._clock.now()

    def monotonic_s(self) -> float:
        """Return the seconds since an arbitrary start; the value never goes backwards."""
        return self._clock.monotonic_s()

    async def days(self) -> DayCount:
        """Return the count of days up to now."""
        async with self._one:
            return await self._counted()

    async def count(self) -> DayCount:
        """Count the day that the system clock shows, store the count of days, and date with it the
        conversations that were recorded or continued since the last call; return the count.
        """
        async with self._one:
            lived = (await self._counted()).after_seeing_day(self.now().toordinal())
            await self._retention.save_day_count(lived)
            self._lived = lived
            return lived

    async def lasted(self, what: str, which: str) -> timedelta:
        """Return for how long something has lasted by the count of days, measured from the first
        call that asked for it. `what` names what there is one of, and `which` tells it from the
        one before.
        """
        lived = await self.days()
        first = await self._retention.first_day(what, which, lived.sure)
        return timedelta(days=lived.age(first))

    async def _counted(self) -> DayCount:
        now_s = self.monotonic_s()
        if self._lived is None:
            self._lived = (await asyncio.to_thread(self._retention.day_count)).after_restart()
        else:
            self._lived = self._lived.after_running((now_s - self._counted_s) / _DAY_S)
        self._counted_s = now_s
        return self._lived
