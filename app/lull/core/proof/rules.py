"""Settings for testing new skills on past requests, and for measuring the effect of approved skills
while they are in use.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lull.core.proof.holdout import (
    FIRST_USES,
    HELP_E,
    HOLDOUT_SHARE,
    RETIRE_E,
    STALE_DAYS,
    SURE_PART,
)
from lull.core.proof.in_use import UseRule
from lull.core.proof.proof import ProofRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveRule:
    """The parameters of proofs: how they replay past requests and when they end."""

    proof: ProofRule = field(default_factory=ProofRule)
    slice_s: float = 30.0
    """Seconds of a slice of proof work; the pair that is running then is still finished."""
    warm: float = 0.7
    """Temperature used in replays if the client asked for 0, so that different seeds give different
    answers.
    """
    false_discoveries: float = 0.10
    """Expected share of useless skills among those accepted together, by e-BH."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutRule:
    """The parameters of the holdout, which leaves skills out of some conversations to measure their
    effect.
    """

    share: float = HOLDOUT_SHARE
    """Share of conversations that a skill is left out of where replays cannot measure it; 0 leaves
    none out.
    """
    sure_part: float = SURE_PART
    """Factor on `share` for a skill that surely helps."""
    settle_uses: int = FIRST_USES
    """Number of each client's conversations that a skill is always part of after its approval,
    because the user is checking whether it works.
    """
    use: UseRule = field(default_factory=UseRule)
    harm_e: float = RETIRE_E
    help_e: float = HELP_E
    stale_days: float = STALE_DAYS
