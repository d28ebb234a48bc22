"""Settings that say how and when the judge model scores recorded answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """When the judge (a model that scores answers) is asked about an answer, and how often
    again.
    """

    settle_s: float = 600.0
    """Seconds without a next message after which the judge is asked about the turn anyway."""
    retry_s: float = 3600.0
    """Delay before a judge without a verdict is asked again; doubles each time."""
    tries: int = 4
    audit_share: float = 0.1
    """Share of turns with a verifiable signal (such as a test's result) that the judge is also
    asked about, to measure its reliability.
    """
