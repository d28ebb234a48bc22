"""Runs the background jobs of the fast loop: score answers, write candidate skills (instruction
texts), and prove these by replaying past requests.

This module only decides when; the work itself is in `loops/`. A job whose model or store fails
reports a problem and is tried again: at its next run, or by the supervisor after a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from lull.core.errors import LullError
from lull.core.events import Event, EventKind
from lull.core.feedback.feedback import Feedback
from lull.core.proof.proposal import Proposal, ProposalOrigin
from lull.loops.feedback.ask_judge import AskJudge
from lull.loops.feedback.hear import Hear
from lull.loops.feedback.reward_book import RewardBook
from lull.loops.feedback.score import Score
from lull.loops.skills.evolve import Evolve
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.proof.proving import ProofRunner

GATHER_S = 0.2
"""Seconds to wait so that turns arriving together are scored in one pass."""
JUDGED_ON_REQUEST = 32
"""Most turns that the judge is asked about when the user requests it."""
REST_FACTOR = 9.0
"""Scoring pauses for this many times its own duration, so it uses at most a tenth of the time."""
RECHECK_S = 30.0
"""Most seconds before a job checks for work again without an event, because some work becomes due
as time passes.
"""


class FastLoop:
    """Runs the background jobs that learn skills (instruction texts) from feedback; also carries
    out the user's requests to prove skills now or to rate answers.
    """

    def __init__(
        self,
        *,
        hear: Hear,
        book: RewardBook,
        score: Score,
        ask_judge: AskJudge,
        evolve: Evolve,
        proving: ProofRunner,
        settle: Callable[[], None],
        bus: EventBus,
        problems: Problems,
    ) -> None:
        """The function `settle` blocks until all requests and answers recorded so far are
        readable.
        """
        self._hear = hear
        self._book = book
        self._score = score
        self._ask_judge = ask_judge
        self._evolve = evolve
        self._proving = proving
        self._settle = settle
        self._bus = bus
        self._problems = problems
        self._new = asyncio.Event()
        """Set when something was recorded or rated."""
        self._to_hear = asyncio.Event()
        self._to_judge = asyncio.Event()
        self._to_write = asyncio.Event()

    # Jobs, each kept running by the supervisor

    async def scoring(self) -> None:
        """Background job: score each answer after it was recorded, and write candidate skills
        (instruction texts) from corrections in the user's own words.
        """
        async with self._bus.watching(after=self._bus.last) as events:
            await self._book.recalibrate()
            await self._read_all()
            watch = asyncio.create_task(self._watch(events))
            loop, took_s = asyncio.get_running_loop(), 0.0
            try:
                while True:
                    await self._nudged(self._new)
                    await asyncio.sleep(max(GATHER_S, REST_FACTOR * took_s))
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
        """Background job: while no chat runs, read users' messages for feedback, score answers by
        it and write candidate skills (instruction texts) from it.
        """
        while True:
            await self._nudged(self._to_hear)
            await self._problems.attempt("reader", self._hear_all)

    async def _hear_all(self, *, hurry: bool = False) -> None:
        while await self._hear.step(hurry=hurry, count=self._score.rescore_with_feedback):
            self._bus.tell(EventKind.SCORED)
            await self._learn_of_words()

    async def add_feedback(self, findings: Sequence[Feedback]) -> None:
        """Add newly read feedback to the scores of the answers, and write candidate skills
        (instruction texts) from it.
        """
        await self._score.rescore_with_feedback(findings)
        self._bus.tell(EventKind.SCORED)
        await self._learn_of_words()

    async def _learn_of_words(self) -> None:
        await self._problems.attempt(
            "skills from corrections", lambda: self._write((ProposalOrigin.EXTRACTIVE,))
        )
        self._to_judge.set()
        self._to_write.set()

    async def judging(self) -> None:
        """Background job: while no chat runs, have the judge model score answers that got no
        feedback.
        """
        while True:
            await self._nudged(self._to_judge)
            if await self._problems.attempt("judge", self._ask_judge.step):
                self._bus.tell(EventKind.SCORED)
                self._new.set()

    async def writing(self) -> None:
        """Background job: while no chat runs, have a model write candidate skills (instruction
        texts) from failed answers.
        """
        while True:
            await self._nudged(self._to_write)
            await self._problems.attempt(
                "skill writer", lambda: self._write((ProposalOrigin.MODEL,))
            )

    # What the jobs share

    async def _read_all(self) -> None:
        await asyncio.to_thread(self._settle)
        if await self._score.read_new():
            self._bus.tell(EventKind.SCORED)
        await self._problems.attempt(
            "skills from corrections", lambda: self._write((ProposalOrigin.EXTRACTIVE,))
        )
        self._to_hear.set()
        self._to_judge.set()
        self._to_write.set()

    async def _write(
        self, origins: tuple[ProposalOrigin, ...], *, hurry: bool = False
    ) -> list[Proposal]:
        made = await self._evolve.step(origins, hurry=hurry)
        for proposal in made:
            self._proving.publish_change(proposal)
        return made

    async def _nudged(self, event: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(RECHECK_S):
                await event.wait()
        except TimeoutError:
            return
        finally:
            event.clear()

    # The user's requests

    async def prove_now(self, proposal: str | None, *, wait: bool) -> list[LullError]:
        """Score answers, write candidate skills and prove them by replaying past requests, all now:
        without waiting for idle time or for a retry. If `proposal` names one candidate skill, only
        prove that.

        Returns the errors of a feedback reader, judge or skill writer that failed; they do not stop
        the proofs. With `wait`, returns when the proofs have ended, and raises LullError if they
        fail.
        """
        await asyncio.to_thread(self._settle)
        await self._score.read_new()
        undone: list[LullError] = []
        if proposal is None:
            await self._problems.attempt("reader", partial(self._hear_all, hurry=True), undone)
            ask = partial(self._ask_judge.step, hurry=True, limit=JUDGED_ON_REQUEST)
            await self._problems.attempt("judge", ask, undone)
            own = partial(self._write, (ProposalOrigin.EXTRACTIVE,))
            await self._problems.attempt("skills from corrections", own, undone)
            written = partial(self._write, (ProposalOrigin.MODEL,), hurry=True)
            await self._problems.attempt("skill writer", written, undone)
        else:
            await self._proving.prove_again(proposal)
        await self._proving.prove_now(proposal, wait=wait)
        return undone

    def tests_before(self, proposal: str) -> int | None:
        """Return how many other tests go before the one of this proposed skill that the user asked
        for: 0 if it is under way, None if the user has not asked for it.
        """
        return self._proving.tests_before(proposal)

    async def stop_proof(self, proposal: str) -> None:
        """Stop the test of a proposed skill at once; it keeps the pairs of answers made so far."""
        await self._proving.stop(proposal)

    async def on_rated(self, turn: str) -> None:
        """Score an answer again after the user has rated it."""
        await asyncio.to_thread(self._settle)
        await self._score.read_new()
        await self._book.on_rating(turn)
        self._bus.tell(EventKind.SCORED)
        self._new.set()

    async def on_picked(self) -> None:
        """Check, after the user picked the better of two answers, whether this has decided the
        proof of a candidate skill; if so, publish the result.
        """
        await self._proving.publish_decided()

    def on_proposal_decided(self) -> None:
        """Check for new work after the user has decided on a proposed skill: score new answers and
        write further proposals, for which the decision may have made room.
        """
        self._proving.drop_cache()
        self._new.set()
