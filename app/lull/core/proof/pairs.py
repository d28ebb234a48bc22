"""Data types for the pairs of answers by which a skill is tested, with and without it, and for
their totals: how often the skill's answers were better and worse, and the e-values of these counts.

A pair is one recorded request answered twice with the same seed, without and with the skill. Pairs
come from three parts, see `PairPart`. What the totals decide stands in `proof.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import median
from typing import Final

from lull.core.proof.evalue import (
    harm_log_e_value,
    log_e_value,
    pick_log_e_value,
    share_proved,
)

BY_CHECK: Final = "verifier:check"
"""Value of `scored_by` for a pair scored by the check proposed with the skill."""
BY_JUDGE: Final = "judge:"
"""How `scored_by` begins for a pair scored by a judge model."""
BY_USER: Final = "user"
"""Value of `scored_by` for a pair of answers that the user compared blindly."""
SAME_WORDS: Final = "same words"
"""Value of `scored_by` for a pair with identical answers, where the user had nothing to pick."""
ENDED: Final = " […]"
"""Mark at the end of an answer that Lull ended early, because enough was known of it."""
_LENGTHS_KNOWN: Final = 3
_WORDS_TO_LOSE: Final = 12


class PairPart(StrEnum):
    """What a replayed request shows in a proof: that a skill mends a failure, or that it does no
    harm.
    """

    FAILURE = "failure"
    SIBLING = "sibling"
    """A held-out request: similar to the failures, but not shown to the skill's writer."""
    SUCCESS = "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One past request answered without and with the skill, with the same random seed, and the
    scores of both answers.
    """

    request: str
    """The id of the turn that is replayed."""
    part: PairPart
    seed: int
    without: float
    with_: float
    """Scores of the two answers, without and with the skill, on the scorer's own scale; only which
    is higher counts.
    """
    scored_by: str
    """Who scored the two answers: a verifier by name, a judge by name and version, or the user."""
    request_sha256: str = ""
    without_sha256: str = ""
    with_sha256: str = ""
    answers: tuple[str, str] = field(default=("", ""), compare=False, repr=False)
    """The answers without and with the skill, for the user to read; no part of the evidence."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.without) and math.isfinite(self.with_)):
            raise ValueError(f"a score is a finite number, not {self.without} or {self.with_}")

    @property
    def won(self) -> bool:
        """Whether the answer with the skill scored higher than the one without."""
        return self.with_ > self.without

    @property
    def lost(self) -> bool:
        """Whether the answer with the skill was the worse one."""
        return self.with_ < self.without

    @property
    def broken(self) -> bool:
        """Whether a check or a judge found that the answer with the skill broke the rule."""
        return _says_whether_kept(self) and not self.with_


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How often a skill's answers were better (wins) and worse (losses) than those without it."""

    benefit_pairs: int = 0
    wins: int = 0
    losses: int = 0
    success_pairs: int = 0
    success_wins: int = 0
    success_losses: int = 0
    picked_wins: int = 0
    picked_losses: int = 0
    """Losses among the pairs that the user compared blindly; `picked_wins` counts the wins."""
    broken: int = 0
    """Benefit pairs in which a check or a judge found that the answer with the skill broke the
    rule.
    """

    @property
    def pairs(self) -> int:
        """The number of all pairs of answers."""
        return self.benefit_pairs + self.success_pairs

    @property
    def log_e(self) -> float:
        """Log e-value of the skill's benefit: the sum of the log e-values of two separate sets of
        pairs, those that the user compared blindly and those scored otherwise. Their priors differ,
        because the user errs less often.
        """
        return log_e_value(*self._measured) + pick_log_e_value(self.picked_wins, self.picked_losses)

    def share_proved(self, alpha: float) -> float | None:
        """Return the share of better answers, among those that differ, that the skill is shown to
        exceed by the bets that prove it; None if it is not proved by them.
        """
        return share_proved(self._measured, (self.picked_wins, self.picked_losses), alpha=alpha)

    @property
    def _measured(self) -> tuple[int, int]:
        return self.wins - self.picked_wins, self.losses - self.picked_losses

    @property
    def harm_log_e(self) -> float:
        """Log e-value against "the skill does no harm to answers that were good without it"; a high
        value shows harm.
        """
        return harm_log_e_value(self.success_wins, self.success_losses)

    @property
    def benefit_loss_log_e(self) -> float:
        """Log e-value against "the skill does no harm to answers to requests that had gone wrong,
        and similar ones"; a high value shows harm.
        """
        wins, losses = self._measured
        picked = pick_log_e_value(self.picked_losses, self.picked_wins)
        return harm_log_e_value(wins, losses) + picked

    def after(self, wins: int) -> Totals:
        """Return the counts as they would be if the skill won `wins` more pairs of answers; these
        count as compared by the user if the user compared any so far.
        """
        return replace(
            self,
            benefit_pairs=self.benefit_pairs + wins,
            wins=self.wins + wins,
            picked_wins=self.picked_wins + (wins if self.picks else 0),
        )

    @property
    def picks(self) -> int:
        """The number of pairs in which the user found one answer better."""
        return self.picked_wins + self.picked_losses


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCounts:
    """How many answers kept to the rule of a skill, with it and without it, pair by pair."""

    pairs: int
    both: int
    """Pairs in which both answers kept to the rule."""
    only_with: int
    """Pairs in which only the answer with the skill kept to the rule."""
    only_without: int

    @property
    def neither(self) -> int:
        """The number of pairs in which both answers broke the rule."""
        return self.pairs - self.both - self.only_with - self.only_without


