"""Runs background work in units, each a limited time of work on one item: starts, suspends and
resumes units, and frees their memory.

It never runs two units at once, stops quickly even if the work does not react, and does not retry
work that failed for a while. `watch_idle` decides when to run.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lull.core.errors import LullError
from lull.core.idle.scheduling import LullWork
from lull.core.ports import Clock, ProblemReporter
from lull.store.idle.windows import WorkDone

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerRule:
    """Time limits for suspending background work, freeing its memory, and retrying it after a
    failure.
    """

    suspend_within_s: float = 0.15
    """Seconds within which work must suspend; if it takes longer, it is ended and loses its memory.

    Together with reading the user's input (up to 100 ms) stopping takes at most 250 ms.
    """
    overrun_s: float = 1200.0
    """Seconds past the end of its unit after which work counts as hung.

    A step may ask a slow model for several long answers, each with a time limit of its own; work
    stops for the user in the middle of a step, too.
    """
    give_back_within_s: float = 2.0
    """Most seconds to wait for work that was told to end until it has freed its memory.

    `lull why` waits for it too. Nothing else begins until slower work has ended.
    """
    rest_s: float = 900.0
    """Seconds for which work that failed or hung is not tried again."""


class Runner:
    """Runs background work, at most one unit (a limited time of one work item) at once."""

    def __init__(
        self,
        *,
        clock: Clock,
        ended: Callable[[], None],
        problems: ProblemReporter,
        rule: RunnerRule,
    ) -> None:
        """The callback `ended` is called when a unit (a limited time) of background work ends.

        `problems` shows the user the work's error, until the work succeeds.
        """
        self._clock = clock
        self._ended = ended
        self._problems = problems
        self._rule = rule
        self._work: LullWork | None = None
        self._unit: asyncio.Task[None] | None = None
        self._begun = False
        """Whether the unit's code has started; before that there is nothing to stop."""
        self._may_begin = asyncio.Event()
        self._stuck: set[asyncio.Future[None]] = set()
        self._until_s = 0.0
        self._since_s: float | None = None
        """When the work last started or resumed; None while it is suspended."""
        self._stood_s = 0.0
        self._resting: dict[str, float] = {}
        self._done: dict[tuple[str, str], tuple[float, int]] = {}

    @property
    def work(self) -> LullWork | None:
        """The item of background work in progress, running or suspended; None if there is none."""
        return self._work

    @property
    def running(self) -> bool:
        """Whether a unit of background work is running at this moment."""
        return self._since_s is not None

    @property
    def stuck(self) -> bool:
        """Whether background work that was told to end is still running; until it ends, no other
        work may begin.
        """
        self._stuck = {one for one in self._stuck if not one.done()}
        return bool(self._stuck)

    @property
    def suspended_s(self) -> float | None:
        """Seconds since the current background work was suspended; it still keeps its memory.

        None when nothing is suspended.
        """
        if self._work is None or self.running:
            return None
        return self._clock.monotonic_s() - self._stood_s

    def retry_wait_s(self, work: LullWork) -> float:
        """Return the seconds until background work that failed may be retried; 0 if it may run
        now.
        """
        return max(0.0, self._resting.get(work.id, 0.0) - self._clock.monotonic_s())

    def allow_retries(self) -> None:
        """Allow background work that failed to be retried immediately, because the user asks for
        it.
        """
        self._resting.clear()

    @property
    def used_s(self) -> float:
        """Seconds of background work in the current idle window (the time in which it may run),
        that is since the last call of `reset_done`.
        """
        return sum(used_s for used_s, _ in self._done.values()) + self._running_s()

    def done(self, waiting: Iterable[LullWork]) -> tuple[WorkDone, ...]:
        """Return the background work done since the current idle window (the time in which it may
        run) opened, summed up by kind and description. What still waits in the queue, `waiting`,
        is not finished.
        """
        left = {(work.kind.value, work.text) for work in waiting}
        return tuple(
            WorkDone(
                kind=kind,
                text=text,
                used_s=used_s,
                units=units,
                finished=(kind, text) not in left,
            )
            for (kind, text), (used_s, units) in self._done.items()
        )

    def reset_done(self) -> None:
        """Clear the records of background work done, because a new idle window (a time in which it
        may run) begins.
        """
        self._done = {}

    # Running work

    def begin(self, work: LullWork, *, until_s: float) -> None:
        """Start a unit of background work, which is to stop at the time `until_s` (monotonic
        clock).
        """
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
        # It may be suspended before its code starts, and must then not start.
        await may_begin.wait()
        self._begun = True
        await work.run_slice(self._until_s)

    async def collect(self) -> None:
        """Clean up after a unit of background work that has ended, handling its error if it failed;
        end a unit that has overrun its time.
        """
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
            self._problems.set_or_clear(work.text, None)
        elif isinstance(error, LullError):
            self._rest(work, error)
        else:
            raise error

    async def suspend(self) -> None:
        """Suspend the running background work; if it does not stop in time, end it."""
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
        """Resume suspended background work; its unit is extended by the time that it was
        suspended.
        """
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
        """End the current unit of background work and free its memory; stored progress stays."""
        work, unit = self._work, self._unit
        if work is None or unit is None:
            return
        self._count(ended=False)
        self._work = self._unit = None
        freeing = asyncio.ensure_future(work.give_back_memory())
        await self._ended_in_time(freeing, work)
        # Errors of the unit itself no longer matter once its memory is freed.
        unit.cancel()
        await self._ended_in_time(unit, work)
        if freeing.done() and not freeing.cancelled() and (error := freeing.exception()):
            if not isinstance(error, LullError):
                raise error
            self._rest(work, error)

    async def _ended_in_time(self, task: asyncio.Future[None], work: LullWork) -> None:
        """Wait for a task to end. It may ignore cancellation, so `asyncio.timeout` would hang."""
        try:
            await asyncio.wait({task}, timeout=self._rule.give_back_within_s)
        finally:
            if not task.done():
                task.cancel()
                task.add_done_callback(_fetch_exception)
                self._stuck.add(task)
                error = LullError(f"{work.text} did not end when it was told to.")
                self._rest(work, error)
            else:
                _fetch_exception(task)

    async def _overran(self, work: LullWork) -> None:
        await self.give_back()
        self._rest(work, LullError(f"{work.text} did not finish its current step in time."))

    def _rest(self, work: LullWork, error: LullError) -> None:
        self._resting[work.id] = self._clock.monotonic_s() + self._rule.rest_s
        self._problems.set_or_clear(work.text, error)

    def _count(self, *, ended: bool) -> None:
        if self._work is None:
            return
        key = (self._work.kind.value, self._work.text)
        used_s, units = self._done.get(key, (0.0, 0))
        self._done[key] = (used_s + self._running_s(), units + ended)
        self._since_s = None

    def _running_s(self) -> float:
        return 0.0 if self._since_s is None else self._clock.monotonic_s() - self._since_s


def _fetch_exception(task: asyncio.Future[None]) -> None:
    """Fetch a task's exception, or asyncio would report it as never retrieved."""
    if not task.cancelled():
        task.exception()
