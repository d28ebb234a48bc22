"""The slow loop's work for lulls: sampling, making runs, training them, testing what came of it.

Each piece stops at once and goes on where it stood: what asks the engine is cancelled and begun
again, the trainer is a process that is stopped, and killed when its memory is needed; it goes on
from its last checkpoint. What is to be done stands in `train.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from lull.core.lull_work import WorkKind
from lull.core.ports import Clock

GROUP_S: Final = 2.0
"""A guess of what one group takes, until one was timed."""


class AskingWork:
    """Work that asks the engine in small pieces. Implements core.lull_work.LullWork.

    A piece that is stopped is begun again; what came to its end is stored.
    """

    def __init__(
        self,
        work_id: str,
        *,
        kind: WorkKind,
        text: str,
        progress: float,
        left_s: float,
        needs_s: float,
        some: Callable[[float], Awaitable[bool]],
        clock: Clock,
    ) -> None:
        """`some` does a piece, until its argument on the monotonic clock at the longest; whether
        there is more of the same."""
        self.id = work_id
        self.kind = kind
        self.text = text
        self.value = 1.0
        self.progress = progress
        self.left_s = left_s
        self.needs_s = needs_s
        self._some = some
        self._clock = clock
        self._may_go = asyncio.Event()
        self._ended = False
        self._piece: asyncio.Future[bool] | None = None

    async def run_slice(self, until_s: float) -> None:
        self._may_go.set()
        while not self._ended and self._clock.monotonic_s() < until_s:
            await self._may_go.wait()
            if self._ended or not await self._one(until_s):
                return

    async def _one(self, until_s: float) -> bool:
        """True while there may be more to do; also when it was stopped in between."""
        self._piece = piece = asyncio.ensure_future(self._some(until_s))
        try:
            await asyncio.wait({piece})
        finally:
            piece.cancel()
        return piece.cancelled() or piece.result()

    async def suspend(self) -> None:
        self._may_go.clear()
        if self._piece is not None:
            self._piece.cancel()

    async def resume(self) -> None:
        self._may_go.set()

    async def give_back_memory(self) -> None:
        self._ended = True
        self._may_go.set()
        if self._piece is not None:
            self._piece.cancel()
            await asyncio.wait({self._piece})
