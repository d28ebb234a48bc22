"""Measures how reliable each source of verdicts on answers (tools, reactions, a judge model) is,
against the user's own ratings.

A verdict is a test with errors: a source recognises a share of what the user calls good
(sensitivity) and of what the user calls bad (specificity). Both shares are counted on answers that
the user and the source have both judged, starting from a modest prior so that the first rating does
not decide. They give the probability that an answer is good, the true rate behind an apparent one,
the most informative question to ask the user on a day, and whether a judge model's labels may be
trained on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import NormalDist
from typing import Final

from lull.core.feedback.reward import GREY, Source

EVEN: Final = 0.5
A_DAY: Final = timedelta(days=1)
LEAST_PAIRS: Final = 20
"""Fewest turns seen by both judge and checks from which their measured agreement decides about
training on judged labels; with fewer, training stops only if the whole interval is too low.
"""
LEAST_AGREEMENT: Final = 0.7
LEAST_DISAGREEMENT: Final = 0.3
"""Least difference between the probability that an answer is good (p_good) by the judge and by the
other signals that is worth asking the user about.
"""
LEAST_YOUDEN: Final = 0.05
"""Least sensitivity + specificity - 1 (Youden's index) of a source of verdicts; a source below this
is uninformative and cannot be corrected.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What is assumed about the reliability of a source of verdicts before the user has rated
    anything.
    """

    right: float
    """Assumed sensitivity of the source, and its specificity unless that was measured
    separately.
    """
    weight: float
    """Weight of the assumption, as a number of labels of each kind."""
    specificity: float | None = None


PRIORS: Final[Mapping[Source, Prior]] = {
    Source.VERIFIABLE: Prior(right=0.97, weight=20.0),
    Source.EXPLICIT: Prior(right=0.99, weight=1000.0),
    Source.IMPLICIT: Prior(right=0.90, weight=10.0),
    # Weak, so that labels count soon, yet a single verdict falls outside the grey zone.
    Source.JUDGE: Prior(right=0.75, weight=8.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How often a source's verdicts on answers agreed with the user's ratings of the same answers
    (a confusion matrix; "positive" means good).
    """

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0

    def with_pair(self, *, good: bool, value: float) -> Counts:
        """Return the confusion matrix with one more answer that both the user and the source
        judged: `good` is the user's rating, `value` the source's verdict. A verdict of 0 does not
        count.
        """
        return Counts(
            tp=self.tp + (good and value > 0),
            fn=self.fn + (good and value < 0),
            fp=self.fp + (not good and value > 0),
            tn=self.tn + (not good and value < 0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Sensitivity and specificity of a source of verdicts, smoothed by a Beta prior, with the
    number of ratings behind each.
    """

    sensitivity: float
    specificity: float
    n_sensitivity: float
    n_specificity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimated share from 0 to 1, such as that of good answers, with its confidence
    interval.
    """

    value: float
    low: float
    high: float
    n: int


def rates(source: Source, counts: Counts, belief: Prior | None = None) -> Rates:
    """Return a source's smoothed sensitivity and specificity: how often its verdicts are right on
    good and on bad answers. `counts` compares them with the user's ratings.

    `belief` replaces the source's prior, for example when a judge model was measured on labelled
    items before use.
    """
    prior = belief or PRIORS[source]
    good, bad = counts.tp + counts.fn, counts.fp + counts.tn
    right_of_bad = prior.right if prior.specificity is None else prior.specificity
    return Rates(
        sensitivity=(counts.tp + prior.right * prior.weight) / (good + prior.weight),
        specificity=(counts.tn + right_of_bad * prior.weight) / (bad + prior.weight),
        n_sensitivity=good + prior.weight,
        n_specificity=bad + prior.weight,
    )


def p_good(
    value: float,
    source: Source,
    counts: Counts | None = None,
    *,
    prior: float = EVEN,
    belief: Prior | None = None,
) -> float:
    """Return the probability that the user would call an answer good, given one source's verdict
    (Bayes).

    `value` is the verdict, -1 to 1, with log-odds interpolated linearly. `prior` is the share of
    good answers before any verdict. A verdict of 0 stays in the range that is too uncertain to
    learn from (the grey zone), whatever the prior. A verdict is never reversed: an answer that the
    source calls bad can come out as uncertain but not as good. A source no better than chance
    leaves everything uncertain.
    """
    found = rates(source, counts or Counts(), belief)
    before = min(max(prior, 0.01), 0.99)
    middle = _log_odds(min(max(before, GREY[0]), GREY[1]))
    good_says_good = found.sensitivity / (1.0 - found.specificity)
    good_says_bad = (1.0 - found.sensitivity) / found.specificity
    high = max(middle, _log_odds(before) + math.log(good_says_good))
    low = min(middle, _log_odds(before) + math.log(good_says_bad))
    end = high if value > 0 else low
    return 1.0 / (1.0 + math.exp(-(middle + abs(value) * (end - middle))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """For every source of verdicts on answers, how often it agrees with the user's own ratings
    (confusion matrices), and what was assumed before there were ratings (priors).
    """

    counts: Mapping[Source, Counts] = field(default_factory=dict)
    beliefs: Mapping[Source, Prior] = field(default_factory=dict)
    """Priors that were measured beforehand, by source; the other sources use PRIORS."""

    @classmethod
    def of(
        cls,
        labelled: Iterable[tuple[bool, Mapping[Source, float]]],
        beliefs: Mapping[Source, Prior] | None = None,
    ) -> Calibration:
        """Build the calibration from answers that the user rated: pairs of whether the user called
        the answer good, and each source's verdict on it.
        """
        counts: dict[Source, Counts] = {}
        for good, verdicts in labelled:
            for source, value in verdicts.items():
                known = counts.get(source, Counts())
                counts[source] = known.with_pair(good=good, value=value)
        return cls(counts=counts, beliefs=beliefs or {})

    def p_good(self, value: float, source: Source, *, prior: float = EVEN) -> float:
        """Return the probability that an answer was good, given a source's verdict and how often
        the source is right.
        """
        counts, belief = self.counts.get(source), self.beliefs.get(source)
        return p_good(value, source, counts, prior=prior, belief=belief)

    def rates(self, source: Source) -> Rates:
        """Return the sensitivity and specificity of a source's verdicts on answers."""
        return rates(source, self.counts.get(source, Counts()), self.beliefs.get(source))

    def true_rate(self, source: Source, *, good: int, n: int) -> Estimate:
        """Estimate the true share of good answers, corrected for this source's errors, if the
        source called `good` of `n` answers good.
        """
        return corrected_rate(good, n, self.rates(source))


def corrected_rate(good: int, n: int, found: Rates, *, level: float = 0.95) -> Estimate:
    """Estimate the true share of good answers when a source with known error rates (`found`) called
    `good` of `n` answers good.

    Rogan & Gladen (1978), with the interval of Lang & Reiczigel (2014), which includes the
    uncertainty of the two rates; for language-model judges see arXiv 2511.21140. Without
    information the interval is [0, 1]. Raises ValueError for impossible counts.
    """
    if not 0 <= good <= n:
        raise ValueError(f"{good} of {n} is no share")
    youden = found.sensitivity + found.specificity - 1.0
    if n == 0 or youden < LEAST_YOUDEN:
        return Estimate(value=good / n if n else EVEN, low=0.0, high=1.0, n=n)
    point = (good / n + found.specificity - 1.0) / youden
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    n_more = n + z * z
    apparent = (good + z * z / 2.0) / n_more
    centre = (apparent + found.specificity - 1.0) / youden
    se_var = found.sensitivity * (1.0 - found.sensitivity) / found.n_sensitivity
    sp_var = found.specificity * (1.0 - found.specificity) / found.n_specificity
    shift = 2.0 * z * z * (centre * se_var - (1.0 - centre) * sp_var)
    spread = (
        apparent * (1.0 - apparent) / n_more + centre**2 * se_var + (1.0 - centre) ** 2 * sp_var
    )
    half = z * math.sqrt(spread) / youden
    value = _in_unit(point)
    return Estimate(
        value=value,
        low=min(value, _in_unit(centre + shift - half)),
        high=max(value, _in_unit(centre + shift + half)),
        n=n,
    )


def wilson(hits: float, n: int, *, level: float = 0.95) -> Estimate:
    """Return the share `hits` of `n` with its confidence interval (Wilson's score interval, 1927).
    Raises ValueError for impossible counts.

    `hits` may also be a sum of values from 0 to 1. Of all such values with the same mean, zeros and
    ones vary most, so the interval is then too wide rather than too narrow.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    if n == 0:
        return Estimate(value=EVEN, low=0.0, high=1.0, n=0)
    z2 = NormalDist().inv_cdf((1.0 + level) / 2.0) ** 2
    centre = (hits + z2 / 2.0) / (n + z2)
    half = math.sqrt(z2 * (hits * (n - hits) / n + z2 / 4.0)) / (n + z2)
    return Estimate(
        value=hits / n,
        low=0.0 if hits == 0 else max(0.0, centre - half),
        high=1.0 if hits == n else min(1.0, centre + half),
        n=n,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingCandidate:
    """An answer that the user may be asked to rate, with two estimates of the probability that it
    is good: one from the judge model, one from all other sources.
    """

    turn: str
    judge: float | None
    """Probability that the answer is good (p_good) by the judge; None if it gave no verdict."""
    signals: float | None
    """Probability that the answer is good (p_good) by all sources except the judge; None if none
    gave a verdict.
    """

    @property
    def disagreement(self) -> float:
        """How far the judge's verdict on an answer is from that of the other signals; 0 if one is
        unknown.
        """
        if self.judge is None or self.signals is None:
            return 0.0
        return abs(self.judge - self.signals)


def was_today(asked: datetime, now: datetime) -> bool:
    """Return whether a question was asked in the last 24 hours. One of a later time than now was
    asked by a clock that was wrong, and keeps no other from being asked.
    """
    return timedelta() <= now - asked < A_DAY


def question_of_the_day(
    candidates: Iterable[RatingCandidate], *, asked_last: datetime | None, now: datetime
) -> str | None:
    """Choose the one answer that the user is asked to rate today: the one on which the judge model
    and the other sources disagree most. Return its turn's id; None if nothing is to be asked.

    At most one question in any 24 hours, and none if judge and sources nearly agree. Of answers
    with equal disagreement the first is chosen.
    """
    if asked_last is not None and was_today(asked_last, now):
        return None
    worst = max(candidates, key=lambda doubt: doubt.disagreement, default=None)
    if worst is None or worst.disagreement < LEAST_DISAGREEMENT:
        return None
    return worst.turn


def agreement(pairs: Iterable[tuple[float, float]]) -> Estimate:
    """Return the share of answers on which the judge model agrees with programmatic checks, with
    its confidence interval.

    Takes pairs of (judge's verdict, check's verdict), -1 to 1. Pairs with a verdict of 0 are left
    out.
    """
    sides = [judge * check > 0 for judge, check in pairs if judge * check]
    return wilson(sum(sides), len(sides))


def may_train_on_judge(found: Estimate) -> tuple[bool, str]:
    """Decide whether the scores that a judge model gave to answers may be used for training; return
    the decision and the reason in words.

    `found` is the judge's agreement with programmatic checks. From 20 compared answers on, the
    share of agreement itself decides. With fewer, training goes on unless the whole confidence
    interval is below the limit: few answers are no reason for distrust, but a clearly wrong judge
    is stopped at once.
    """
    limit = f"{LEAST_AGREEMENT:.0%}"
    if found.n == 0:
        return True, "The judge has not been compared with any check yet."
    said = (
        f"The judge model and the checks agree on {found.value:.0%} of {found.n} answers (95% "
        f"interval {found.low:.0%} to {found.high:.0%})."
    )
    if found.n < LEAST_PAIRS and found.high >= LEAST_AGREEMENT:
        return True, " ".join((said, f"To be sure, {LEAST_PAIRS} answers are needed."))
    needed = f"At least {limit} of them are needed."
    if found.value >= LEAST_AGREEMENT:
        return True, " ".join((said, needed))
    return False, " ".join((said, needed, "Until then, Lull does not train on the judge's scores."))


def _log_odds(p: float) -> float:
    return math.log(p / (1.0 - p))


def _in_unit(value: float) -> float:
    return min(1.0, max(0.0, value))
