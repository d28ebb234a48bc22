"""An asyncio event loop whose clock jumps to the next timer, so that waiting takes no real time.

Everything that waits with asyncio (sleeps, time-outs) waits in virtual time; what comes from other
threads comes when it comes.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    """Selector that never sleeps while a timer is due, but moves the clock."""

    def __init__(self, threads: bool, busy: Callable[[], bool] | None) -> None:
        super().__init__()
        self.now_s = 0.0
        self._threads = threads
        self._busy = busy

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            return super().select(None)  # only another thread can go on from here
        ready = super().select(0) if self._threads else []
        if not ready and timeout > 0 and self._busy is not None and self._busy():
            return super().select(0.01)  # what a thread is doing now takes no virtual time
        if not ready:
            self.now_s += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Event loop in virtual time. `threads=False` skips polling for other threads while a timer is
    due, which halves the time of a simulated year; `busy` stops the clock while a thread is
    awaited.
    """

    def __init__(self, *, threads: bool = True, busy: Callable[[], bool] | None = None) -> None:
        self.selector = _Selector(threads, busy)
        super().__init__(self.selector)
        # A timer is due when it lies before now and this. asyncio's nanosecond is lost in a float
        # after 2**24 s: in the middle of July the year would stand still, and spin.
        self._clock_resolution = 1e-6

    def time(self) -> float:
        return self.selector.now_s


class VirtualClock:
    """Clock on the loop's virtual time; implements `Clock`. `put` moves only the wall clock."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, start: datetime, zone: tzinfo = UTC
    ) -> None:
        self._loop = loop
        self._start = start.astimezone(UTC)
        self._zone = zone

    def now(self) -> datetime:
        return self.local().astimezone(UTC)

    def local(self) -> datetime:
        """Return the current time in the user's time zone."""
        return (self._start + timedelta(seconds=self._loop.time())).astimezone(self._zone)

    def monotonic_s(self) -> float:
        return self._loop.time()

    def put(self, seconds: float) -> None:
        self._start += timedelta(seconds=seconds)


def run(main: Coroutine[Any, Any, T], loop: VirtualLoop) -> T:
    """Run a coroutine to its end on this loop, as asyncio.run does."""
    try:
        return loop.run_until_complete(main)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
