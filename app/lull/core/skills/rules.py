"""Settings that say how skills are made from conversations that went wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolveRule:
    """The parameters of making skills from feedback: how many failures are needed, and how many
    skills at most.
    """

    alike: int = 3
    """Number of similar failures without an explanation that are needed to make a skill."""
    most_active: int = 40
    """Most active skills of one client; with more, they interfere with each other."""
    most_open: int = 10
    """Most proposals of one client that may wait for the user; no new ones are made beyond this."""
    retry_s: float = 1800.0
    """Delay before a skill is written again from the same failures after an unusable answer;
    doubles each time.
    """
    siblings: int = 8
    successes: int = 8
    sibling_likeness: float = 0.2
    """Least similarity to the failed request, in [0, 1], for a request to count as a sibling."""
    same_kind: float = 0.5
    """Least similarity of two skills with the same kind of check from which the newer one replaces
    the older.
    """
