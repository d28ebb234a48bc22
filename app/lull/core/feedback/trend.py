"""Decides whether answers got better or worse, by the confidence intervals of their mean scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from statistics import NormalDist, fmean, variance
from typing import Final

from lull.core.feedback.calibration import Estimate, wilson

LEAST_ANSWERS: Final = 5
"""Fewest scored answers whose running mean is drawn as part of a curve."""
LEAST_SIDE: Final = 10
"""Fewest scored answers that each of two groups needs before their means are compared."""
LEVEL: Final = 0.95


class Trend(StrEnum):
    """Whether answers got better or worse from one mean of their scores to another, or neither is
    certain.
    """

    TOO_FEW = "too few"
    UNSURE = "unsure"
    """The confidence interval of the difference contains 0: either mean may be the better one."""
    BETTER = "better"
    WORSE = "worse"


def mean_of(means: Iterable[tuple[float, int]]) -> Estimate:
    """Return the mean of scores from 0 to 1 with its confidence interval. `means` are pairs: the
    mean of some scores, and their number.

    A score is the probability that an answer was good; the interval assumes that each answer is
    either good or bad. Answers of one conversation are alike, so the true interval is somewhat
    wider.
    """
    some = list(means)
    n = sum(many for _, many in some)
    hits = sum(mean * many for mean, many in some)
    return wilson(min(max(hits, 0.0), float(n)), n, level=LEVEL)


def halves(means: Sequence[tuple[float, int]]) -> tuple[Estimate, Estimate]:
    """Split scores, oldest first, into two halves, and return the mean score of the earlier and of
    the later answers.
    """
    half, passed, cut = sum(many for _, many in means) / 2, 0, 0
    while cut < len(means) and passed + means[cut][1] / 2 <= half:
        passed += means[cut][1]
        cut += 1
    return mean_of(means[:cut]), mean_of(means[cut:])


def difference(before: Estimate, after: Estimate) -> tuple[float, float]:
    """Return the confidence interval of the mean `after` minus the mean `before` (Newcombe 1998,
    method 10).
    """
    change = after.value - before.value
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return change - down, change + up


def trend(before: Estimate, after: Estimate, *, least: int = LEAST_SIDE) -> Trend:
    """Return whether scores got better or worse from the mean `before` to the mean `after`, or
    neither is certain, by the confidence interval of the difference. The result is TOO_FEW if one
    of them is the mean of fewer than `least` scores.
    """
    if min(before.n, after.n) < least:
        return Trend.TOO_FEW
    return _side(*difference(before, after))


def loss_trend(losses: Sequence[float], *, least: int = LEAST_SIDE) -> Trend:
    """Return whether a training run's losses, one per step, fall (better) or rise (worse), or
    neither is certain. Compares the means of the run's earlier and later half, with intervals for
    unbounded values (normal distribution).
    """
    earlier, later = losses[: len(losses) // 2], losses[len(losses) // 2 :]
    if min(len(earlier), len(later)) < least:
        return Trend.TOO_FEW
    wide = NormalDist().inv_cdf((1.0 + LEVEL) / 2.0)
    half = wide * math.sqrt(variance(earlier) / len(earlier) + variance(later) / len(later))
    fall = fmean(earlier) - fmean(later)
    return _side(fall - half, fall + half)


def _side(low: float, high: float) -> Trend:
    if low > 0.0:
        return Trend.BETTER
    return Trend.WORSE if high < 0.0 else Trend.UNSURE
