"""Does the skill help? Each request is answered again with and without it, until that is certain.

Pairs are replayed on the model that failed, through the engine that serves it, in slices that end
within half a minute; each pair is stored before the next begins, so a proof goes on where it was
left. No tool is ever executed: one step is replayed against the recorded results. Who scores an
answer never sees the skill.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lull.core.errors import LullError, RequestError
from lull.core.evalue import e_bh_needs
from lull.core.evidence import Evidence, evidence_text
from lull.core.pairing import next_pair, successes_of
from lull.core.ports import Clock, Judge, Quiet
from lull.core.proof import (
    BY_USER,
    SAME_WORDS,
    Decision,
    Pair,
    Part,
    ProofRule,
    ProofState,
    benefit_shown,
    decide,
    once,
    picks_wanted,
    totals_of,
)
from lull.core.proposal import TO_PROVE, Ground, Proposal, ProposalKind, ProposalStatus
from lull.core.rules import ProveRule
from lull.core.skill import Library
from lull.loops.replay import Case, Replay, Stage
from lull.store.proposals import Proposals

log = logging.getLogger(__name__)

_STATUSES = {
    ProofState.PROVED: ProposalStatus.PROVED,
    ProofState.UNPROVED: ProposalStatus.UNPROVED,
    ProofState.HARMFUL: ProposalStatus.REJECTED,
}

ENOUGH_ALIKE = 6
"""Pairs in which both answers are the same, word for word, and none in which they differ: there is
nothing for the user to pick."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_NOTHING_LEFT = "none of its requests can be replayed"
THIS_REQUEST = (400, 413, 422)
"""Refusals that speak of the one request: an image that was not kept, a window too small."""


class Waiting(NamedTuple):
    """A proof that is to be begun or to go on."""

    proposal: str
    name: str
    pairs: int


