"""A proof as work for a lull: replays one after the other, stopped at once when somebody comes.

A replay that is stopped is begun again; each pair that came to its end is stored, so nothing else
is lost. What is replayed and what it comes to stands in `prove.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from lull.core.lull_work import WorkKind
from lull.core.ports import Clock

PAIR_S: Final = 4.0
"""A guess of what one pair takes on a local model, until a proof has been timed."""

_STOPS_WITHIN_S: Final = 0.5
"""A replay that was told to stop; a model that is still asked would be loaded again."""


class ProofWork:
    """Implements core.lull_work.LullWork for one proposal."""

    kind = WorkKind.PROOF
    needs_s = PAIR_S

    def __init__(
        self,
        proposal: str,
        *,
        name: str,
        pairs: int,
        most_pairs: int,
        prove: Callable[[str], Awaitable[int]],
        clock: Clock,
        borrow: Callable[[], Awaitable[None]],
        free: Callable[[], Awaitable[None]],
    ) -> None:
        """`prove` replays a slice of this proposal; how many pairs it added, 0 when it is done.
        `borrow` is called before models are asked, `free` when their memory is wanted back."""
        self.id = proposal
        self.text = f"Proving {name}"
        self.value = 1.0
        self.progress = min(1.0, pairs / most_pairs)
        self.left_s = max(1, most_pairs - pairs) * PAIR_S
        self._prove = prove
        self._clock = clock
        self._borrow = borrow
        self._free = free
        self._may_go = asyncio.Event()
        self._ended = False
        self._replaying: asyncio.Task[int] | None = None

    async def run_slice(self, until_s: float) -> None:
        self._may_go.set()
        await self._borrow()
        while not self._ended and self._clock.monotonic_s() < until_s:
            await self._may_go.wait()
            if self._ended or not await self._some():
                return

    async def _some(self) -> bool:
        """True while there may be more to replay; also when it was stopped in between."""
        self._replaying = asyncio.ensure_future(self._prove(self.id))
        try:
            await asyncio.wait({self._replaying})
        finally:
            self._replaying.cancel()
        return self._replaying.cancelled() or self._replaying.result() > 0

    async def suspend(self) -> None:
        self._may_go.clear()
        if self._replaying is not None:
            self._replaying.cancel()

    async def resume(self) -> None:
        self._may_go.set()

    async def give_back_memory(self) -> None:
        self._ended = True
        self._may_go.set()
        if self._replaying is not None:
            self._replaying.cancel()
            await asyncio.wait({self._replaying}, timeout=_STOPS_WITHIN_S)
        await self._free()
