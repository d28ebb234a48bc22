"""One unit of work at a time: begun, suspended, gone on with, and its memory given back.

Decides nothing about when; `watch_idle.py` says so. What it sees to is that there are never two at
once, that stopping is quick even where the work is not, and that a piece which fails is left alone
for a while.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from lull.core.errors import LullError
from lull.core.lull_work import LullWork
from lull.core.ports import Clock
from lull.store.windows import Done

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerRule:
    suspend_within_s: float = 0.15
    """Work that takes longer to stop loses its memory instead: 250 ms in all, of which the look
    at the user's input takes up to 100."""
    overrun_s: float = 20.0
    """So long past the end of its unit, work is taken to hang."""
    rest_s: float = 900.0
    """Work that failed or hung is left alone for so long."""


class Runner:
    def __init__(
        self,
        *,
        clock: Clock,
        ended: Callable[[], None],
        problem: Callable[[str, LullError | None], None],
        rule: RunnerRule,
    ) -> None:
        """`ended` is called when a unit came to its end; `problem` with None when all is well."""
        self._clock = clock
        self._ended = ended
        self._problem = problem
        self._rule = rule
        self._work: LullWork | None = None
        self._unit: asyncio.Task[None] | None = None
        self._until_s = 0.0
        self._since_s: float | None = None
        """When it began to run without a stop; None while it stands."""
        self._stood_s = 0.0
        self._resting: dict[str, float] = {}
        self._done: dict[tuple[str, str], tuple[float, int]] = {}

    @property
    def work(self) -> LullWork | None:
        """Begun and not ended, running or suspended."""
        return self._work

    @property
    def running(self) -> bool:
        return self._since_s is not None

    @property
    def suspended_s(self) -> float | None:
        """For how long the work has been suspended with its memory; None when none is."""
        if self._work is None or self.running:
            return None
        return self._clock.monotonic_s() - self._stood_s

    def rests(self, work: LullWork) -> bool:
        """It failed a short while ago."""
        return self._resting.get(work.id, -1.0) > self._clock.monotonic_s()

    @property
    def used_s(self) -> float:
        return sum(used_s for used_s, _ in self._done.values()) + self._running_s()

    def done(self) -> tuple[Done, ...]:
        """What was done since `cleared`."""
        return tuple(
            Done(kind=kind, text=text, used_s=used_s, units=units)
            for (kind, text), (used_s, units) in self._done.items()
        )

    def cleared(self) -> None:
        """A new window: count from nothing."""
        self._done = {}

    # Acting

    def begin(self, work: LullWork, *, until_s: float) -> None:
        if self._work is not None:
            raise RuntimeError("there is never more than one unit at a time")
        self._work, self._until_s = work, until_s
        self._since_s = self._clock.monotonic_s()
        self._unit = asyncio.ensure_future(self._one(work, until_s))
        self._unit.add_done_callback(lambda _: self._ended())

    async def _one(self, work: LullWork, until_s: float) -> None:
        await work.run_slice(until_s)

    async def collect(self) -> None:
        """Take note of a unit that has ended, or that should have long ago."""
        unit, work = self._unit, self._work
        if unit is None or work is None:
            return
        if not unit.done():
            if self.running and self._clock.monotonic_s() > self._until_s + self._rule.overrun_s:
                await self._overran(work)
            return
        self._count(ended=True)
        self._work = self._unit = None
        if unit.cancelled():
            return
        error = unit.exception()
        if error is None:
            self._problem(work.text, None)
        elif isinstance(error, LullError):
            self._rest(work, error)
        else:
            raise error

    async def suspend(self) -> None:
        """Stop the machine's use now; by force where the work does not stop in time."""
        work = self._work
        if work is None or not self.running:
            return
        try:
            async with asyncio.timeout(self._rule.suspend_within_s):
                await work.suspend()
        except (TimeoutError, LullError) as error:
            log.info("%s did not stop (%r) and loses its memory", work.text, error)
            await self.give_back()
            return
        self._count(ended=False)
        self._stood_s = self._clock.monotonic_s()

    async def resume(self) -> None:
        if self._work is None or self.running:
            return
        stood_s = self._clock.monotonic_s() - self._stood_s
        self._until_s += stood_s
        self._since_s = self._clock.monotonic_s()
        await self._work.resume()

    async def give_back(self) -> None:
        """End the unit and free what it holds; what it kept is kept."""
        work, unit = self._work, self._unit
        if work is None or unit is None:
            return
        await work.give_back_memory()
        self._count(ended=False)
        self._work = self._unit = None
        unit.cancel()
        # Whatever it still has to say was said when it lost its memory.
        await asyncio.gather(unit, return_exceptions=True)

    async def _overran(self, work: LullWork) -> None:
        await self.give_back()
        self._rest(work, LullError(f"{work.text} did not end its unit in time."))

    def _rest(self, work: LullWork, error: LullError) -> None:
        self._resting[work.id] = self._clock.monotonic_s() + self._rule.rest_s
        self._problem(work.text, error)

    def _count(self, *, ended: bool) -> None:
        if self._work is None:
            return
        key = (self._work.kind.value, self._work.text)
        used_s, units = self._done.get(key, (0.0, 0))
        self._done[key] = (used_s + self._running_s(), units + ended)
        self._since_s = None

    def _running_s(self) -> float:
        return 0.0 if self._since_s is None else self._clock.monotonic_s() - self._since_s
