"""The user as scorer: one recorded request, answered with and without the skill, side by side.

Whoever can tell where no check and no judge can is the user. They see two answers to a request of
their own, made exactly as those of a proof (replay.py), and pick one. Which of them was given with
the skill is tossed for each pair and stays here, so that a pick is a bet like every other pair: it
joins the same evidence, and the same e-value decides (proof.py).

A pair that was shown can still be picked from after a crash; its answers are only in memory, and
who asks again is shown others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from lull.core.errors import Conflict, LullError, RequestError
from lull.core.messages import Completion
from lull.core.pairing import planned
from lull.core.picks import Pick, scores, shown
from lull.core.ports import Clock, Ids, Quiet
from lull.core.proof import BY_USER, SAME_WORDS, ProofState, decide
from lull.core.proposal import Proposal, check_decidable
from lull.core.skill import Library
from lull.loops.prove import ENOUGH_ALIKE, THIS_REQUEST, Prove
from lull.loops.replay import Case, Replay, Stage, pair_of
from lull.store.proposals import Proposals
from lull.store.shown_pairs import ShownPair, not_open

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the user sees of a pair."""

    pair: str
    """Its id; says nothing about the order."""
    request: str
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The next pair; None where there is none, because the proposal's `reason` says so."""

    comparison: Comparison | None
    alike: int
    """Pairs before it in which both answers were the same: there was nothing to pick."""


