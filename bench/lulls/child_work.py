"""Runs a child process as idle-time work, with nothing else to do: the smallest possible work
item.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from lull.backends.mlx.paused_child import PausedChild
from lull.core.idle.scheduling import LullWork, WorkKind


class FixedWorks:
    """The same background work each time; implements OffersWork."""

    def __init__(self, *works: LullWork) -> None:
        self._works = works

    def works(self) -> tuple[LullWork, ...]:
        return self._works


@dataclass
class ChildWork:
    """An endless work item that runs a child process; implements `LullWork` and saves nothing."""

    child: PausedChild
    id: str = "a child"
    text: str = "Computing"
    kind: WorkKind = WorkKind.STEP
    value: float = 1.0
    needs_s: float = 1.0
    left_s: float = 3600.0
    progress: float = 0.0

    def __post_init__(self) -> None:
        self._stands = False
        self.child.suspend()

    async def run_slice(self, until_s: float) -> None:
        await self.resume()
        while self.child.alive and (self._stands or time.monotonic() < until_s):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await self.suspend()

    async def suspend(self) -> None:
        self._stands = True
        self.child.suspend()

    async def resume(self) -> None:
        self._stands = False
        self.child.resume()

    async def give_back_memory(self) -> None:
        await asyncio.to_thread(self.child.kill)
