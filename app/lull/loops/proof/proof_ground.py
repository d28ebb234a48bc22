"""Determines for the proof of a proposed skill by replays (past requests answered again) under
which conditions the replays run, and by which statistical rule they decide.
"""

from __future__ import annotations

from dataclasses import replace

from lull.core.feedback.judge import ChosenJudge
from lull.core.proof.evalue import e_bh_needs
from lull.core.proof.last_look import last_look
from lull.core.proof.proof import ProofRule, decide
from lull.core.proof.proposal import ProofConditions, Proposal
from lull.core.proof.rules import ProveRule
from lull.core.skills.ports import LibraryInUse
from lull.loops.proof.replay import ReplayTarget
from lull.store.proof.proposals import Proposals


class ProofGround:
    """Determines the conditions and the decision rule of each proposed skill's proof by replays,
    and keeps a proof's significance level fixed once it has begun, also when other proofs begin.
    """

    def __init__(
        self,
        *,
        proposals: Proposals,
        in_use: LibraryInUse,
        judges: ChosenJudge,
        rule: ProveRule,
    ) -> None:
        self._proposals = proposals
        self._in_use = in_use
        self._judges = judges
        self._rule = rule

    def ground_of(self, proposal: Proposal, stage: ReplayTarget) -> tuple[ProofConditions, bool]:
        """Return the conditions under which a proposed skill's proof by replays runs now (model,
        adapter, judge model, random number), and whether the proof must start over.

        It starts over if the model or the adapter changed, or if the judge model changed and had
        scored pairs of answers.

        The random number is for the proof's last look, a randomised test when no pairs are left.
        Its seed is nothing that the writer of the skill could know, and it stays the same for the
        same text even if the proof begins again.
        """
        judge = self._judges.judge()
        version = judge.version if judge else ""
        before, look = proposal.ground, last_look(f"{proposal.id} {proposal.sha256}")
        if before is not None and (stage.digest, stage.adapter) == (before.model, before.adapter):
            judged = any(
                p.scored_by.startswith("judge:") for p in self._proposals.pairs(proposal.id)
            )
            if before.judge == version or not judged:
                return replace(before, judge=version, look=before.look or look), False
        ground = ProofConditions(
            model=stage.digest,
            engine=stage.engine,
            adapter=stage.adapter,
            judge=version,
            generation=self._in_use.library.generation,
            alpha=self._alpha(proposal),
            look=look,
        )
        return ground, before is not None

    def _alpha(self, proposal: Proposal) -> float:
        """The significance level of this proposal, corrected for the other open ones (e-BH).

        A proposal accepted at its last look counts with its e-value there, not with 1/alpha.
        """
        others = [
            decide(pairs, self._rule.proof, successes=0).e_value
            for other in self._proposals.undecided()
            if other.id != proposal.id and (pairs := self._proposals.pairs(other.id))
        ]
        return min(self._rule.proof.alpha, 1 / e_bh_needs(others, self._rule.false_discoveries))

    def rule_for(self, proposal: Proposal) -> ProofRule:
        """Return the rule, with its significance level, by which the replayed pairs of answers
        decide whether this proposed skill is proved.
        """
        alpha = proposal.ground.alpha if proposal.ground else self._rule.proof.alpha
        return replace(self._rule.proof, alpha=alpha)