class Compare:
    def __init__(
        self,
        *,
        proposals: Proposals,
        replay: Replay,
        prove: Prove,
        library: Callable[[], Library],
        stage: Callable[[str], Awaitable[Stage | None]],
        quiet: Quiet,
        clock: Clock,
        ids: Ids,
        toss: Callable[[], bool],
    ) -> None:
        """`toss`: whether the answer with the skill is A, by chance that nobody can work out."""
        self._proposals = proposals
        self._replay = replay
        self._prove = prove
        self._library = library
        self._stage = stage
        self._quiet = quiet
        self._clock = clock
        self._ids = ids
        self._toss = toss
        self._seen: dict[str, Comparison] = {}
        """By proposal, what was shown last."""

    # The next pair

    async def next(self, proposal_id: str) -> Asked:
        """Two answers to pick from; the same again until there is a pick. Waits for quiet and for
        the model. Raises Conflict, NotFound, and what the model raises."""
        proposal = self._proposals.get(proposal_id)
        self._check(proposal)
        if (again := self._open(proposal)) is not None:
            return Asked(comparison=again, alike=0)
        stage = await self._stage(proposal.model)
        if stage is None:
            raise Conflict(
                f"{proposal.model} does not answer now.", hint="Look with `lull doctor`; try again."
            )
        return await self._next(await self._grounded(proposal, stage), stage)

    async def _next(self, proposal: Proposal, stage: Stage) -> Asked:
        alike, refused = 0, set[str]()
        while alike < ENOUGH_ALIKE:
            cases = [c for c in self._replay.comparable(proposal, stage) if c.turn not in refused]
            case, seed = self._planned(proposal, cases)
            if case is None:
                break
            answers = await self._answers(stage, case, seed)
            if answers is None:
                refused.add(case.turn)
            elif (same := _same(answers)) is None:
                comparison = await self._show(proposal, case, seed, answers)
                return Asked(comparison=comparison, alike=alike)
            else:
                pair = pair_of(case, seed, answers, scores=same, scored_by=SAME_WORDS)
                await self._proposals.compared(proposal.id, pair, self._as_it_was(proposal))
                alike += 1
                proposal = await self._settle(proposal.id, stage)
                if not proposal.comparable:
                    break
        if refused and not alike:
            raise Conflict(
                f"{proposal.model} cannot be asked these requests again.",
                hint="`lull review show`.",
            )
        return Asked(comparison=None, alike=alike)

    def _planned(self, proposal: Proposal, cases: list[Case]) -> tuple[Case | None, int]:
        """The request whose turn it is; None where it is decided, or where there is none."""
        pairs = self._proposals.pairs(proposal.id)
        rule = self._prove.rule_for(proposal)
        if decide(pairs, rule, successes=proposal.replayable).state is not ProofState.UNDECIDED:
            return None, 0
        requests = [(case.turn, case.part) for case in cases]
        # Other seeds than those of a proof that goes on beside it.
        wanted = planned(pairs, requests, successes=False, key=f"{proposal.sha256} picks")
        if wanted is None:
            return None, 0
        return next(case for case in cases if case.turn == wanted.request), wanted.seed

    async def _answers(
        self, stage: Stage, case: Case, seed: int
    ) -> tuple[Completion, Completion] | None:
        """Without the skill and with it; None where this request cannot be compared."""
        try:
            answers = await self._quiet.run(
                lambda: self._replay.answers(stage, case, seed), hurry=True
            )
        except RequestError as error:
            if error.status not in THIS_REQUEST:
                raise
            log.info("%s cannot be asked again: %s", case.turn, error)
            return None
        return answers if all(answer.complete for answer in answers) else None

    async def _show(
        self, proposal: Proposal, case: Case, seed: int, answers: tuple[Completion, Completion]
    ) -> Comparison:
        with_first = self._toss()
        without, with_ = (shown(answer.message) for answer in answers)
        pair = ShownPair(
            id=self._ids.new("pair"),
            proposal=proposal.id,
            with_first=with_first,
            pair=pair_of(case, seed, answers, scores=(0.0, 0.0), scored_by=BY_USER),
        )
        await self._proposals.show_pair(pair, self._as_it_was(proposal))
        comparison = Comparison(
            pair=pair.id,
            request=case.served.asked,
            a=with_ if with_first else without,
            b=without if with_first else with_,
        )
        self._seen[proposal.id] = comparison
        return comparison

    def _open(self, proposal: Proposal) -> Comparison | None:
        seen, stored = self._seen.get(proposal.id), self._proposals.shown_pair(proposal.id)
        return seen if seen and stored and seen.pair == stored.id else None

    # The pick

    async def pick(self, proposal_id: str, pair: str, pick: Pick) -> Proposal:
        """Let it count; how the proposal stands then. Raises Conflict, NotFound."""
        proposal = self._proposals.get(proposal_id)
        self._check(proposal)
        open_one = self._proposals.shown_pair(proposal.id)
        if open_one is None or open_one.id != pair:
            raise not_open(proposal.id, pair)
        without, with_ = scores(pick, with_first=open_one.with_first)
        picked = replace(open_one.pair, without=without, with_=with_)
        await self._proposals.compared(
            proposal.id, picked, self._as_it_was(proposal), shown=open_one
        )
        self._seen.pop(proposal.id, None)
        try:
            stage = await self._stage(proposal.model)
        except LullError as error:
            log.info("%s is settled later: %s", proposal.id, error)
            stage = None
        return await self._settle(proposal.id, stage)

    async def _settle(self, proposal_id: str, stage: Stage | None) -> Proposal:
        proposal = self._proposals.get(proposal_id)
        if stage is None or not proposal.comparable:
            return proposal
        cases = await asyncio.to_thread(self._replay.cases, proposal, stage)
        await self._prove.settle(proposal, stage, cases)
        return self._proposals.get(proposal_id)

    # What must hold

    async def _grounded(self, proposal: Proposal, stage: Stage) -> Proposal:
        """On the ground that its pairs are replayed on now."""
        ground, anew = self._prove.ground_of(proposal, stage)
        if ground == proposal.ground:
            return proposal
        as_it_was = self._as_it_was(proposal)

        def grounded(now: Proposal) -> Proposal:
            return replace(as_it_was(now), ground=ground, changed_at=self._clock.now())

        return await self._proposals.change(proposal.id, grounded, anew=anew)

    def _check(self, proposal: Proposal) -> None:
        """Raises Conflict for what picks say nothing of."""
        check_decidable(proposal, sha256=None, library=self._library())
        if not proposal.comparable:
            raise Conflict(
                f"{proposal.id} is {proposal.status}: there is nothing to compare.",
                hint=f"`lull prove {proposal.id}` begins its proof anew.",
            )

    def _as_it_was(self, before: Proposal) -> Callable[[Proposal], Proposal]:
        """The proposal as it stands; raises Conflict where its text changed or it was decided."""

        def check(now: Proposal) -> Proposal:
            check_decidable(now, sha256=before.sha256, library=self._library())
            self._check(now)
            return now

        return check


def _same(answers: tuple[Completion, Completion]) -> tuple[float, float] | None:
    """The scores of two answers that nobody could tell apart; None where they differ."""
    without, with_ = (shown(answer.message) for answer in answers)
    return (1.0, 1.0) if without == with_ else None
