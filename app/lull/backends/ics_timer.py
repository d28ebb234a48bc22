"""Stops Python code that runs too long, from within its own process.

Only for a child that does nothing else: the exception may come between any two steps. It needs the
main thread and a Unix timer; where there is none the parent's clock alone ends the child.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Overdue(BaseException):
    """The CPU time is used up. No Exception, so that no library catches it."""


class Stopwatch:
    """The process's one timer of CPU time, taken over when this is made.

    CPU time and not the clock's: a busy machine must not turn good events into bad ones.
    """

    def __init__(self) -> None:
        self._armed = False
        self._there = hasattr(signal, "setitimer")
        if self._there:
            # For good: a late signal must find this, not the default, which is to die.
            signal.signal(signal.SIGPROF, self._ring)

    def _ring(self, _: int, __: FrameType | None) -> None:
        if self._armed:
            raise Overdue

    @contextmanager
    def limited(self, cpu_s: float) -> Iterator[None]:
        """Raises Overdue inside when `cpu_s` more seconds have been spent."""
        self._armed = True
        if self._there:
            # Again and again, because what is raised inside a destructor is swallowed.
            signal.setitimer(signal.ITIMER_PROF, cpu_s, 0.01)
        try:
            yield
        finally:
            self._armed = False
            if self._there:
                signal.setitimer(signal.ITIMER_PROF, 0)
