"""Decides a proposed skill's status from its proof (a test in which past requests are answered with
and without the skill), and gives the reason in words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from lull.core.proof.pairs import BY_USER, SAME_WORDS, Pair, PairPart, distinct_pairs, totals_of
from lull.core.proof.proof import (
    ProofDecision,
    ProofRule,
    ProofState,
    ShownBy,
    look_due,
    picks_wanted,
    shown_by,
)
from lull.core.proof.proposal import Proposal, ProposalStatus

_STATUSES = {
    ProofState.PROVED: ProposalStatus.PROVED,
    ProofState.UNPROVED: ProposalStatus.UNPROVED,
    ProofState.HARMFUL: ProposalStatus.REJECTED,
}

ENOUGH_ALIKE = 6
"""How many pairs with equal answers in a row end a blind comparison of answers by the user."""


def outcome(decision: ProofDecision, pairs: Sequence[Pair]) -> tuple[ProposalStatus | None, str]:
    """Return the status of a proposed skill, and the reason in words, as its proof decided (the
    test in which past requests are answered with and without the skill).

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


def with_last_look(proposal: Proposal, pairs: Sequence[Pair], rule: ProofRule) -> Proposal:
    """Return the proposal (a candidate skill) with its last look marked as taken, if that is due:
    the one randomised decision after its test has used up all allowed pairs of answers. Otherwise
    the proposal is unchanged.

    From then on nothing is added to its pairs, whatever the settings or the requests become.
    """
    ground, look, totals = proposal.ground, proposal.last_look, totals_of(distinct_pairs(pairs))
    successes = proposal.replayable
    if ground is None or look is None or not look_due(totals, rule, look, successes=successes):
        return proposal
    taken = replace(look, after=totals.benefit_pairs)
    return replace(proposal, ground=replace(ground, look=taken))


def goes_on(
    proposal: Proposal, pairs: Sequence[Pair], rule: ProofRule, parts: Collection[PairPart]
) -> bool:
    """Whether a skill's test can go on without the user: whether answers to the requests that it
    needs next can be scored by a program or a model. `parts` are the kinds of past requests
    (failed, similar, successful) for which that is so.
    """
    by = shown_by(
        totals_of(distinct_pairs(pairs)),
        rule,
        successes=proposal.replayable,
        look=proposal.last_look,
    )
    shown = by is not ShownBy.NOTHING
    return any((part is PairPart.SUCCESS) is shown for part in parts)


def picks_needed(proposal: Proposal, pairs: Sequence[Pair], rule: ProofRule) -> str:
    """Return a text that tells the user how many pairs of answers to compare, if nothing but the
    user can tell which answer is better.
    """
    number = picks_wanted(pairs, rule)
    if number > 1 and not any(pair.scored_by == BY_USER for pair in pairs):
        return (
            f"only you can tell: compare {number} pairs of answers "
            f"(`lull review compare {proposal.id}`)"
        )
    return f"only you can tell: {number} more to compare (`lull review compare {proposal.id}`)"
