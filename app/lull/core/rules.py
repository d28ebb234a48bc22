"""The numbers of the fast loop's rules, each a setting with its reason (config/learning.py).

The rules themselves stand beside what they decide; the stories are handed these as values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lull.core.guard import HELP_E, RETIRE_E, SHARE, STALE_DAYS, SURE_PART
from lull.core.proof import ProofRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    settle_s: float = 600.0
    """So long without a next message, and the judge is asked without one."""
    retry_s: float = 3600.0
    """A judge that gave no verdict is asked again after this, doubled each time."""
    tries: int = 4
    audit_share: float = 0.1
    """Of turns with a verifiable signal that the judge is asked about too, to know how far it can
    be trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolveRule:
    alike: int = 3
    """Silent failures that must look alike before anything is made of them."""
    most_active: int = 40
    """Skills in force for one room; more blur each other."""
    most_open: int = 10
    """Proposals that wait for the user; nobody reads more."""
    retry_s: float = 1800.0
    """After an answer that could not be used the same failures wait so long, then twice as long."""
    siblings: int = 8
    successes: int = 8
    sibling_likeness: float = 0.2
    """Least likeness of a request to the failed one, in [0, 1]."""
    same_kind: float = 0.5
    """Least likeness of the requests of two rules that one check tells apart: the newer takes the
    older one's place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveRule:
    proof: ProofRule = field(default_factory=ProofRule)
    slice_s: float = 30.0
    """A slice ends with the first pair that comes to its end after this."""
    warm: float = 0.7
    """Temperature where the client asked for 0: under several seeds there is something to see."""
    false_discoveries: float = 0.10
    """Of the candidates that are accepted together, by e-BH."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRule:
    share: float = SHARE
    """Of conversations that go without a skill; 0 switches the guard off."""
    sure_part: float = SURE_PART
    """Of that share, for a skill that surely helps."""
    settle_uses: int = 10
    """Conversations that a fresh skill is always in: the user looks whether it works."""
    harm_e: float = RETIRE_E
    help_e: float = HELP_E
    stale_days: float = STALE_DAYS
