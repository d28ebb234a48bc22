"""When Lull may use the user's models for itself: while the user does not.

Chats are counted, not every request: a client that lists its models every few seconds does not use
them. What has begun when a chat comes is cancelled at once, and begun again when it is quiet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from lull.core.ports import Clock

T = TypeVar("T")


class Activity:
    """Chats under way, and when there was one last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._chats = 0
        self._last_s = clock.monotonic_s()
        self._came = asyncio.Event()

    @contextmanager
    def chat(self) -> Iterator[None]:
        """Around one chat, from its arrival to the end of its answer."""
        self._chats += 1
        self._came.set()
        try:
            yield
        finally:
            self._chats -= 1
            self._last_s = self._clock.monotonic_s()

    @property
    def busy(self) -> bool:
        return self._chats > 0

    @property
    def quiet_s(self) -> float:
        """Since the last chat ended; 0 while one is under way."""
        return 0.0 if self._chats else self._clock.monotonic_s() - self._last_s

    async def next_chat(self) -> None:
        """Return when a chat is under way."""
        self._came.clear()
        if not self._chats:
            await self._came.wait()


class QuietTimes:
    """Implements core.ports.Quiet."""

    def __init__(
        self,
        activity: Activity,
        *,
        after_s: Callable[[], float],
        allowed: Callable[[], bool] = lambda: True,
    ) -> None:
        """`allowed`: nothing but chats stands against it, such as a pause or an empty battery."""
        self._activity = activity
        self._after_s = after_s
        self._allowed = allowed

    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        if hurry:
            return await work()
        while True:
            await self._quiet()
            task = asyncio.ensure_future(work())
            chat = asyncio.create_task(self._activity.next_chat())
            try:
                await asyncio.wait({task, chat}, return_when=asyncio.FIRST_COMPLETED)
                if task.done():
                    return task.result()
            finally:
                for pending in (task, chat):
                    pending.cancel()
                await asyncio.gather(task, chat, return_exceptions=True)

    async def _quiet(self) -> None:
        while (
            self._activity.busy or self._activity.quiet_s < self._after_s() or not self._allowed()
        ):
            left_s = self._after_s() - self._activity.quiet_s
            # Looked at anew each second: the setting and the user may change their mind.
            await asyncio.sleep(min(max(left_s, 0.05), 1.0))
