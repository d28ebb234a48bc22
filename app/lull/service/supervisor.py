"""Keeps the service's background tasks alive: one that falls is started again, later each time.

A task that keeps falling is left lying after a few tries and stands among the problems; the data
plane goes on without it. A problem is taken back when the task has run for a while, not when it
was started, or it would come and go with every try.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from lull.core.backoff import Backoff
from lull.core.errors import LullError
from lull.core.ports import Clock
from lull.service.problems import Problems

log = logging.getLogger(__name__)

STEADY_S = 10.0
"""A task that has run for so long is taken to be well."""

Job = Callable[[], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]


class Supervisor:
    def __init__(self, problems: Problems, clock: Clock, *, sleep: Sleep = asyncio.sleep) -> None:
        self._problems = problems
        self._clock = clock
        self._sleep = sleep

    async def keep(self, name: str, job: Job) -> None:
        """Run `job` until it returns; restart it when it raises."""
        backoff = Backoff()
        while True:
            steady = asyncio.create_task(self._well_after_a_while(name))
            try:
                await job()
                self._problems.went(name)
                return
            except Exception as error:
                backoff = backoff.fallen(self._clock.monotonic_s())
                log.error("%s failed", name, exc_info=error)
                self._problems.came(name, _in_words(name, error, backoff.delay_s))
            finally:
                steady.cancel()
                await asyncio.gather(steady, return_exceptions=True)
            if backoff.delay_s is None:
                return
            await self._sleep(backoff.delay_s)

    async def _well_after_a_while(self, name: str) -> None:
        await self._sleep(STEADY_S)
        self._problems.went(name)


def _in_words(name: str, error: Exception, delay_s: float | None) -> LullError:
    if isinstance(error, LullError):
        return error
    then = f"It is tried again in {delay_s:g} s." if delay_s is not None else "It stays off."
    return LullError(f"{name} failed: {type(error).__name__}.", hint=f"{then} See `lull logs`.")
