"""Interrupts Python code that uses too much CPU time, from within its own process.

Only for a single-purpose child process, because the exception may interrupt any step. Needs the
main thread and a Unix timer; without one, only the parent's timeout ends the child.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Overdue(BaseException):
    """Raised in a code block when its allowed CPU time is used up.

    It is not an `Exception`, so that no library catches it.
    """


class CpuTimeLimit:
    """Limits the CPU time of code blocks, using the process's CPU-time timer.

    CPU time is used rather than wall time, so that a busy machine does not make good events fail.
    """

    def __init__(self) -> None:
        self._armed = False
        self._there = hasattr(signal, "setitimer")
        if self._there:
            # Never restored: the default handler would let a late signal kill the process.
            signal.signal(signal.SIGPROF, self._ring)

    def _ring(self, _: int, __: FrameType | None) -> None:
        if self._armed:
            raise Overdue

    @contextmanager
    def limited(self, cpu_s: float) -> Iterator[None]:
        """Context manager that raises Overdue once `cpu_s` more CPU seconds are spent."""
        self._armed = True
        if self._there:
            # Repeats, because an exception raised inside a destructor is swallowed.
            signal.setitimer(signal.ITIMER_PROF, cpu_s, 0.01)
        try:
            yield
        finally:
            self._armed = False
            if self._there:
                signal.setitimer(signal.ITIMER_PROF, 0)
