"""Keeps the service's background tasks alive: one that falls is started again, later each time.

A task that keeps falling is left lying after a few tries and stands among the problems; the data
plane goes on without it.
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

Job = Callable[[], Awaitable[None]]


class Supervisor:
    def __init__(self, problems: Problems, clock: Clock) -> None:
        self._problems = problems
        self._clock = clock

    async def keep(self, name: str, job: Job) -> None:
        """Run `job` until it returns; restart it when it raises."""
        backoff = Backoff()
        while True:
            try:
                await job()
                return
            except Exception as error:
                backoff = backoff.fallen(self._clock.monotonic_s())
                delay_s = backoff.delay_s
                log.error("%s failed", name, exc_info=error)
                self._problems.came(name, _in_words(name, error, delay_s))
                if delay_s is None:
                    return
                await asyncio.sleep(delay_s)
                self._problems.went(name)


def _in_words(name: str, error: Exception, delay_s: float | None) -> LullError:
    if isinstance(error, LullError):
        return error
    then = f"It is tried again in {delay_s:g} s." if delay_s is not None else "It stays off."
    return LullError(f"{name} failed: {type(error).__name__}.", hint=f"{then} See `lull logs`.")
