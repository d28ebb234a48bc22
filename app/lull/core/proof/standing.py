"""What the approval of a proposed skill would rest on when the user decides: a proof, no test yet,
no benefit shown.

The window and the command line ask for confirmation before they put anything in force that was not
proved, and show the same cautions beside a proof. Both are decided here, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from lull.core.proof.proof import ProofDecision
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin, ProposalStatus


class Standing(StrEnum):
    """What the user's approval of a proposed skill would rest on."""

    PROVED = "proved"
    REMOVAL = "removal"
    """It only takes a skill away."""
    UNTESTED = "untested"
    """Its replays have not begun or are not decided."""
    NOT_BETTER = "not-better"
    """It was replayed, and no benefit was shown."""
    UNTESTABLE = "untestable"
    """Nothing here can score its replays."""
    QUARANTINED = "quarantined"
    OUT_OF_DATE = "out-of-date"
    DECIDED = "decided"


CALM: Final = frozenset({Standing.PROVED, Standing.REMOVAL})
"""Standings in which one word of the user is enough to approve."""


class Caution(StrEnum):
    """Something that the proof of a skill leaves open, as a caution for the user."""

    ONE_REQUEST = "one-request"
    NO_PAST_SUCCESS = "no-past-success"


CAUTION_WORDS: Final[Mapping[Caution, str]] = {
    Caution.ONE_REQUEST: "It rests on 1 request alone; of other requests it says little.",
    Caution.NO_PAST_SUCCESS: "No past success was replayed: what it may spoil is not known.",
}


def standing_of(proposal: Proposal, *, pairs: int) -> Standing:
    """Return what approving the proposed skill would rest on, after this many replayed pairs of
    answers.
    """
    status = proposal.status
    if status is ProposalStatus.DEFERRED and proposal.before is not None:
        status = proposal.before
    if not proposal.open:
        return Standing.DECIDED
    if status is ProposalStatus.STALE:
        return Standing.OUT_OF_DATE
    if status is ProposalStatus.QUARANTINED:
        return Standing.QUARANTINED
    if proposal.kind is ProposalKind.RETIRE:
        return Standing.REMOVAL
    if status is ProposalStatus.PROVED:
        return Standing.PROVED
    if proposal.origin is ProposalOrigin.FILE:
        return Standing.UNTESTABLE  # no request of the user's stands behind it
    if status is ProposalStatus.UNPROVED:
        return Standing.NOT_BETTER if pairs else Standing.UNTESTABLE
    return Standing.UNTESTED


def cautions_of(decision: ProofDecision) -> tuple[Caution, ...]:
    """Return what the proof of a skill leaves open so far; nothing before the first replayed
    pair.
    """
    if not decision.pairs:
        return ()
    found = []
    if decision.requests == 1:
        found.append(Caution.ONE_REQUEST)
    if not decision.success_pairs:
        found.append(Caution.NO_PAST_SUCCESS)
    return tuple(found)
