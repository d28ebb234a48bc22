"""Runs proofs of proposed skills (tests by replayed requests) in idle windows and on request,
publishes the results, and checks that skills in use still help.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.proof.proposal import Proposal, ProposalStatus, may_approve_itself
from lull.core.skills.skill import SkillKey
from lull.loops.proof.holdout import Holdout
from lull.loops.proof.measure_use import MeasureUse
from lull.loops.proof.prove import Prove, WaitingProof
from lull.loops.skills.review import Review
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.store.disk.uninterrupted import uninterrupted

HOLDOUT_EVERY_S = 600.0
HOLDOUT_PROBLEM = "live guard"
"""Key of a problem with measuring skills in use, as programs that read `--json` know it."""


@dataclass(frozen=True, slots=True, eq=False)
class _AskedFor:
    """Tests that the user asked for, in the order of asking."""

    proposal: str | None
    """The proposal to test; None for all that wait."""
    ended: asyncio.Future[LullError | None]
    """Done when they have ended, with the error that stopped them, or were taken back."""


class ProofRunner:
    """Runs the proofs of proposed skills (tests by replayed requests) and the checks of skills in
    use, and lists the proposals that are still to be proved.
    """

    def __init__(
        self,
        prove: Prove,
        *,
        review: Review,
        holdout: Holdout,
        measure: MeasureUse,
        bus: EventBus,
        problems: Problems,
        auto_approve: Callable[[], bool],
    ) -> None:
        self._prove = prove
        self._review = review
        self._holdout = holdout
        self._measure = measure
        self._bus = bus
        self._problems = problems
        self._auto_approve = auto_approve
        self._asked_for: list[_AskedFor] = []
        """Those that have not ended; the first one is under way as soon as no lull's is."""
        self._hurried: set[asyncio.Task[None]] = set()
        self._under_way: asyncio.Task[int] | None = None
        """The replays that go on now."""
        self._replaying = asyncio.Lock()
        """Held during a replay."""
        self._measured = asyncio.Event()
        """Set when all waiting replays of skills in use are done, for the holdout to look at."""
        self._waiting: list[WaitingProof] | None = None
        """Cached proposals to prove; None: to be looked up again."""

    async def check_skills_in_use(self) -> None:
        """Background job: check every ten minutes that the skills (instruction texts) in use still
        help.
        """
        while True:
            await self._problems.attempt(HOLDOUT_PROBLEM, self._holdout_step)
            await self._problems.attempt("put off proposals", self._wake)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._measured.wait(), HOLDOUT_EVERY_S)
            self._measured.clear()

    async def _holdout_step(self) -> None:
        self._holdout.follow()
        self._holdout.set_replayable(await self._measure.find_replays(self._holdout.measured))
        await self._holdout.step()

    async def _wake(self) -> None:
        """Bring back the proposals that were put off until now."""
        for proposal in await self._review.end_postponements():
            self.publish_change(proposal)

    # Called in a lull

    def waiting(self) -> list[WaitingProof]:
        """Return the proposals (candidate skills) that wait to be proved by replaying past
        requests, oldest first.

        Cached, since it is called ten times a second.
        """
        waiting = self._waiting  # read once, since views ask in a thread
        if waiting is None:
            waiting = self._waiting = self._prove.waiting()
        return waiting

    async def prove_in_lull(self, proposal: str) -> int:
        """Continue the proof of one proposed skill for a time slice of an idle window, by answering
        past requests with and without it; return how many pairs of answers were added.

        Raises LullError.
        """
        try:
            async with self._replaying:
                return await self._slice(proposal) or 0
        finally:
            self._waiting = None
            await self._follow_up()

    async def measure_in_lull(self, skill: SkillKey) -> int:
        """Measure for a time slice of an idle window whether a skill in use helps, by answering
        past requests with and without it.

        Returns the number of requests answered in this slice. Raises LullError.
        """
        async with self._replaying:
            done = await self._measure.slice(skill)
        if done and not self._measure.waiting():
            self._measured.set()
        return done

    # The user's requests

    async def prove_again(self, proposal: str) -> None:
        """Restart the proof of a proposed skill (its test by replayed requests), even if the proof
        had failed or the user had postponed the proposal.

        Raises LullError.
        """
        await self._prove.restart_proof(proposal)

    async def prove_now(self, proposal: str | None, *, wait: bool) -> None:
        """Prove one proposed skill, or all, by replaying past requests, without waiting for an idle
        window.

        With `wait`, returns when the proofs have ended, and raises the LullError that stopped them.
        Cancelling this call does not stop the proofs.
        """
        asked = _AskedFor(proposal, asyncio.get_running_loop().create_future())
        self._asked_for.append(asked)
        hurried = asyncio.create_task(self._all(asked))
        self._hurried.add(hurried)
        hurried.add_done_callback(self._hurried.discard)
        if wait and (error := await asyncio.shield(asked.ended)) is not None:
            raise error

    async def _all(self, asked: _AskedFor) -> None:
        """Prove until done, or until it is taken back."""
        stopped_by: LullError | None = None
        try:
            async with self._replaying:
                while not asked.ended.done() and await self._slice(asked.proposal) != 0:
                    await self._follow_up()
        except LullError as error:
            self._problems.report("proofs", error)
            stopped_by = error
        finally:
            self._end(asked, stopped_by)
            await self._follow_up()

    def _end(self, asked: _AskedFor, error: LullError | None = None) -> None:
        if asked in self._asked_for:
            self._asked_for.remove(asked)
            asked.ended.set_result(error)

    async def _slice(self, only: str | None) -> int | None:
        """Replay for a while; the number of pairs, None where the user stopped it."""
        self._under_way = asyncio.ensure_future(self._prove.slice(only=only))
        try:
            return await self._under_way
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is None or own.cancelling():  # the lull ended, or the service does
                raise
            return None
        finally:
            self._under_way = None

    def tests_before(self, proposal: str) -> int | None:
        """Return how many other tests go before the one of this proposed skill that the user asked
        for: 0 if it is under way, None if the user has not asked for it.
        """
        order: list[str] = []
        for asked in list(self._asked_for):
            waiting = [one.proposal for one in self.waiting()]
            order += waiting if asked.proposal is None else [asked.proposal]
        if proposal not in order:
            return None
        now = self._prove.replayed_now
        before = {*order[: order.index(proposal)], *filter(None, (now,))}
        return 0 if proposal == now else len(before - {proposal})

    async def stop(self, proposal: str) -> None:
        """Stop the test of a proposed skill, at once and until the user asks for it again; it keeps
        the pairs of answers made so far. One that still waits for others is only taken back.
        """
        queued = bool(self.tests_before(proposal))
        own = [asked for asked in self._asked_for if asked.proposal == proposal]
        for asked in own:
            self._end(asked)
        if not (queued and own):
            self.publish_change(await self._prove.stop(proposal))
            if self._under_way is not None and self._prove.replayed_now == proposal:
                self._under_way.cancel()
        self._waiting = None

    async def publish_decided(self) -> None:
        """After the user picked the better of two answers, publish the results of those proofs of
        proposed skills that are thereby decided.
        """
        self._waiting = None
        await self._follow_up()

    # Afterwards

    def drop_cache(self) -> None:
        """Drop the cached list of proposed skills that are still to be proved, because a proposal
        was made or decided.
        """
        self._waiting = None

    def publish_change(self, proposal: Proposal) -> None:
        """Publish the event that a proposal (a candidate skill) is new or has changed."""
        self._waiting = None
        self._bus.tell(
            EventKind.PROPOSAL,
            proposal=proposal.id,
            name=proposal.key.name,
            status=proposal.status.value,
        )

    async def _follow_up(self) -> None:
        """Publish decided proofs, and approve proved proposals if auto-approval is on.

        The end of a lull stops neither.
        """
        await uninterrupted(self._settle())

    async def _settle(self) -> None:
        while (proposal := self._prove.next_finished()) is not None:
            self.publish_change(proposal)
            if proposal.status is ProposalStatus.PROVED and self._auto_approve():
                await self._problems.attempt("auto-approval", partial(self._approve, proposal))

    async def _approve(self, proposal: Proposal) -> None:
        if may_approve_itself(proposal):
            decided = await self._review.approve(proposal.id, sha256=proposal.sha256)
            self.publish_change(decided.proposal)
