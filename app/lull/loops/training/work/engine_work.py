"""Runs those parts of training that need the inference engine: sampling answers, preparing training
runs and testing new LoRA adapters.

Work stops at once when the user comes back: the current piece is cancelled and repeated later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from lull.core.idle.scheduling import WorkKind
from lull.core.ports import Clock

GROUP_S: Final = 2.0
"""Assumed seconds to sample one group of answers, until some are measured."""


class EngineWork:
    """Background work of training that needs the inference engine, such as sampling answers, done
    in small pieces that can be interrupted (implements LullWork).

    A piece that is interrupted is repeated; finished pieces are stored.
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
        step: Callable[[float], Awaitable[bool]],
        clock: Clock,
    ) -> None:
        """The function `step` does one piece of the work, at most until the given time (monotonic
        clock), and returns True if there is more.

        `text` and `progress` (0 to 1) describe the work to the user; `left_s` and `needs_s`
        estimate the seconds left in all and needed at least.
        """
        self.id = work_id
        self.kind = kind
        self.text = text
        self.value = 1.0
        self.progress = progress
        self.left_s = left_s
        self.needs_s = needs_s
        self._step = step
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
        """Do one piece of the work; return True if there may be more, also if it was stopped."""
        self._piece = piece = asyncio.ensure_future(self._step(until_s))
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
