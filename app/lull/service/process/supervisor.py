"""Keeps the service's background tasks alive: restarts a task that fails, with backoff.

A task that raises LullError (an expected failure, such as a full disk) is restarted until the cause
is gone. A task that keeps raising other exceptions has a bug and is given up after a few tries: it
stays listed as a problem, and the proxy goes on without it. A problem is cleared only after the
restarted task has run for a while, so that it does not flicker with every restart.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from lull.core.backoff import Backoff
from lull.core.errors import LullError
from lull.core.ports import Clock
from lull.service.process.problems import Problems

log = logging.getLogger(__name__)

STEADY_S = 10.0
"""Seconds that a restarted task must run until it counts as healthy again."""

Job = Callable[[], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]
Mends = Callable[[], Awaitable[bool]]


class Supervisor:
    """Keeps a service's background tasks running: restarts those that fail and shows the user their
    errors as problems.
    """

    def __init__(
        self,
        problems: Problems,
        clock: Clock,
        *,
        mends: Mends | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """The function `mends` puts damaged data right and returns whether there was any; a task
        that failed then is started again at once.
        """
        self._mends = mends
        self._problems = problems
        self._clock = clock
        self._sleep = sleep

    async def keep(self, name: str, job: Job) -> None:
        """Run the background task `job` until it returns, restarting it when it raises.

        The task is given up when it raises exceptions other than LullError too often.
        """
        failures, faults = Backoff(), Backoff()
        while True:
            steady = asyncio.create_task(self._well_after_a_while(name))
            try:
                await self._mended(job)
                self._problems.clear(name)
                return
            except LullError as error:
                failures = failures.with_crash(self._clock.monotonic_s())
                delay_s = failures.delay_s or failures.longest_s
                if self._problems.get(name) is None:  # said once, not with each restart
                    log.error("%s failed", name, exc_info=error)
                self._problems.report(name, error)
            except Exception as error:
                # The border of every background job: one that breaks may not end the others.
                faults = faults.with_crash(self._clock.monotonic_s())
                log.error("%s failed", name, exc_info=error)
                self._problems.report(name, _in_words(name, error, faults.delay_s))
                if faults.delay_s is None:
                    return
                delay_s = faults.delay_s
            finally:
                steady.cancel()
                await asyncio.gather(steady, return_exceptions=True)
            await self._sleep(delay_s)

    async def _mended(self, job: Job) -> None:
        try:
            await job()
        except Exception:
            # Whatever it failed over may be damaged data. If not, `keep` handles the error.
            if self._mends is None or not await self._mends():
                raise
            await job()

    async def _well_after_a_while(self, name: str) -> None:
        await self._sleep(STEADY_S)
        self._problems.clear(name)


def _in_words(name: str, error: Exception, delay_s: float | None) -> LullError:
    then = "It stays off until Lull is started again."
    if delay_s is not None:
        then = f"Lull tries again in {delay_s:g} s."
    detail = f"A background task failed ({name}): {type(error).__name__}."
    return LullError(detail, hint=f"{then} See `lull logs`.")
