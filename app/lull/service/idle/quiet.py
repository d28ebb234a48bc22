"""Decides when Lull may ask the user's models questions of its own: only while no chat runs.

Only chats count, not every request: a client that lists its models every few seconds is not using
them. Lull's own work is cancelled as soon as a chat arrives, and starts over when no chat has run
for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

from lull.core.ports import Clock
from lull.loops.idle.decide_idle import ChatCounts

T = TypeVar("T")


class Activity:
    """Counts the chats in progress and the time since the last one; implements
    `CountsRunningChats`.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._chats = 0
        self._begun_s = clock.monotonic_s()
        self._last_s: float | None = None
        self._came = asyncio.Event()

    @contextmanager
    def chat(self) -> Iterator[None]:
        """Context manager that counts a chat as in progress, from its arrival to the end of its
        answer.
        """
        self._chats += 1
        self._came.set()
        try:
            yield
        finally:
            self._chats -= 1
            self._last_s = self._clock.monotonic_s()

    @property
    def busy(self) -> bool:
        """Whether a chat of the user is in progress."""
        return self._chats > 0

    @property
    def quiet_s(self) -> float:
        """Seconds since the last chat ended; 0 during a chat, infinite before the first one."""
        if self._chats:
            return 0.0
        return float("inf") if self._last_s is None else self._clock.monotonic_s() - self._last_s

    @property
    def quiet_since_start_s(self) -> float:
        """Seconds since the last chat ended or since Lull started, whichever was later.

        The start counts because a user who starts Lull often chats soon after.
        """
        return min(self.quiet_s, self._clock.monotonic_s() - self._begun_s)

    def chat_counts(self) -> ChatCounts:
        return ChatCounts(self._chats, self.quiet_s)

    async def next_chat(self) -> None:
        """Wait until a chat is in progress."""
        self._came.clear()
        if not self._chats:
            await self._came.wait()


class QuietTimes:
    """Lets Lull ask models one question at a time, never during a chat (implements Quiet)."""

    def __init__(
        self,
        activity: Activity,
        *,
        after_s: Callable[[], float],
        allowed: Callable[[], bool] = lambda: True,
    ) -> None:
        """The function `after_s` returns for how many seconds no chat must have run before work may
        begin.

        The function `allowed` returns False for reasons other than chats, such as a user at the
        keyboard, a pause or a low battery.
        """
        self._activity = activity
        self._after_s = after_s
        self._allowed = allowed
        self._asking = asyncio.Lock()
        """Held while a model answers one of Lull's questions."""
        self._hurried = 0
        self._hurry = asyncio.Event()

    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        """Run `work` when no chat has run for a while. A chat that arrives cancels it; it then
        starts over when no chat has run for a while again.

        `hurry` is for work whose result the user waits for: it starts as soon as no chat is in
        progress, and before other work.
        """
        with self._in_a_hurry() if hurry else nullcontext():
            while True:
                await self._its_time(hurry=hurry)
                async with self._asking:
                    if self._may(hurry=hurry) and (done := await self._alone(work, hurry=hurry)):
                        return done.result()

    @contextmanager
    def _in_a_hurry(self) -> Iterator[None]:
        self._hurried += 1
        self._hurry.set()
        try:
            yield
        finally:
            self._hurried -= 1
            if not self._hurried:
                self._hurry.clear()

    def _may(self, *, hurry: bool) -> bool:
        if hurry:
            return not self._activity.busy
        quiet = not self._activity.busy and self._activity.quiet_since_start_s >= self._after_s()
        return quiet and not self._hurried and self._allowed()

    async def _its_time(self, *, hurry: bool) -> None:
        """Wait until work may run, checking each second, since settings and pauses change."""
        while not self._may(hurry=hurry):
            left_s = 0.0 if hurry else self._after_s() - self._activity.quiet_since_start_s
            await asyncio.sleep(min(max(left_s, 0.05), 1.0))

    async def _alone(
        self, work: Callable[[], Awaitable[T]], *, hurry: bool
    ) -> asyncio.Future[T] | None:
        """Run the work and return its result; None if a chat, a hurried question or a condition
        interrupted it.
        """
        task = asyncio.ensure_future(work())
        others: list[asyncio.Future[Any]] = [asyncio.create_task(self._activity.next_chat())]
        if not hurry:
            others.append(asyncio.create_task(self._hurry.wait()))
        try:
            done: set[asyncio.Future[Any]] = set()
            while not done and (hurry or self._allowed()):
                done, _ = await asyncio.wait(
                    {task, *others}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED
                )
            return task if task.done() else None
        finally:
            for pending in (task, *others):
                pending.cancel()
            await asyncio.gather(task, *others, return_exceptions=True)