def kept_counts(pairs: Iterable[Pair]) -> KeptCounts | None:
    """Count how often the answers of the benefit pairs kept to the rule that is tested; None if
    there are none, or not each answer was found to keep to the rule or to break it.

    The user compares two answers with each other, so a pick says of neither whether it kept to the
    rule; nor does a judge that cannot tell.
    """
    benefit = [p for p in distinct_pairs(pairs) if p.part is not PairPart.SUCCESS]
    if not benefit or not all(map(_says_whether_kept, benefit)):
        return None
    found = Counter((bool(pair.without), bool(pair.with_)) for pair in benefit)
    return KeptCounts(
        pairs=len(benefit),
        both=found[True, True],
        only_with=found[False, True],
        only_without=found[True, False],
    )


def _says_whether_kept(pair: Pair) -> bool:
    by_rule = pair.scored_by == BY_CHECK or pair.scored_by.startswith(BY_JUDGE)
    return by_rule and {pair.without, pair.with_} <= {0.0, 1.0}


def are_much_shorter(pairs: Iterable[Pair]) -> bool:
    """Whether a skill makes answers so much shorter that something of them may be missing: at most
    a quarter as many words in the middle, where whole answers without it have 12 words or more.

    Answers that were ended early, and those whose text was not stored, tell nothing.
    """
    whole = [
        (len(without.split()), len(with_.split()))
        for without, with_ in (pair.answers for pair in pairs)
        if without and with_ and not without.endswith(ENDED) and not with_.endswith(ENDED)
    ]
    if len(whole) < _LENGTHS_KNOWN:
        return False
    usual = median(without for without, _ in whole)
    return usual >= _WORDS_TO_LOSE and median(with_ for _, with_ in whole) <= usual / 4


def distinct_pairs(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the replayed pairs, each (request, seed) only once, so that none is counted twice."""
    kept: dict[tuple[str, int], Pair] = {}
    for pair in pairs:
        kept.setdefault((pair.request, pair.seed), pair)
    return list(kept.values())


def totals_of(pairs: Iterable[Pair]) -> Totals:
    """Count the wins, losses and ties of a proof's pairs of answers."""
    benefit, success, picked, broken = [0, 0, 0], [0, 0, 0], [0, 0], 0
    for pair in pairs:
        counts = success if pair.part is PairPart.SUCCESS else benefit
        counts[0] += 1
        counts[1] += pair.won
        counts[2] += pair.lost
        if pair.scored_by == BY_USER and counts is benefit:
            picked[0] += pair.won
            picked[1] += pair.lost
        broken += counts is benefit and pair.broken
    return Totals(
        benefit_pairs=benefit[0],
        wins=benefit[1],
        losses=benefit[2],
        success_pairs=success[0],
        success_wins=success[1],
        success_losses=success[2],
        picked_wins=picked[0],
        picked_losses=picked[1],
        broken=broken,
    )
