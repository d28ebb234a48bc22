"""Compares arms that played the same rounds: differences and shares of a gap, with intervals.

Interval: paired bootstrap over days, 95 % percentiles. Every arm plays every day, so whole days are
drawn again, the same for all arms at once, and each figure is made anew of the days drawn (Davison
& Hinkley 1997, Bootstrap Methods and their Application, 3.8 for clusters and 5.3.1 for percentiles;
paired as in Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation). Days
differ in their number of rounds and a share of a gap is a ratio, so t over days does not fit. With
few days such intervals are somewhat too narrow: 11 days are few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.metaclaw_bench.scoring import DRAWS, Scored

Floats = NDArray[np.float64]
_NO_GAP = 1e-9


class Estimate(NamedTuple):
    value: float
    low: float
    high: float


def over(one: Sequence[Scored], other: Sequence[Scored], seed: int) -> Estimate:
    """Return the accuracy of one arm less that of the other. Raises ValueError unless both have
    the same rounds.
    """
    return _estimate([one, other], lambda a, b: a - b, seed)


def share_of_gap(
    one: Sequence[Scored], bottom: Sequence[Scored], top: Sequence[Scored], seed: int
) -> Estimate | None:
    """Return which share of the gap in accuracy from `bottom` to `top` an arm closes; None if
    there is no gap. Draws of days on which there is none are left out of the interval.

    Raises ValueError unless all three have the same rounds.
    """
    if over(top, bottom, seed).value <= _NO_GAP:
        return None

    def share(a: Floats, low: Floats, high: Floats) -> Floats:
        gap = high - low
        return np.where(gap > _NO_GAP, (a - low) / np.where(gap > _NO_GAP, gap, 1.0), np.nan)

    return _estimate([one, bottom, top], share, seed)


def _estimate(
    arms: Sequence[Sequence[Scored]], figure: Callable[..., Floats], seed: int
) -> Estimate:
    rounds = [(r.day, r.round) for r in arms[0]]
    if not rounds or any([(r.day, r.round) for r in arm] != rounds for arm in arms):
        raise ValueError("only arms that played the same rounds can be compared")
    days = list(dict.fromkeys(day for day, _ in rounds))
    at = np.array([days.index(day) for day, _ in rounds])
    counts = np.bincount(at).astype(float)
    sums = [np.bincount(at, weights=[r.score for r in arm]) for arm in arms]
    drawn = np.random.default_rng(seed).integers(len(days), size=(DRAWS, len(days)))
    asked = counts[drawn].sum(axis=1)
    found = figure(*(one[drawn].sum(axis=1) / asked for one in sums))
    low, high = np.nanquantile(found, [0.025, 0.975])
    value = figure(*(np.array(one.sum() / counts.sum()) for one in sums))
    return Estimate(float(value), float(low), float(high))
