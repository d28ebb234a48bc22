"""Notices that a child process hangs: it was stopped by a signal such as SIGSTOP, or sleeps
although it has a request to answer.

Such a process keeps its sockets and pipes open and never answers. A slow one is left alone: it is
ready to run, and uses what time it gets.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import psutil

CHECK_EVERY_S = 2.0
"""Seconds between checks of the process."""
STOPPED_CHECKS = 2
"""Consecutive checks that must find the process stopped; so it takes at most 6 s."""


def _always() -> bool:
    return True


class HangChecks:
    """Checks now and then whether a process hangs.

    Two checks in a row must find it stopped. It hangs when it has a request to answer and has slept
    for `asleep_s` seconds with all processes that it started, without using the processor.
    `every_s` is the number of seconds between checks.
    """

    def __init__(
        self, pid: int, *, asleep_s: float = math.inf, every_s: float = CHECK_EVERY_S
    ) -> None:
        self._pid = pid
        self._asleep_s = asleep_s
        self._every_s = every_s
        self._stopped, self._slept_s, self._used_s = 0, 0.0, math.nan

    def check(self, *, asked: bool) -> str:
        """Return how the process hangs, "somebody had stopped it" (by a signal) or "it hung"; "" if
        it does not. `asked` says whether it has a request to answer.
        """
        self._stopped = self._stopped + 1 if _is_stopped(self._pid) else 0
        before_s, self._used_s = self._used_s, _used_while_asleep_s(self._pid)
        idle = asked and self._used_s == before_s
        self._slept_s = self._slept_s + self._every_s if idle else 0.0
        if self._stopped >= STOPPED_CHECKS:
            return "somebody had stopped it"
        if self._slept_s >= self._asleep_s:
            return "somebody had stopped it" if self._stopped else "it hung"
        return ""


async def wait_until_hung(
    pid: int,
    *,
    asked: Callable[[], bool] = _always,
    asleep_s: float = math.inf,
    every_s: float = CHECK_EVERY_S,
) -> str:
    """Wait until a process hangs, and return how, as `HangChecks` says; the function `asked`
    returns whether it has a request to answer.
    """
    checks = HangChecks(pid, asleep_s=asleep_s, every_s=every_s)
    while True:
        await asyncio.sleep(every_s)
        if how := checks.check(asked=asked()):
            return how


def _is_stopped(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False


def _used_while_asleep_s(pid: int) -> float:
    """Return the processor seconds that a process and those it started have used; NaN unless all
    of them sleep or were stopped.
    """
    used_s = 0.0
    try:
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            if one.status() not in (psutil.STATUS_SLEEPING, psutil.STATUS_STOPPED):
                return math.nan
            times = one.cpu_times()
            used_s += times.user + times.system
    except psutil.Error:
        return math.nan
    return used_s
