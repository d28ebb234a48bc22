"""The fast loop's jobs beside the requests: score, write, prove, and act on the user's word.

Each job only says when; what is done stands in `loops/`. A job that a model or a store lets down
says so among the problems and goes on with the next turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from lull.core.errors import LullError
from lull.core.events import Event, EventKind
from lull.core.feedback.feedback import Feedback
from lull.core.proposal import Origin, Proposal, ProposalStatus, may_approve_itself
from lull.loops.evolve import Evolve
from lull.loops.guard import Guard
from lull.loops.hear import Hear
from lull.loops.prove import Prove, Waiting
from lull.loops.review import Review
from lull.loops.score import Score
from lull.service.bus import Bus
from lull.service.problems import Problems

log = logging.getLogger(__name__)
T = TypeVar("T")

GATHER_S = 0.2
"""Turns that come together are scored together."""
AT_ONCE = 32
"""Turns that the judge is asked about when the user asks for it."""
REST = 9.0
"""Scoring rests so many times as long as it took: under load it takes a tenth of the time."""
LOOK_S = 30.0
"""How often jobs look for work that time alone has brought."""
GUARD_EVERY_S = 600.0


class FastLoop:
    def __init__(
        self,
        *,
        hear: Hear,
        score: Score,
        evolve: Evolve,
        prove: Prove,
        review: Review,
        guard: Guard,
        settle: Callable[[], None],
        bus: Bus,
        problems: Problems,
        auto_approve: Callable[[], bool],
    ) -> None:
        """`settle` blocks until everything that was recorded so far can be read."""
        self._hear = hear
        self._score = score
        self._evolve = evolve
        self._prove = prove
        self._review = review
        self._guard = guard
        self._settle = settle
        self._bus = bus
        self._problems = problems
        self._auto_approve = auto_approve
        self._new = asyncio.Event()
        """Something was recorded or rated."""
        self._to_hear = asyncio.Event()
        self._to_judge = asyncio.Event()
        self._to_write = asyncio.Event()
        self._hurried: set[asyncio.Task[LullError | None]] = set()
        self._proofs = asyncio.Lock()
        """Held by the one who replays."""
        self._waiting: list[Waiting] | None = None
        """Proposals to prove; None: to be looked up again."""

    # Jobs, each kept running by the supervisor

    async def scoring(self) -> None:
        """Signals as they come, and what the user's own words teach."""
        async with self._bus.watching(after=self._bus.last) as events:
            await self._score.recalibrate()
            await self._read_all()
            watch = asyncio.create_task(self._watch(events))
            loop, took_s = asyncio.get_running_loop(), 0.0
            try:
                while True:
                    await self._nudged(self._new)
                    await asyncio.sleep(max(GATHER_S, REST * took_s))
                    began_s = loop.time()
                    await self._read_all()
                    took_s = loop.time() - began_s
            finally:
                watch.cancel()

    async def _watch(self, events: AsyncIterator[Event]) -> None:
        async for event in events:
            if event.kind in (EventKind.TURN_RECORDED, EventKind.LABEL):
                self._new.set()

    async def hearing(self) -> None:
        """What users said, read when it is quiet; then what it teaches."""
        while True:
            await self._nudged(self._to_hear)
            await self._told("reader", self._hear_all)

    async def _hear_all(self, *, hurry: bool = False) -> None:
        while await self._hear.step(hurry=hurry, count=self._score.heard):
            await self._learn_of_words()

    async def count_heard(self, heard: Sequence[Feedback]) -> None:
        """Let what was read anew count, and make skills of it."""
        await self._score.heard(heard)
        await self._learn_of_words()

    async def _learn_of_words(self) -> None:
        await self._told("skills from corrections", lambda: self._write((Origin.EXTRACTIVE,)))
        self._to_judge.set()
        self._to_write.set()

    async def judging(self) -> None:
        """Turns that nobody spoke of, when it is quiet; then what was learned of them."""
        while True:
            await self._nudged(self._to_judge)
            if await self._told("judge", self._score.ask_judge):
                self._new.set()

    async def writing(self) -> None:
        """Candidates written by a model, when it is quiet."""
        while True:
            await self._nudged(self._to_write)
            await self._told("skill writer", lambda: self._write((Origin.MODEL,)))

    async def guarding(self) -> None:
        while True:
            await self._told("live guard", self._guard.step)
            await asyncio.sleep(GUARD_EVERY_S)

    # What the jobs share

    async def _read_all(self) -> None:
        await asyncio.to_thread(self._settle)
        await self._score.read_new()
        await self._told("skills from corrections", lambda: self._write((Origin.EXTRACTIVE,)))
        self._to_hear.set()
        self._to_judge.set()
        self._to_write.set()

    async def _write(self, origins: tuple[Origin, ...], *, hurry: bool = False) -> list[Proposal]:
        made = await self._evolve.step(origins, hurry=hurry)
        for proposal in made:
            self._tell(proposal)
        return made

    async def _follow_up(self) -> None:
        """Tell what was decided, and approve where the user has allowed that."""
        for proposal in self._prove.settled():
            self._tell(proposal)
            if proposal.status is ProposalStatus.PROVED and self._auto_approve():
                await self._told("auto-approval", lambda p=proposal: self._approve(p))  # type: ignore[misc]

    async def _approve(self, proposal: Proposal) -> None:
        if may_approve_itself(proposal):
            decided = await self._review.approve(proposal.id, sha256=proposal.sha256)
            self._tell(decided.proposal)

    def _tell(self, proposal: Proposal) -> None:
        self._waiting = None
        self._bus.tell(
            EventKind.PROPOSAL,
            proposal=proposal.id,
            name=proposal.key.name,
            status=proposal.status.value,
        )

    async def _told(
        self,
        name: str,
        work: Callable[[], Awaitable[T]],
        undone: list[LullError] | None = None,
    ) -> T | None:
        """A failure stands among the problems until the next time it works, and is added to what
        is `undone`."""
        try:
            result = await work()
        except LullError as error:
            self._problems.came(name, error)
            if undone is not None:
                undone.append(error)
            return None
        self._problems.went(name)
        return result

    async def _nudged(self, event: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(LOOK_S):
                await event.wait()
        except TimeoutError:
            return
        finally:
            event.clear()

    # In a lull

    def waiting(self) -> list[Waiting]:
        """Proposals that are to be proved, oldest first; asked ten times a second."""
        if self._waiting is None:
            self._waiting = self._prove.waiting()
        return self._waiting

    async def prove_in_lull(self, proposal: str) -> int:
        """A slice of one proof, now: how many pairs it added. Raises LullError."""
        async with self._proofs:
            added = await self._prove.slice(only=proposal)
        self._waiting = None
        await self._follow_up()
        return added

    # The user's own word

    async def prove_now(self, proposal: str | None, *, wait: bool) -> list[LullError]:
        """Score, write and prove now, not in the next lull, and whatever waits for another try;
        or prove this one alone. What a judge or a writer in trouble could not do is answered; it
        does not keep the proofs from going on. Raises LullError."""
        await asyncio.to_thread(self._settle)
        await self._score.read_new()
        undone: list[LullError] = []
        if proposal is None:
            await self._told("reader", partial(self._hear_all, hurry=True), undone)
            ask = partial(self._score.ask_judge, hurry=True, limit=AT_ONCE)
            await self._told("judge", ask, undone)
            own = partial(self._write, (Origin.EXTRACTIVE,))
            await self._told("skills from corrections", own, undone)
            written = partial(self._write, (Origin.MODEL,), hurry=True)
            await self._told("skill writer", written, undone)
        else:
            await self._prove.again(proposal)
        hurried = asyncio.create_task(self._prove_all(proposal))
        self._hurried.add(hurried)
        hurried.add_done_callback(self._hurried.discard)
        if wait and (error := await asyncio.shield(hurried)) is not None:
            raise error
        return undone

    async def _prove_all(self, proposal: str | None) -> LullError | None:
        """Prove to the end; why it could not go on."""
        try:
            async with self._proofs:
                while await self._prove.slice(only=proposal):
                    await self._follow_up()
        except LullError as error:
            self._problems.came("proofs", error)
            return error
        finally:
            await self._follow_up()
        return None

    async def rated(self, turn: str) -> None:
        await asyncio.to_thread(self._settle)
        await self._score.read_new()
        await self._score.rated(turn)
        self._new.set()

    async def picked(self) -> None:
        """The user compared answers: what their picks come to is told and followed."""
        self._waiting = None
        await self._follow_up()

    def looked_at(self) -> None:
        """A decision was taken: there may be room for the next candidate."""
        self._waiting = None
        self._new.set()
