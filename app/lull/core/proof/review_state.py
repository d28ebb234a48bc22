"""Computes the review state of a proposed skill, which the user sees when deciding on it: proved by
tests on past requests, not tested yet, tested without benefit, and so on.

The window and the command line ask for a second confirmation before they activate anything that was
not proved, and show the same cautions beside a proof. Both are decided here, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from lull.core.proof.pairs import Pair, are_much_shorter
from lull.core.proof.proof import ProofDecision
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin, ProposalStatus


class ReviewState(StrEnum):
    """The review state of a proposed skill, which the user sees before approving it: proved,
    untested, without benefit, suspicious, and so on.
    """

    PROVED = "proved"
    REMOVAL = "removal"
    """The proposal only takes a skill away."""
    UNTESTED = "untested"
    """The proposed skill's test on past requests has not begun or is not decided."""
    NOT_BETTER = "not-better"
    """The proposed skill was tested on past requests, and no benefit was shown."""
    UNTESTABLE = "untestable"
    """The proposed skill cannot be tested: it has no past requests, or nothing can score the
    answers to them.
    """
    QUARANTINED = "quarantined"
    OUT_OF_DATE = "out-of-date"
    DECIDED = "decided"


CALM: Final = frozenset({ReviewState.PROVED, ReviewState.REMOVAL})
"""The review states in which a proposed skill can be approved without a second confirmation."""


class Caution(StrEnum):
    """A caution for the user about a proved skill: what its test on past requests could not
    show.
    """

    ONE_REQUEST = "one-request"
    NO_PAST_SUCCESS = "no-past-success"
    MUCH_SHORTER = "much-shorter"


CAUTION_WORDS: Final[Mapping[Caution, str]] = {
    Caution.ONE_REQUEST: "The evidence comes from only 1 request, so it says little about other "
    "requests.",
    Caution.NO_PAST_SUCCESS: "No request that went well before was repeated, so it isn't known "
    "whether the skill makes such answers worse.",
    Caution.MUCH_SHORTER: "With the skill, answers are much shorter. Read some of them: is "
    "anything missing?",
}


def review_state_of(proposal: Proposal, *, pairs: int) -> ReviewState:
    """Return the review state of a proposed skill, which the user sees before approving it: proved,
    untested, without benefit and so on. `pairs` is the number of pairs of answers that its test has
    replayed.
    """
    status = proposal.status
    if status is ProposalStatus.DEFERRED and proposal.before is not None:
        status = proposal.before
    if not proposal.open:
        return ReviewState.DECIDED
    if status is ProposalStatus.STALE:
        return ReviewState.OUT_OF_DATE
    if status is ProposalStatus.QUARANTINED:
        return ReviewState.QUARANTINED
    if proposal.kind is ProposalKind.RETIRE:
        return ReviewState.REMOVAL
    if status is ProposalStatus.PROVED:
        return ReviewState.PROVED
    if proposal.origin is ProposalOrigin.FILE:
        return ReviewState.UNTESTABLE  # no request of the user's stands behind it
    if status is ProposalStatus.UNPROVED:
        return ReviewState.NOT_BETTER if pairs else ReviewState.UNTESTABLE
    return ReviewState.UNTESTED


def cautions_of(
    decision: ProofDecision, pairs: Sequence[Pair] = (), *, is_about_length: bool = False
) -> tuple[Caution, ...]:
    """Return what a skill's test on past requests has not shown so far, as cautions for the user;
    empty while no request was answered again for the test.

    `pairs` are the test's answers; `is_about_length` says that the skill's rule limits how long
    answers are, so that short ones are no surprise.
    """
    if not decision.pairs:
        return ()
    found = []
    if decision.requests == 1:
        found.append(Caution.ONE_REQUEST)
    if not decision.success_pairs:
        found.append(Caution.NO_PAST_SUCCESS)
    if not is_about_length and are_much_shorter(pairs):
        found.append(Caution.MUCH_SHORTER)
    return tuple(found)
