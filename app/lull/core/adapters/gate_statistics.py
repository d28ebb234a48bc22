"""Computes the e-values (sequential betting tests) by which the gate decides from paired score
differences whether a new adapter is better or worse than the active one.

A paired difference d in [-1, 1] is the score of the candidate adapter's answer minus that of the
active one's, for the same request and seed. Each bet is an e-value: it starts at 1 and is a mixture
over stakes. Under its null hypothesis it is never expected to grow, so it reaches 20 with a
probability of at most 1 in 20, however often one looks (testing by betting: Waudby-Smith & Ramdas,
arXiv 2010.09686; Ville's inequality).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

STAKE_FRACTIONS: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 0.95)
"""Betting fractions, relative to the largest stake that cannot lose everything; they are mixed
equally, because size and variance of the differences are not known in advance.
"""
_HALVINGS: Final = 40


@lru_cache(maxsize=65_536)
def safe_log_e(wins: int, losses: int, ties: int, margin: float) -> float:
    """Return the natural logarithm of the e-value against "the candidate is worse by `margin` or
    more": E[d] <= -margin, where d is a paired score difference. A high value shows that the
    candidate is not worse by that much.

    If no pair differs, the e-value reaches 20 after 142 pairs for a margin of 3 points.
    """
    highest = 1.0 / (1.0 - margin)
    return _mixture(
        wins * math.log1p(stake * highest * (1.0 + margin))
        + ties * math.log1p(stake * highest * margin)
        + losses * math.log1p(-stake * highest * (1.0 - margin))
        for stake in STAKE_FRACTIONS
    )


@lru_cache(maxsize=65_536)
def harm_log_e(wins: int, losses: int, ties: int, margin: float) -> float:
    """Return the natural logarithm of the e-value against "the candidate is not worse by more than
    `margin`": E[d] >= -margin, where d is a paired score difference. A high value shows harm.
    """
    highest = 1.0 / (1.0 + margin)
    return _mixture(
        wins * math.log1p(-stake * highest * (1.0 + margin))
        + ties * math.log1p(-stake * highest * margin)
        + losses * math.log1p(stake * highest * (1.0 - margin))
        for stake in STAKE_FRACTIONS
    )


def gain_log_e(differences: Sequence[float], least: float = 0.0) -> float:
    """Return the natural logarithm of the e-value against "the mean gain is `least` or less".
    `differences` are an adapter's gains: its score minus the active adapter's, in the order in
    which they were measured. A high value shows a greater gain.

    Raises ValueError for a difference outside [-1, 1] or a `least` outside (-1, 1).
    """
    if not -1.0 < least < 1.0:
        raise ValueError(f"a gain lies between -1 and 1, not at {least}")
    if any(not -1.0 <= d <= 1.0 for d in differences):
        raise ValueError("differences of scores lie in [-1, 1]")
    highest = 1.0 / (1.0 + least)
    return _mixture(
        sum(math.log1p(stake * highest * (d - least)) for d in differences)
        for stake in STAKE_FRACTIONS
    )


def gain_bound(differences: Sequence[float], alpha: float = 0.05) -> float:
    """Return a lower confidence bound of an adapter's mean gain in score over the active one. The
    probability that the true mean is below the bound is at most `alpha`, however often the bound is
    computed while data come in.

    The bound is the largest `least` that the bet of `gain_log_e` has ruled out; -1 if none.
    """
    target = -math.log(alpha)
    low, high = -1.0, max([*differences, -1.0])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if -1.0 < middle < 1.0 and gain_log_e(differences, middle) >= target:
            low = middle
        else:
            high = middle
    return low


def _mixture(logs: Iterable[float]) -> float:
    values = list(logs)
    highest = max(values)
    return highest + math.log(sum(math.exp(v - highest) for v in values) / len(values))
