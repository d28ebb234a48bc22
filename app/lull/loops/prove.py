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
from lull.core.proof import Pair, Part, ProofRule, ProofState, decide
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

_THIS_REQUEST = (400, 413, 422)
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
        quarantine stays there."""
        fresh = {ProposalStatus.UNPROVED, ProposalStatus.DEFERRED, ProposalStatus.PROVED}

        def anew(now: Proposal) -> Proposal:
            if now.status not in fresh or now.in_quarantine or _replays_nothing(now):
                return now
            return replace(
                now,
                status=ProposalStatus.SCREENED,
                reason="",
                ground=None,
                silent=(),
                changed_at=self._clock.now(),
            )

        proposal = self._proposals.get(proposal_id)
        return await self._proposals.change(proposal.id, anew, anew=True)

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
            await self._settle(proposal, pairs, cases)
            return False
        case = next(c for c in cases if c.turn == wanted.request and c.part is wanted.part)
        # Whether it is time for proofs was asked before; a chat still goes before each replay.
        pair = await self._quiet.run(
            lambda: self._pair(proposal, stage, case, wanted.seed), hurry=True
        )
        if pair is None:
            await self._no_verdict(proposal, case)
        elif await self._proposals.advance(proposal, pair):
            await self._settle(proposal, [*pairs, pair], cases)
        return True

    async def _pair(self, proposal: Proposal, stage: Stage, case: Case, seed: int) -> Pair | None:
        try:
            return await self._replay.pair(proposal, stage, case, seed)
        except RequestError as error:
            if error.status not in _THIS_REQUEST:
                raise
            log.info("%s cannot be asked again: %s", case.turn, error)
            return None

    async def _grounded(self, proposal: Proposal, stage: Stage) -> Proposal | None:
        """The proposal with the ground its proof runs on; None where the user has decided. Another
        model, adapter or judge than that of the pairs so far makes them worthless: the proof
        begins anew."""
        judge = self._judge()
        here = (stage.digest, stage.adapter, judge.version if judge else "")
        ground = proposal.ground
        if ground is not None and here == (ground.model, ground.adapter, ground.judge):
            return proposal
        another = ground is not None
        ground = Ground(
            model=stage.digest,
            engine=stage.engine,
            adapter=stage.adapter,
            judge=judge.version if judge else "",
            generation=self._library().generation,
            alpha=self._alpha(proposal),
        )
        grounded = replace(
            proposal,
            ground=ground,
            status=ProposalStatus.PROVING,
            changed_at=self._clock.now(),
            reason="",
            silent=(),
        )
        return grounded if await self._proposals.advance(grounded, anew=another) else None

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

    async def _settle(
        self, proposal: Proposal, pairs: Sequence[Pair], cases: Sequence[Case]
    ) -> None:
        successes = successes_of((case.turn, case.part) for case in cases)
        if successes != proposal.replayable:
            proposal = replace(proposal, replayable=successes)
            await self._proposals.advance(proposal)
        decision = decide(pairs, self.rule_for(proposal), successes=successes)
        status = _STATUSES.get(decision.state)
        reason = decision.why
        if status is None and not any(case.part is not Part.SUCCESS for case in cases):
            status = ProposalStatus.UNPROVED
            reason = "neither a verifier nor a judge can score its replays"
        if status is None:
            return
        if status is ProposalStatus.REJECTED:
            reason = f"it did harm: {reason}"
        now = self._clock.now()
        settled = replace(proposal, status=status, reason=reason, changed_at=now)
        if await self._proposals.advance(settled):
            self._settled.append(proposal.id)
            log.info("proposal %s is %s: %s", proposal.id, status, reason)


def _replays_nothing(proposal: Proposal) -> bool:
    """A retirement has no text of its own to try."""
    return proposal.kind is ProposalKind.RETIRE
