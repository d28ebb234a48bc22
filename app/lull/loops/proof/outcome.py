"""Decides a proposed skill's status from its proof (the replays with and without it), and gives the
reason in words.
"""

from __future__ import annotations

from collections.abc import Sequence

from lull.core.proof.proof import BY_USER, SAME_WORDS, Pair, PairPart, ProofDecision, ProofState
from lull.core.proof.proposal import ProposalStatus

_STATUSES = {
    ProofState.PROVED: ProposalStatus.PROVED,
    ProofState.UNPROVED: ProposalStatus.UNPROVED,
    ProofState.HARMFUL: ProposalStatus.REJECTED,
}

ENOUGH_ALIKE = 6
"""How many pairs with equal answers in a row end a blind comparison of answers by the user."""


def outcome(decision: ProofDecision, pairs: Sequence[Pair]) -> tuple[ProposalStatus | None, str]:
    """Return the status of a proposed skill, and the reason, according to the decision of its proof
    (replays with and without the skill).

    The status is None while nothing is decided. A skill that harms past successes, or loses without
    the user's picks, is rejected at once. One that loses by the user's own picks counts as
    unproved, and is left to the user to reject.
    """
    status, why = _STATUSES.get(decision.state), decision.why
    own = [pair for pair in pairs if pair.part is not PairPart.SUCCESS]
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
