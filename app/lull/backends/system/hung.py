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


async def wait_until_hung(
    pid: int,
    *,
    asked: Callable[[], bool] = _always,
    asleep_s: float = math.inf,
    every_s: float = CHECK_EVERY_S,
) -> str:
    """Wait until a process hangs, and return how: "somebody had stopped it" (by a signal) or "it
    hung".

    Two checks in a row must find it stopped. It hangs when it has a request to answer (`asked`
    returns True) and has slept for `asleep_s` seconds with all processes that it started, without
    using the processor. `every_s` is the number of seconds between checks.
    """
    stopped, slept_s, used_s = 0, 0.0, math.nan
    while stopped < STOPPED_CHECKS and slept_s < asleep_s:
        await asyncio.sleep(every_s)
        stopped = stopped + 1 if _is_stopped(pid) else 0
        before_s, used_s = used_s, _used_while_asleep_s(pid)
        slept_s = slept_s + every_s if asked() and used_s == before_s else 0.0
    return "somebody had stopped it" if stopped else "it hung"


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
