"""An exam as work for a lull: one question after the other, stopped at once when somebody comes.

A question that is stopped is asked again; each mark is stored, so nothing else is lost. What is
asked stands in `examine_models.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from lull.core.lull_work import WorkKind
from lull.core.ports import Clock
from lull.loops.examine_models import QUESTION_S, Waiting

GUESS_S: Final = 6.0
"""Of one question, until one was timed."""
GRACE_S: Final = 10.0
"""A question may run so far over its unit."""
_STOPS_WITHIN_S: Final = 0.5


class ExamWork:
    """Implements core.lull_work.LullWork for one model in one role."""

    kind = WorkKind.EXAM
    needs_s = GUESS_S
    value = 0.1
    """Little beside what a user waits for."""

    def __init__(
        self,
        waiting: Waiting,
        *,
        step: Callable[[float], Awaitable[bool]],
        clock: Clock,
        borrow: Callable[[], Awaitable[None]],
        free: Callable[[], Awaitable[None]],
    ) -> None:
        """`step` asks one question within so many seconds; whether there is another. `borrow` is
        called before the model is asked, `free` when its memory is wanted back."""
        self.id = f"exam {waiting.digest[:16]} {waiting.role.value}"
        self.text = f"Examining {waiting.model} as {waiting.role.value}"
        self.progress = waiting.done / max(1, waiting.of)
        self.left_s = max(1, waiting.of - waiting.done) * GUESS_S
        self._step = step
        self._clock = clock
        self._borrow = borrow
        self._free = free
        self._may_go = asyncio.Event()
        self._ended = False
        self._asking: asyncio.Task[bool] | None = None

    async def run_slice(self, until_s: float) -> None:
        self._may_go.set()
        await self._borrow()
        within_s, took_s = QUESTION_S, 0.0
        # The first question has the whole time; no other is begun that would not come to its end.
        while not self._ended and self._clock.monotonic_s() + took_s < until_s:
            await self._may_go.wait()
            began_s = self._clock.monotonic_s()
            if self._ended or not await self._some(within_s):
                return
            now_s = self._clock.monotonic_s()
            took_s, within_s = now_s - began_s, max(1.0, until_s + GRACE_S - now_s)

    async def _some(self, within_s: float) -> bool:
        """True while there may be more to ask; also when it was stopped in between."""
        self._asking = asyncio.ensure_future(self._ask(within_s))
        try:
            await asyncio.wait({self._asking})
        finally:
            self._asking.cancel()
        return self._asking.cancelled() or self._asking.result()

    async def _ask(self, within_s: float) -> bool:
        return await self._step(within_s)

    async def suspend(self) -> None:
        self._may_go.clear()
        if self._asking is not None:
            self._asking.cancel()

    async def resume(self) -> None:
        self._may_go.set()

    async def give_back_memory(self) -> None:
        self._ended = True
        self._may_go.set()
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking}, timeout=_STOPS_WITHIN_S)
        await self._free()