class Prove:
    def __init__(
        self,
        *,
        proposals: Proposals,
        replay: Replay,
        library: Callable[[], Library],
        judge: Callable[[], Judge | None],
        stage: Callable[[str], Awaitable[Stage | None]],
        quiet: Quiet,
        clock: Clock,
        rule: ProveRule,
    ) -> None:
        """`stage` of a model by the name its client typed; None where it cannot be asked now."""
        self._proposals = proposals
        self._replay = replay
        self._library = library
        self._judge = judge
        self._stage = stage
        self._quiet = quiet
        self._clock = clock
        self._rule = rule
        self._settled: list[str] = []

    def settled(self) -> list[Proposal]:
        """Proposals whose proof came to its end since this was asked last."""
        done, self._settled = self._settled, []
        return [self._proposals.get(proposal) for proposal in done]

    @property
    def rule(self) -> ProveRule:
        return self._rule

    @property
    def replay(self) -> Replay:
        return self._replay

    async def slice(self, *, only: str | None = None) -> int:
        """Replay for half a minute at most; how many replays there were.

        Raises LullError where there was none and a model or the judge could not be asked: one that
        is away does not keep the proofs on others from going on.
        """
        end_s = self._clock.monotonic_s() + self._rule.slice_s
        pairs = 0
        away: LullError | None = None
        for proposal in self._waiting(only):
            try:
                while self._clock.monotonic_s() < end_s:
                    if not await self._one(proposal.id):
                        break
                    pairs += 1
            except LullError as error:
                log.info("%s waits: %s", proposal.id, error)
                away = away or error
        if away is not None and not pairs:
            raise away
        return pairs

    def waiting(self) -> list[Waiting]:
        """Oldest first; retirements are not replayed."""
        return [
            Waiting(p.id, p.key.name, len(self._proposals.pairs(p.id)))
            for p in self._waiting(None)
            if not _replays_nothing(p)
        ]

    def _waiting(self, only: str | None) -> list[Proposal]:
        """Oldest first: what was begun is brought to its end."""
        if only is not None:
            proposal = self._proposals.get(only)
            return [proposal] if proposal.status in TO_PROVE else []
        return list(reversed(self._proposals.with_status(TO_PROVE)))

    async def again(self, proposal_id: str) -> Proposal:
        """Begin a proof anew, also of one that was unproved or put off; what was put off from
        quarantine stays there. One that waits for the user's picks keeps those that it has."""
        fresh = {ProposalStatus.UNPROVED, ProposalStatus.DEFERRED, ProposalStatus.PROVED}

        def anew(now: Proposal) -> Proposal:
            if now.status not in fresh or now.in_quarantine or _replays_nothing(now):
                return now
            return replace(
                now,
                status=ProposalStatus.SCREENED,
                reason="",
                ground=now.ground if picked else None,
                silent=(),
                needs_picks=False,
                changed_at=self._clock.now(),
            )

        proposal = self._proposals.get(proposal_id)
        picked = proposal.needs_picks and bool(self._proposals.pairs(proposal.id))
        return await self._proposals.change(proposal.id, anew, anew=not picked)

    # One pair

    async def _one(self, proposal_id: str) -> bool:
        """Replay the next pair of a proposal; False when there is none."""
        proposal = self._proposals.get(proposal_id)
        if proposal.status not in TO_PROVE or _replays_nothing(proposal):
            return False
        stage = await self._stage(proposal.model)
        if stage is None:
            log.info("%s waits: %s does not answer now", proposal.id, proposal.model)
            return False
        grounded = await self._grounded(proposal, stage)
        if grounded is None:
            return False
        proposal = grounded
        cases = self._replay.cases(proposal, stage)
        pairs = self._proposals.pairs(proposal.id)
        wanted = next_pair(
            pairs,
            self.rule_for(proposal),
            requests=[(case.turn, case.part) for case in cases],
            key=proposal.sha256,
        )
        if wanted is None:
            await self.settle(proposal, stage, cases)
            return False
        case = next(c for c in cases if c.turn == wanted.request and c.part is wanted.part)
        # Whether it is time for proofs was asked before; a chat still goes before each replay.
        pair = await self._quiet.run(
            lambda: self._pair(proposal, stage, case, wanted.seed), hurry=True
        )
        if pair is None:
            await self._no_verdict(proposal, case)
        elif await self._proposals.advance(proposal, pair):
            await self.settle(proposal, stage, cases)
        return True

    async def _pair(self, proposal: Proposal, stage: Stage, case: Case, seed: int) -> Pair | None:
        try:
            return await self._replay.pair(proposal, stage, case, seed)
        except RequestError as error:
            if error.status not in THIS_REQUEST:
                raise
            log.info("%s cannot be asked again: %s", case.turn, error)
            return None

    async def _grounded(self, proposal: Proposal, stage: Stage) -> Proposal | None:
        """The proposal with the ground its proof runs on; None where the user has decided."""
        ground, anew = self.ground_of(proposal, stage)
        if ground == proposal.ground:
            return proposal
        grounded = replace(
            proposal,
            ground=ground,
            status=ProposalStatus.PROVING,
            changed_at=self._clock.now(),
            reason="",
            silent=(),
        )
        return grounded if await self._proposals.advance(grounded, anew=anew) else None

    def ground_of(self, proposal: Proposal, stage: Stage) -> tuple[Ground, bool]:
        """What its proof runs on now, and whether it begins anew: another model or adapter than
        that of the pairs so far makes them worthless, and another judge those that one scored."""
        judge = self._judge()
        version = judge.version if judge else ""
        before = proposal.ground
        if before is not None and (stage.digest, stage.adapter) == (before.model, before.adapter):
            judged = any(
                p.scored_by.startswith("judge:") for p in self._proposals.pairs(proposal.id)
            )
            if before.judge == version or not judged:
                return replace(before, judge=version), False
        ground = Ground(
            model=stage.digest,
            engine=stage.engine,
            adapter=stage.adapter,
            judge=version,
            generation=self._library().generation,
            alpha=self._alpha(proposal),
        )
        return ground, before is not None

    def _alpha(self, proposal: Proposal) -> float:
        """What this candidate must reach to be accepted beside the others that are open."""
        others = [
            decide(pairs, self._rule.proof, successes=0).e_value
            for other in self._proposals.standing()
            if other.id != proposal.id and (pairs := self._proposals.pairs(other.id))
        ]
        return min(self._rule.proof.alpha, 1 / e_bh_needs(others, self._rule.false_discoveries))

    def rule_for(self, proposal: Proposal) -> ProofRule:
        """The rule of this proof."""
        alpha = proposal.ground.alpha if proposal.ground else self._rule.proof.alpha
        return replace(self._rule.proof, alpha=alpha)

    def won(self, proposal: Proposal) -> list[str]:
        """The turns on which the candidate won."""
        pairs = self._proposals.pairs(proposal.id)
        wins = (p.request for p in pairs if p.part is not Part.SUCCESS and p.with_ > p.without)
        return list(dict.fromkeys(wins))

    def evidence(self, proposal: Proposal) -> bytes:
        """The document that lies beside the skill once it is approved; b"" where nothing was
        replayed."""
        pairs = self._proposals.pairs(proposal.id)
        ground = proposal.ground
        if ground is None or not pairs:
            return b""
        rule = self.rule_for(proposal)
        evidence = Evidence(
            skill=proposal.key.name,
            skill_sha256=proposal.sha256,
            model=ground.model,
            engine=ground.engine,
            adapter=ground.adapter,
            generation=ground.generation,
            judge=ground.judge,
            rule=rule,
            successes=proposal.replayable,
            pairs=tuple(pairs),
            decision=decide(pairs, rule, successes=proposal.replayable),
        )
        return evidence_text(evidence).encode()

    async def _no_verdict(self, proposal: Proposal, case: Case) -> None:
        """Missing is not bad; a request on which there was none several times is left out."""
        log.info("%s: no verdict on %s", proposal.id, case.turn)
        await self._proposals.advance(replace(proposal, silent=(*proposal.silent, case.turn)))

    # What it comes to

    async def settle(self, proposal: Proposal, stage: Stage, cases: Sequence[Case]) -> Proposal:
        """What its pairs come to, with what can be scored without the user; how it stands then."""
        successes = successes_of((case.turn, case.part) for case in cases)
        if successes != proposal.replayable:
            proposal = replace(proposal, replayable=successes)
            await self._proposals.advance(proposal)
        pairs = self._proposals.pairs(proposal.id)
        decision = decide(pairs, self.rule_for(proposal), successes=successes)
        status, reason = _outcome(decision, pairs)
        needs_picks = False
        if status is None and not self._goes_on(proposal, pairs, cases):
            status = ProposalStatus.UNPROVED
            needs_picks = bool(self._replay.comparable(proposal, stage))
            reason = self._only_you(proposal, pairs) if needs_picks else _NOTHING_LEFT
        if status is None and proposal.status in TO_PROVE:
            return proposal
        settled = replace(
            proposal,
            status=status or ProposalStatus.PROVING,
            reason=reason if status else "",
            needs_picks=needs_picks,
            changed_at=self._clock.now(),
        )
        if await self._proposals.advance(settled):
            self._settled.append(proposal.id)
            log.info("proposal %s is %s: %s", proposal.id, settled.status, settled.reason)
        return settled

    def _goes_on(self, proposal: Proposal, pairs: Sequence[Pair], cases: Sequence[Case]) -> bool:
        """Whether the next pair can be scored without the user."""
        shown = benefit_shown(totals_of(once(pairs)), self.rule_for(proposal))
        return any((case.part is Part.SUCCESS) is shown for case in cases)

    def _only_you(self, proposal: Proposal, pairs: Sequence[Pair]) -> str:
        number = picks_wanted(pairs, self.rule_for(proposal))
        more = "more " if any(pair.scored_by == BY_USER for pair in pairs) else ""
        words = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
        return (
            f"only you can tell: compare {words} {more}answer{'' if number == 1 else 's'},"
            f" it takes a minute (`lull review compare {proposal.id}`)"
        )


def _outcome(decision: Decision, pairs: Sequence[Pair]) -> tuple[ProposalStatus | None, str]:
    """None while it is not decided. What the user's own picks speak against is theirs to turn down;
    what harms past successes, or loses where nobody picked, is turned down at once."""
    status, why = _STATUSES.get(decision.state), decision.why
    own = [pair for pair in pairs if pair.part is not Part.SUCCESS]
    picked = any(pair.scored_by == BY_USER for pair in own)
    if status is ProposalStatus.REJECTED and picked and decision.losses > decision.wins:
        return ProposalStatus.UNPROVED, f"not better: {why}"
    if status is ProposalStatus.REJECTED:
        return status, f"it did harm: {why}"
    alike = [pair for pair in own if pair.scored_by == SAME_WORDS]
    if status is None and len(alike) == len(own) >= ENOUGH_ALIKE:
        return (
            ProposalStatus.UNPROVED,
            f"not better: both answers were the same, word for word, {len(own)} times",
        )
    return status, why


def _replays_nothing(proposal: Proposal) -> bool:
    """A retirement has no text of its own to try."""
    return proposal.kind is ProposalKind.RETIRE
