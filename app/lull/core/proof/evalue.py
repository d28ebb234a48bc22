"""Computes e-values (evidence that stays valid however often one looks) from numbers of wins and
losses: how often an answer with a skill was better or worse than one without it.

An e-value is the capital of a gambler who started with 1 and can only expect to win if the null
hypothesis is wrong: under the null the chance that it ever reaches c is at most 1/c (Ville), so a
test may stop at any time. This module turns counts of wins and losses into e-values, and says which
e-value a candidate needs when several are tested at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

PRIOR_WINS: Final = 50
PRIOR_LOSSES: Final = 20
"""Number of losses in the prior of the bet, which expects 5 of 7 discordant pairs to be wins. A
skill that gains 30 percentage points wins slightly more often (0.35 → 0.65: 0.775), but a prior for
that would find such skills hardly sooner and accept mildly harmful ones more often. Any choice is
valid; `python -m bench gates` shows the effect of this one.
"""

PICK_WINS: Final = 5
PICK_LOSSES: Final = 1
"""Number of losses in the prior for bets on the user's picks, which expects five of six picks to
favour the better answer. A person who sees both answers side by side seldom errs; six picks in one
direction give an e-value of 29, where the other prior would need eight.
"""

_LARGEST_LOG: Final = 700.0
"""Largest logarithm of an e-value: e to this power still fits a float, larger ones are capped."""
_ROUNDING: Final = 1e-9
"""How far a logarithm computed in floats may be from the exact one."""


def log_e_value(wins: int, losses: int) -> float:
    """Return the natural logarithm of the one-sided e-value against "a win is no likelier than a
    loss", from counts of wins and losses. A high value is evidence that wins are likelier.

    A mixture of the likelihood ratios of every win rate above 1/2 to 1/2 itself, weighted by a
    Beta(50, 20) density cut off below 1/2. Each ratio is a supermartingale where the win rate is
    1/2 or less, given all that came before; so is their mixture (testing by betting: Waudby-Smith &
    Ramdas, arXiv 2010.09686). Ties do not count. Raises ValueError for negative counts.
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"counts are not negative: {wins} wins, {losses} losses")
    return _log_mixture(wins, losses, PRIOR_WINS, PRIOR_LOSSES)


def harm_log_e_value(wins: int, losses: int) -> float:
    """Return the natural logarithm of the one-sided e-value against "a loss is no likelier than a
    win", from counts of wins and losses. A high value is evidence of harm.
    """
    return log_e_value(losses, wins)


