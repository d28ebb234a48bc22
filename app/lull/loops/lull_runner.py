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
    give_back_within_s: float = 2.0
    """Whoever asks why waits for it. What takes longer is left to itself, and nothing else begins
    until it has ended."""
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
        self._begun = False
        """Its unit has had a first moment; before, there is nothing in it that could be stopped."""
        self._may_begin = asyncio.Event()
        self._stuck: set[asyncio.Future[None]] = set()
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
    def stuck(self) -> bool:
        """A piece that was told to end has not yet: another would be the second at once."""
        self._stuck = {one for one in self._stuck if not one.done()}
        return bool(self._stuck)

    @property
    def suspended_s(self) -> float | None:
        """For how long the work has been suspended with its memory; None when none is."""
        if self._work is None or self.running:
            return None
        return self._clock.monotonic_s() - self._stood_s

    def rests_s(self, work: LullWork) -> float:
        """It failed a short while ago and is left alone for so long yet; else 0."""
        return max(0.0, self._resting.get(work.id, 0.0) - self._clock.monotonic_s())

    def forgive(self) -> None:
        """The user asks for work: what failed is tried again now."""
        self._resting.clear()

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
        self._begun = False
        self._may_begin = asyncio.Event()
        self._may_begin.set()
        self._unit = asyncio.ensure_future(self._one(work, self._may_begin))
        self._unit.add_done_callback(lambda _: self._ended())

    async def _one(self, work: LullWork, may_begin: asyncio.Event) -> None:
        # It may be stopped before its first moment, and must not start behind that.
        await may_begin.wait()
        self._begun = True
        await work.run_slice(self._until_s)

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
                if self._begun:
                    await work.suspend()
                else:
                    self._may_begin.clear()
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
        if self._begun:
            await self._work.resume()
        else:
            self._may_begin.set()

    async def give_back(self) -> None:
        """End the unit and free what it holds; what it kept is kept."""
        work, unit = self._work, self._unit
        if work is None or unit is None:
            return
        self._count(ended=False)
        self._work = self._unit = None
        freeing = asyncio.ensure_future(work.give_back_memory())
        await self._ended_in_time(freeing, work)
        # Whatever the unit still has to say was said when it lost its memory.
        unit.cancel()
        await self._ended_in_time(unit, work)
        if freeing.done() and not freeing.cancelled() and (error := freeing.exception()):
            if not isinstance(error, LullError):
                raise error
            self._rest(work, error)

    async def _ended_in_time(self, task: asyncio.Future[None], work: LullWork) -> None:
        """Not `asyncio.timeout`: what hangs may not heed being cancelled either."""
        try:
            await asyncio.wait({task}, timeout=self._rule.give_back_within_s)
        finally:
            if not task.done():
                task.cancel()
                task.add_done_callback(_heard)
                self._stuck.add(task)
                error = LullError(f"{work.text} did not end when it was told to.")
                self._rest(work, error)
            else:
                _heard(task)

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


def _heard(task: asyncio.Future[None]) -> None:
    """Or asyncio would complain that nobody asked what it raised."""
    if not task.cancelled():
        task.exception()
