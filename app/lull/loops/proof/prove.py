"""Proves whether a proposed skill helps: answers past requests with and without it until the result
is certain.

Pairs are replayed on the model that failed, through the engine that serves it, in slices of at most
half a minute. Each pair is stored, so a proof continues where it stopped. No tool is ever executed:
one step is replayed against the recorded results. Scoring never sees the skill.
"""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lull.core.errors import LullError, NotFound
from lull.core.feedback.judge import Judge
from lull.core.idle.ports import Quiet
from lull.core.ports import Clock
from lull.core.proof.evalue import e_bh_needs
from lull.core.proof.evidence import Evidence, evidence_text
from lull.core.proof.last_look import last_look
from lull.core.proof.pairing import next_pair, successes_of
from lull.core.proof.proof import (
    BY_USER,
    Pair,
    PairPart,
    ProofRule,
    ShownBy,
    budget,
    decide,
    look_due,
    once,
    picks_wanted,
    shown_by,
    totals_of,
)
from lull.core.proof.proposal import (
    TO_PROVE,
    Ground,
    Proposal,
    ProposalKind,
    ProposalOrigin,
    ProposalStatus,
)
from lull.core.proof.rules import ProveRule
from lull.core.skills.skill import Library
from lull.loops.proof.outcome import outcome
from lull.loops.proof.replay import Replay, ReplayCase, ReplayTarget
from lull.store.proof.proposals import Proposals
from lull.store.uninterrupted import uninterrupted

log = logging.getLogger(__name__)

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_NOTHING_LEFT = "none of its requests can be replayed"


class WaitingProof(NamedTuple):
    """A test of a proposed skill by replays, to begin or to continue, with the number of answer
    pairs that it has and the most it may get.
    """

    proposal: str
    name: str
    pairs: int
    most_pairs: int


