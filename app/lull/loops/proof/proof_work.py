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
"""Assumed seconds for one pair of answers on a local model, until some are measured."""
_NEWEST_WEIGHS: Final = 0.3
"""Weight of the newest measured slice in the mean seconds per pair."""

_REPLAY_STOPS_WITHIN_S: Final = 0.5
"""Most time to wait for a cancelled replay to stop; an unfinished one could reload the model."""


class PairTimes:
    """How many seconds one pair of answers takes here, by kind of replay; measured on those that
    were made, since a model on a slow machine may need a minute for what takes another a second.
    """

    def __init__(self) -> None:
        self._mean_s: dict[str, float] = {}

    def pair_s(self, kind: str) -> float:
        """Return the mean seconds for one pair of answers; a guess before the first one."""
        return self._mean_s.get(kind, PAIR_S)

    def note(self, kind: str, *, took_s: float, pairs: int) -> None:
        """Take note of a slice that took `took_s` seconds for this many pairs of answers."""
        if pairs > 0 and took_s > 0.0:
            newest_s = took_s / pairs
            before_s = self._mean_s.get(kind, newest_s)
            self._mean_s[kind] = before_s + _NEWEST_WEIGHS * (newest_s - before_s)


class ProofWork:
    """The background work that proves one proposed skill by replays, that is past requests answered
    again with and without it (implements the interface LullWork).
    """

    kind = WorkKind.PROOF
    replays = "proof"
    """What is replayed, of which each kind takes a time of its own."""
    value = 1.0

    def __init__(
        self,
        proposal: str,
        *,
        times: PairTimes,
        name: str,
        pairs: int,
        most_pairs: int,
        prove: Callable[[str], Awaitable[int]],
        clock: Clock,
        models: BorrowsModels,
    ) -> None:
        """The function `prove` replays requests for a while and returns the number of answer pairs
        added, 0 when the proof has ended. `times` says how long one takes, and learns it.

        `models` lends the models for each replay, and takes them back when their memory is needed.
        """
        self.id = proposal
        self.text = self.doing(name)
        self.progress = min(1.0, pairs / most_pairs)
        self._times = times
        self.needs_s = times.pair_s(self.replays)
        self.left_s = max(1, most_pairs - pairs) * self.needs_s
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
        began_s = self._clock.monotonic_s()
        self._replaying = asyncio.ensure_future(self._prove(self.id))
        try:
            await asyncio.wait({self._replaying})
        finally:
            self._replaying.cancel()
        if self._replaying.cancelled():
            return True
        pairs, took_s = self._replaying.result(), self._clock.monotonic_s() - began_s
        self._times.note(self.replays, took_s=took_s, pairs=pairs)
        return pairs > 0

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
    replays = "placing"
    value = 0.05

    def doing(self, name: str) -> str:
        return coded_text(
            "work-placing",
            "Finding out how %1 follows skills best",
            name,
        )


class UseWork(ProofWork):
    """The background work of replaying past requests to measure the effect of one approved skill
    (implements the interface LullWork).
    """

    replays = "use"
    value = 0.1

    def doing(self, name: str) -> str:
        return coded_text("work-use", "Measuring what the skill %1 does", TextSkillName(name))
