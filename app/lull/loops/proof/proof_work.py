"""Runs the proof of a proposed skill as background work, one replayed request at a time.

It stops at once when the user comes back. Each finished pair of answers is stored. A replay that
was interrupted is begun again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from lull.core.idle.ports import BorrowsModels
from lull.core.idle.scheduling import WorkKind
from lull.core.ports import Clock
from lull.core.text.coded_text import TextSkillName, coded_text

PAIR_S: Final = 4.0
"""Assumed seconds for one pair of answers on a local model."""

_REPLAY_STOPS_WITHIN_S: Final = 0.5
"""Most time to wait for a cancelled replay to stop; an unfinished one could reload the model."""


class ProofWork:
    """The background work that proves one proposed skill by replays, that is past requests answered
    again with and without it (implements the interface LullWork).
    """

    kind = WorkKind.PROOF
    needs_s = PAIR_S
    value = 1.0

    def __init__(
        self,
        proposal: str,
        *,
        name: str,
        pairs: int,
        most_pairs: int,
        prove: Callable[[str], Awaitable[int]],
        clock: Clock,
        models: BorrowsModels,
    ) -> None:
        """The function `prove` replays requests for a while and returns the number of answer pairs
        added, 0 when the proof has ended.

        `models` lends the models for each replay, and takes them back when their memory is needed.
        """
        self.id = proposal
        self.text = self.doing(name)
        self.progress = min(1.0, pairs / most_pairs)
        self.left_s = max(1, most_pairs - pairs) * PAIR_S
        self._prove = prove
        self._clock = clock
        self._models = models
        self._may_go = asyncio.Event()
        self._ended = False
        self._replaying: asyncio.Task[int] | None = None

    def doing(self, name: str) -> str:
        """Return a line for the user that says that the skill of this name is being proved."""
        return coded_text("work-proof", "Testing the skill %1", TextSkillName(name))

    async def run_slice(self, until_s: float) -> None:
        self._may_go.set()
        await self._models.note_loaded()
        while not self._ended and self._clock.monotonic_s() < until_s:
            await self._may_go.wait()
            if self._ended or not await self._replay_slice():
                return

    async def _replay_slice(self) -> bool:
        """Replay a slice; True while there may be more, also when it was stopped."""
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
            await asyncio.wait({self._replaying}, timeout=_REPLAY_STOPS_WITHIN_S)
        await self._models.unload_own()


class PlacingWork(ProofWork):
    """The background work of finding at which place in its prompt a model obeys skills best
    (implements the interface LullWork).
    """

    kind = WorkKind.EXAM
    value = 0.05

    def doing(self, name: str) -> str:
        return coded_text(
            "work-placing",
            "Testing where %1 follows skills best: in the instructions before a conversation, or "
            "before or after your message",
            name,
        )


class UseWork(ProofWork):
    """The background work of replaying past requests to measure the effect of one approved skill
    (implements the interface LullWork).
    """

    value = 0.1

    def doing(self, name: str) -> str:
        return coded_text("work-use", "Measuring what the skill %1 does", TextSkillName(name))
