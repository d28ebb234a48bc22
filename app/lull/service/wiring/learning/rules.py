"""Converts settings to the rules for scoring answers, proving skills by replay, and measuring
skills in use.
"""

from __future__ import annotations

from lull.config.settings import Settings
from lull.core.feedback.rules import ScoreRule
from lull.core.proof.proof import ProofRule
from lull.core.proof.rules import HoldoutRule, ProveRule
from lull.core.skills.rules import EvolveRule


def score_rule(settings: Settings) -> ScoreRule:
    """Return the parameters of scoring answers, by the settings."""
    return ScoreRule(settle_s=settings.learning.settle_s)


def evolve_rule(settings: Settings) -> EvolveRule:
    """Return the parameters of making skills from feedback, by the settings."""
    learning = settings.learning
    return EvolveRule(
        alike=learning.alike,
        most_active=learning.most_active,
        most_open=learning.most_open,
    )


def prove_rule(settings: Settings) -> ProveRule:
    """Return the parameters of proving skills by replays, such as the number of pairs and the
    significance level, by the settings.
    """
    learning = settings.learning
    proof = ProofRule.with_first_pairs(learning.most_pairs, alpha=learning.alpha)
    return ProveRule(proof=proof, slice_s=learning.slice_s)


def holdout_rule(settings: Settings) -> HoldoutRule:
    """Return the parameters of the holdout (leaving a skill out of some conversations), by the
    settings.
    """
    guard = settings.guard
    return HoldoutRule(
        share=guard.leave_out_share, settle_uses=guard.settle_uses, stale_days=guard.stale_days
    )
