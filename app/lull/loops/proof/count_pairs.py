"""Counts the pairs of answers in the proof of a proposed skill: scores and stores each, and settles
the proposal once they decide.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lull.core.errors import LullError
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock
from lull.core.proof.outcome import goes_on, outcome, picks_needed, with_last_look
from lull.core.proof.pairing import (
    PlannedPair,
    count_successes,
    next_pair,
    plan_several,
    still_asked,
)
from lull.core.proof.pairs import Pair
from lull.core.proof.proof import decide
from lull.core.proof.proposal import TO_PROVE, Proposal, ProposalStatus
from lull.loops.proof.proof_ground import ProofGround
from lull.loops.proof.replay import AnswerPair, Replay, ReplayCase, ReplayTarget
from lull.store.disk.uninterrupted import uninterrupted
from lull.store.proof.proposals import Proposals

log = logging.getLogger(__name__)

_NOTHING_LEFT = "none of its requests can be replayed"


class CountPairs:
    """Scores and stores pairs of answers, given with and without a proposed skill, one after the
    other, and sets the proposal's status from them.
    """

    def __init__(
        self,
        proposals: Proposals,
        *,
        replay: Replay,
        ground: ProofGround,
        quiet: QuietRunner,
        clock: Clock,
    ) -> None:
        self._proposals = proposals
        self._replay = replay
        self._ground = ground
        self._quiet = quiet
        self._clock = clock
        self.settled: deque[str] = deque()
        """Ids of the proposals whose proof has ended, in this order."""

    async def count(
        self,
        proposal: Proposal,
        stage: ReplayTarget,
        answered: Mapping[PlannedPair, AnswerPair | LullError | None],
        *,
        counted: int = 0,
        early: bool = False,
    ) -> int:
        """Score and store the answered pairs one after the other, as long as the one that is next
        is among them; return how many could be scored or are known not to be, with those that were
        `counted` before.

        With `early`, while the model still writes other answers, only those that a program scores.
        """
        now = proposal
        able = self._replay.cases(now, stage)
        while now.status in TO_PROVE:
            cases = self.asked(now, able)
            if not (following := self.next_pairs(now, cases, most=1)):
                break
            plan = following[0]
            answers = answered.get(plan)
            if plan not in answered or (isinstance(answers, LullError) and (counted or early)):
                break
            if isinstance(answers, LullError):
                raise answers
            case = next(c for c in cases if (c.turn, c.part) == (plan.request, plan.part))
            try:
                if early:
                    pair = answers and self._replay.score_by_program(now, case, plan.seed, answers)
                else:
                    pair = await self._scored(now, case, plan.seed, answers)
            except LullError:
                if counted:
                    break
                raise
            if early and pair is None:
                break
            if pair is None:
                now = _without_verdict(now, case)
            # False: the user has decided or edited the proposal meanwhile.
            if not await self._proposals.advance(now, pair):
                break
            counted += 1
            if pair is not None:
                now = await self.settle(now, stage, cases)
        return counted

    def asked(self, proposal: Proposal, able: Sequence[ReplayCase]) -> list[ReplayCase]:
        """Return those requests, of all that something can score, that the proof still asks."""
        pairs = self._proposals.pairs(proposal.id)
        asked = still_asked([(one.turn, one.part) for one in able], pairs, proposal.silent)
        return [one for one in able if (one.turn, one.part) in asked]

    async def _scored(
        self, proposal: Proposal, case: ReplayCase, seed: int, answers: AnswerPair | None
    ) -> Pair | None:
        if answers is None:
            return None
        return await self._quiet.run(
            lambda: self._replay.score(proposal, case, seed, answers), hurry=True
        )

    def next_pairs(
        self, proposal: Proposal, cases: Sequence[ReplayCase], *, most: int
    ) -> list[PlannedPair]:
        """Return the pairs of answers to make next, at most `most`; none if nothing is left to ask.

        A pair that is planned behind others is right as long as these do not end the proof.
        """
        rule = self._ground.rule_for(proposal)
        requests = [(case.turn, case.part) for case in cases]

        def choose(pairs: Sequence[Pair]) -> PlannedPair | None:
            return next_pair(
                pairs,
                rule,
                requests=requests,
                key=proposal.sha256,
                undecided=proposal.silent,
                look=proposal.last_look,
            )

        return plan_several(self._proposals.pairs(proposal.id), choose, most=most)

    async def settle(
        self, proposal: Proposal, stage: ReplayTarget, cases: Sequence[ReplayCase]
    ) -> Proposal:
        """Set a proposed skill's status (such as proved or unproved) from the pairs of answers,
        with and without the skill, replayed so far; return the proposal.

        `cases` are the requests whose answers can be scored without asking the user.
        """
        successes = count_successes((case.turn, case.part) for case in cases)
        pairs = self._proposals.pairs(proposal.id)
        rule = self._ground.rule_for(proposal)
        seen = with_last_look(replace(proposal, replayable=successes), pairs, rule)
        if seen != proposal:
            proposal = seen
            await self._proposals.advance(proposal)
        decision = decide(pairs, rule, successes=successes, look=proposal.last_look)
        status, reason = outcome(decision, pairs)
        needs_picks = False
        if status is None and not goes_on(proposal, pairs, rule, {case.part for case in cases}):
            status = ProposalStatus.UNPROVED
            needs_picks = bool(self._replay.user_cases(proposal, stage))
            reason = picks_needed(proposal, pairs, rule) if needs_picks else _NOTHING_LEFT
        if status is None and proposal.status in TO_PROVE:
            return proposal
        settled = replace(
            proposal,
            status=status or ProposalStatus.PROVING,
            reason=reason if status else "",
            needs_picks=needs_picks,
            changed_at=self._clock.now(),
        )
        await uninterrupted(self._noted(settled))
        return settled

    async def _noted(self, settled: Proposal) -> None:
        if await self._proposals.advance(settled):
            self.settled.append(settled.id)
            log.info("proposal %s is %s: %s", settled.id, settled.status, settled.reason)


def _without_verdict(proposal: Proposal, case: ReplayCase) -> Proposal:
    """Note a try that nothing could score."""
    log.info("%s: no verdict on %s", proposal.id, case.turn)
    return replace(proposal, silent=(*proposal.silent, case.turn))