class Prove:
    """Proves proposed skills by replaying past requests with and without them, and sets each
    proposal's status from the result.
    """

    def __init__(
        self,
        *,
        proposals: Proposals,
        replay: Replay,
        library: Callable[[], Library],
        judge: Callable[[], Judge | None],
        stage: Callable[[str], Awaitable[ReplayTarget | None]],
        quiet: Quiet,
        clock: Clock,
        rule: ProveRule,
    ) -> None:
        """The function `stage` returns the model to replay on, by its name.

        None if it is unavailable.
        """
        self._proposals = proposals
        self._replay = replay
        self._library = library
        self._judge = judge
        self._stage = stage
        self._quiet = quiet
        self._clock = clock
        self._rule = rule
        self._settled: deque[str] = deque()

    def settled(self) -> Proposal | None:
        """Take the next proposal (candidate skill) whose proof by replays has ended out of the
        queue of ended proofs; None if the queue is empty.

        A proposal that was forgotten meanwhile is skipped.
        """
        while self._settled:
            with contextlib.suppress(NotFound):
                return self._proposals.get(self._settled.popleft())
        return None

    @property
    def rule(self) -> ProveRule:
        return self._rule

    @property
    def replay(self) -> Replay:
        return self._replay

    async def slice(self, *, only: str | None = None) -> int:
        """Replay past requests with and without the proposed skills for at most half a minute;
        return the number of replays.

        A model that is away does not stop proofs on other models. Raises LullError when a model or
        the judge could not be asked and nothing was replayed.
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

    def waiting(self) -> list[WaitingProof]:
        """Return the proofs of proposed skills that still need replays, oldest first."""
        return [
            self._to_do(proposal)
            for proposal in self._waiting(None)
            if not _replays_nothing(proposal)
        ]

    def _to_do(self, proposal: Proposal) -> WaitingProof:
        pairs = once(self._proposals.pairs(proposal.id))
        rule = self.rule_for(proposal)
        most = budget(totals_of(pairs), rule, successes=proposal.replayable)
        return WaitingProof(proposal.id, proposal.key.name, len(pairs), most)

    def _waiting(self, only: str | None) -> list[Proposal]:
        """Proposals to prove, oldest first."""
        if only is not None:
            proposal = self._proposals.get(only)
            return [proposal] if proposal.status in TO_PROVE else []
        return list(reversed(self._proposals.with_status(TO_PROVE)))

    async def again(self, proposal_id: str) -> Proposal:
        """Restart the proof of a proposed skill (its replays) from the beginning, even if it was
        unproved or deferred.

        A proposal in quarantine (its text was found suspicious) is not changed. One that waits for
        the user's picks keeps its pairs of answers.
        """
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
            look=proposal.look,
        )
        if wanted is None:
            await self.settle(proposal, stage, cases)
            return False
        case = next(c for c in cases if c.turn == wanted.request and c.part is wanted.part)
        # The caller decided that it is time for proofs; chats still go before each replay.
        pair = await self._quiet.run(
            lambda: self._replay.pair_if_possible(proposal, stage, case, wanted.seed), hurry=True
        )
        if pair is None:
            await self._no_verdict(proposal, case)
        elif await self._proposals.advance(proposal, pair):
            await self.settle(proposal, stage, cases)
        return True

    async def _grounded(self, proposal: Proposal, stage: ReplayTarget) -> Proposal | None:
        """The proposal with the ground that its proof runs on; None if the user has decided."""
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

    def ground_of(self, proposal: Proposal, stage: ReplayTarget) -> tuple[Ground, bool]:
        """Return the model, adapter and judge model that a proof by replays uses now, and whether
        it must start over.

        It starts over if the model or the adapter changed, or if the judge changed and had scored
        pairs of answers.

        The random number for the proof's last look (a randomised test when its pairs are spent) is
        drawn here, from a seed that the writer of the text could not know: a proof that begins
        again keeps it as long as its text stays.
        """
        judge = self._judge()
        version = judge.version if judge else ""
        before, look = proposal.ground, last_look(f"{proposal.id} {proposal.sha256}")
        if before is not None and (stage.digest, stage.adapter) == (before.model, before.adapter):
            judged = any(
                p.scored_by.startswith("judge:") for p in self._proposals.pairs(proposal.id)
            )
            if before.judge == version or not judged:
                return replace(before, judge=version, look=before.look or look), False
        ground = Ground(
            model=stage.digest,
            engine=stage.engine,
            adapter=stage.adapter,
            judge=version,
            generation=self._library().generation,
            alpha=self._alpha(proposal),
            look=look,
        )
        return ground, before is not None

    def _alpha(self, proposal: Proposal) -> float:
        """The significance level of this proposal, corrected for the other open ones (e-BH).

        What a last look accepted counts with its e-value there, not with 1/alpha.
        """
        others = [
            decide(pairs, self._rule.proof, successes=0).e_value
            for other in self._proposals.standing()
            if other.id != proposal.id and (pairs := self._proposals.pairs(other.id))
        ]
        return min(self._rule.proof.alpha, 1 / e_bh_needs(others, self._rule.false_discoveries))

    def rule_for(self, proposal: Proposal) -> ProofRule:
        """Return the rule, with its significance level, by which the replayed pairs of answers
        decide whether this proposed skill is proved.
        """
        alpha = proposal.ground.alpha if proposal.ground else self._rule.proof.alpha
        return replace(self._rule.proof, alpha=alpha)

    def won(self, proposal: Proposal) -> list[str]:
        """Return the recorded turns for which the proposed skill made the better answer in the
        replays.
        """
        pairs = self._proposals.pairs(proposal.id)
        wins = (p.request for p in pairs if p.part is not PairPart.SUCCESS and p.won)
        return list(dict.fromkeys(wins))

    def evidence(self, proposal: Proposal) -> bytes:
        """Return all evidence from the replays of a proposed skill as one document, which is stored
        with the skill when it is approved.

        b"" without replays.
        """
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
            decision=decide(pairs, rule, successes=proposal.replayable, look=proposal.look),
            look=proposal.look,
        )
        return evidence_text(evidence).encode()

    async def _no_verdict(self, proposal: Proposal, case: ReplayCase) -> None:
        """Note a missing verdict; a request without verdicts several times is left out."""
        log.info("%s: no verdict on %s", proposal.id, case.turn)
        await self._proposals.advance(replace(proposal, silent=(*proposal.silent, case.turn)))

    # The result

    async def settle(
        self, proposal: Proposal, stage: ReplayTarget, cases: Sequence[ReplayCase]
    ) -> Proposal:
        """Set a proposed skill's status from the pairs of answers replayed so far, and return the
        proposal.

        `cases` are the requests that can be scored without the user.
        """
        successes = successes_of((case.turn, case.part) for case in cases)
        pairs = self._proposals.pairs(proposal.id)
        seen = self._looked(replace(proposal, replayable=successes), pairs)
        if seen != proposal:
            proposal = seen
            await self._proposals.advance(proposal)
        rule = self.rule_for(proposal)
        decision = decide(pairs, rule, successes=successes, look=proposal.look)
        status, reason = outcome(decision, pairs)
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
        await uninterrupted(self._noted(settled))
        return settled

    async def _noted(self, settled: Proposal) -> None:
        if await self._proposals.advance(settled):
            self._settled.append(settled.id)
            log.info("proposal %s is %s: %s", settled.id, settled.status, settled.reason)

    def _looked(self, proposal: Proposal, pairs: Sequence[Pair]) -> Proposal:
        """The proposal with its last look taken, if it is time for that.

        From then on nothing is added to its pairs, whatever the settings or the requests become.
        """
        ground, look, totals = proposal.ground, proposal.look, totals_of(once(pairs))
        rule, successes = self.rule_for(proposal), proposal.replayable
        if ground is None or look is None or not look_due(totals, rule, look, successes=successes):
            return proposal
        taken = replace(look, after=totals.benefit_pairs)
        return replace(proposal, ground=replace(ground, look=taken))

    def _goes_on(
        self, proposal: Proposal, pairs: Sequence[Pair], cases: Sequence[ReplayCase]
    ) -> bool:
        """Whether the proof's next pair can be scored without the user."""
        by = shown_by(
            totals_of(once(pairs)),
            self.rule_for(proposal),
            successes=proposal.replayable,
            look=proposal.look,
        )
        shown = by is not ShownBy.NOTHING
        return any((case.part is PairPart.SUCCESS) is shown for case in cases)

    def _only_you(self, proposal: Proposal, pairs: Sequence[Pair]) -> str:
        number = picks_wanted(pairs, self.rule_for(proposal))
        more = "more " if any(pair.scored_by == BY_USER for pair in pairs) else ""
        words = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
        return (
            f"only you can tell: compare {words} {more}answer{'' if number == 1 else 's'},"
            f" it takes a minute (`lull review compare {proposal.id}`)"
        )


def _replays_nothing(proposal: Proposal) -> bool:
    """Whether there is nothing to replay: a retirement has no text, and a file has no requests."""
    return proposal.kind is ProposalKind.RETIRE or proposal.origin is ProposalOrigin.FILE