def pick_log_e_value(wins: int, losses: int) -> float:
    """Return the natural logarithm of the e-value against "a win is no likelier than a loss" for
    pairs of answers that the user chose from blindly; the prior is Beta(5, 1) truncated below 1/2.

    Who scores a pair is fixed before it is scored, so the sum of this and of `log_e_value` for the
    other pairs is a log e-value again.
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"counts are not negative: {wins} wins, {losses} losses")
    return _log_mixture(wins, losses, PICK_WINS, PICK_LOSSES)


def e_value_from_log(log_e: float) -> float:
    """Return the e-value for its natural logarithm, capped to the range of a float."""
    return math.exp(min(log_e, _LARGEST_LOG))


def share_proved(
    measured: tuple[int, int], picked: tuple[int, int] = (0, 0), *, alpha: float = 0.05
) -> float | None:
    """Return the share of better answers, in whole percent, that a skill is shown to exceed; None
    if it is not shown to be better more often than worse.

    `measured` and `picked` are (wins, losses) of pairs scored by a program or model, and of those
    compared by the user. The bound turns the test round that proves a skill: every share from 1/2
    up to it is rejected by the same bets, cut off below that share, at the same level. So it is
    above 1/2 exactly if the e-value of the benefit reaches 1/alpha, and the true share is below it
    with a chance of at most alpha, however often one looks (Waudby-Smith & Ramdas, arXiv
    2010.09686). Raises ValueError for negative counts.
    """
    if min(*measured, *picked) < 0:
        raise ValueError(f"counts are not negative: {measured}, {picked}")
    needed, shown = -math.log(alpha), None
    wins, losses = measured[0] + picked[0], measured[1] + picked[1]
    for percent in range(50, 100):
        share = percent / 100
        if shown is not None and share >= wins / (wins + losses):
            break  # never more than was seen, as where the two kinds of pairs disagree
        log_e = _log_e_above(share, *measured, PRIOR_WINS, PRIOR_LOSSES) + _log_e_above(
            share, *picked, PICK_WINS, PICK_LOSSES
        )
        if log_e < needed - _ROUNDING:
            break
        shown = share
    return shown


def _log_e_above(share: float, wins: int, losses: int, prior_wins: int, prior_losses: int) -> float:
    """Log e-value against "a win is no likelier than `share`", with the prior cut off below it."""
    return (
        _log_upper(prior_wins + wins, prior_losses + losses, share)
        - _log_upper(prior_wins, prior_losses, share)
        - wins * math.log(share)
        - losses * math.log1p(-share)
    )


def _log_upper(a: int, b: int, share: float) -> float:
    """Logarithm of ∫ θ^(a-1) (1-θ)^(b-1) dθ from `share` to 1, like `_upper_half` but in floats."""
    tosses = a + b - 1
    terms = [
        math.lgamma(tosses + 1)
        - math.lgamma(heads + 1)
        - math.lgamma(tosses - heads + 1)
        + heads * math.log(share)
        + (tosses - heads) * math.log1p(-share)
        for heads in range(a)
    ]
    most = max(terms)
    tail = most + math.log(math.fsum(math.exp(term - most) for term in terms))
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b) + tail


@lru_cache(maxsize=16_384)
def _log_mixture(wins: int, losses: int, prior_wins: int, prior_losses: int) -> float:
    value = mixture_e_value(wins, losses, prior_wins, prior_losses)
    return math.log(value.numerator) - math.log(value.denominator)


def mixture_e_value(wins: int, losses: int, prior_wins: int, prior_losses: int) -> Fraction:
    """Return the e-value against "a win is no likelier than a loss" for these counts, as an exact
    fraction. The prior of the win rate is a Beta distribution with parameters `prior_wins` and
    `prior_losses`, cut off below 1/2.
    """
    ratio = _upper_half(prior_wins + wins, prior_losses + losses) / _upper_half(
        prior_wins, prior_losses
    )
    return ratio * (1 << (wins + losses))


def _upper_half(a: int, b: int) -> Fraction:
    """∫ θ^(a-1) (1-θ)^(b-1) dθ from 1/2 to 1, exactly.

    For whole numbers the regularised incomplete beta function is a binomial tail (DLMF 8.17.5): the
    share above 1/2 is the chance of fewer than `a` heads in a + b - 1 fair tosses.
    """
    tosses = a + b - 1
    ways, fewer = 1, 0
    for heads in range(a):
        fewer += ways
        ways = ways * (tosses - heads) // (heads + 1)
    whole = Fraction(1, tosses * math.comb(tosses - 1, a - 1))
    return whole * Fraction(fewer, 2**tosses)


def e_bh_needs(others: Sequence[float], alpha: float = 0.10) -> float:
    """Return the smallest e-value with which one more skill would be accepted, if it is tested
    together with skills that have the e-values `others` (Benjamini-Hochberg with e-values).

    Among those accepted, the expected share of useless ones is at most `alpha`, however the
    e-values depend on each other (e-BH: Wang & Ramdas, JRSS B 2022, arXiv 2009.02824). With many
    useless candidates around it, the needed value is higher than the 1/alpha of a single test; a
    proof can go on until it is reached. Raises ValueError for an invalid e-value.
    """
    _check(others, alpha)
    tested = len(others) + 1
    for rank in range(tested, 0, -1):
        needed = tested / (alpha * rank)
        if sum(other >= needed for other in others) >= rank - 1:
            return needed
    raise AssertionError("rank 1 asks nothing of the others")


def _check(e_values: Sequence[float], alpha: float) -> None:
    if not 0.0 < alpha <= 1.0:
        raise ValueError(f"alpha is above 0 and at most 1, not {alpha}")
    if any(not value >= 0.0 for value in e_values):
        raise ValueError("an e-value is a number from 0 upwards")
