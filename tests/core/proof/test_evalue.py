"""Tests of the e-value of wins and losses, checked against independent ways to compute it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.proof.evalue import (
    PRIOR_LOSSES,
    PRIOR_WINS,
    e_bh_needs,
    e_value_from_log,
    harm_log_e_value,
    log_e_value,
    mixture_e_value,
    pick_log_e_value,
    share_proved,
)

counts = st.integers(0, 80)
e_values = st.lists(
    st.floats(0, 1e6, allow_nan=False) | st.sampled_from([0.0, 1.0, 20.0, 100.0]), max_size=12
)


def e_value(wins: int, losses: int) -> Fraction:
    return mixture_e_value(wins, losses, PRIOR_WINS, PRIOR_LOSSES)


def accepted(values: list[float], alpha: float = 0.1) -> set[int]:
    """Indices of the candidates whose e-values reach what e-BH asks of them beside all others."""
    rest = (values[:i] + values[i + 1 :] for i in range(len(values)))
    return {i for i, others in enumerate(rest) if values[i] >= e_bh_needs(others, alpha)}


def by_quadrature(wins: int, losses: int) -> float:
    """Logarithm of the mixture e-value, summed over a fine grid instead of by the exact formula."""
    rate = 0.5 + (np.arange(200_000) + 0.5) / 400_000
    log_prior = (PRIOR_WINS - 1) * np.log(rate) + (PRIOR_LOSSES - 1) * np.log1p(-rate)
    prior = np.exp(log_prior - log_prior.max())
    ratio = wins * np.log(2 * rate) + losses * np.log(2 * (1 - rate))
    top = ratio.max()
    return float(top + np.log((prior * np.exp(ratio - top)).sum() / prior.sum()))


@pytest.mark.parametrize(
    ("wins", "losses"), [(0, 0), (1, 0), (0, 1), (8, 0), (20, 6), (3, 40), (60, 60), (700, 100)]
)
def test_the_exact_value_is_the_integral(wins: int, losses: int) -> None:
    assert log_e_value(wins, losses) == pytest.approx(by_quadrature(wins, losses), abs=1e-6)


@given(counts, counts)
def test_a_fair_coin_earns_nothing_on_average(wins: int, losses: int) -> None:
    # This is what makes it valid: at a win rate of 1/2 the capital is exactly a martingale.
    assert e_value(wins, losses) == (e_value(wins + 1, losses) + e_value(wins, losses + 1)) / 2


@given(counts, counts, st.fractions(0, Fraction(1, 2)))
def test_a_worse_coin_loses_on_average(wins: int, losses: int, rate: Fraction) -> None:
    after = rate * e_value(wins + 1, losses) + (1 - rate) * e_value(wins, losses + 1)
    assert after <= e_value(wins, losses)


@given(counts, counts)
def test_wins_add_and_losses_take_away(wins: int, losses: int) -> None:
    now = log_e_value(wins, losses)
    assert log_e_value(wins, losses + 1) < now < log_e_value(wins + 1, losses)


def test_nothing_seen_is_worth_one() -> None:
    assert e_value_from_log(log_e_value(0, 0)) == 1.0


@given(counts, counts)
def test_harm_is_the_same_bet_with_the_sides_changed(wins: int, losses: int) -> None:
    assert harm_log_e_value(wins, losses) == log_e_value(losses, wins)


def test_no_evidence_is_too_large_to_be_said() -> None:
    assert math.isfinite(e_value_from_log(log_e_value(9000, 0)))
    assert e_value_from_log(log_e_value(0, 9000)) >= 0.0


@pytest.mark.parametrize(("wins", "losses"), [(-1, 0), (0, -1)])
def test_negative_counts_are_refused(wins: int, losses: int) -> None:
    with pytest.raises(ValueError, match="not negative"):
        log_e_value(wins, losses)


# Several candidates


def by_definition(values: list[float], alpha: float) -> set[int]:
    """e-BH as Wang & Ramdas define it: the largest set whose members all reach K / (alpha k)."""
    best: set[int] = set()
    for size in range(1, len(values) + 1):
        reached = {i for i, e in enumerate(values) if e >= len(values) / (alpha * size)}
        if len(reached) >= size:
            best = reached
    return best


@given(e_values, st.sampled_from([0.05, 0.1, 0.25]))
def test_who_is_accepted_is_the_largest_set_that_holds_itself_up(
    values: list[float], alpha: float
) -> None:
    assert accepted(values, alpha) == by_definition(values, alpha)


@given(e_values, st.randoms(use_true_random=False))
def test_the_order_does_not_matter(values: list[float], chance: object) -> None:
    order = list(range(len(values)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    shuffled = accepted([values[i] for i in order])
    assert {order[i] for i in shuffled} == accepted(values)


def test_known_sets() -> None:
    assert accepted([]) == set()
    assert accepted([10.0]) == {0}
    assert accepted([9.9]) == set()
    assert accepted([20.0, 1.0]) == {0}
    assert accepted([20.0, 1.0, 1.0]) == set()
    assert accepted([15.0, 15.0, 1.0]) == {0, 1}
    assert accepted([math.inf, 0.0]) == {0}


@given(e_values)
def test_what_a_newcomer_needs_is_just_enough(others: list[float]) -> None:
    needed = e_bh_needs(others)
    assert len(others) in accepted([*others, needed])
    assert len(others) not in accepted([*others, needed * 0.999])


@pytest.mark.parametrize("values", [[math.nan], [-1.0]])
def test_what_is_no_e_value_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="e-value"):
        e_bh_needs(values)


@pytest.mark.parametrize("alpha", [0.0, -0.1, 1.5, math.nan])
def test_an_alpha_off_the_scale_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        e_bh_needs([1.0], alpha)


def test_among_accepted_candidates_few_are_useless() -> None:
    """Simulated: 8 of 10 candidates are useless, with e-values that average 1."""
    chance = np.random.default_rng(5)
    shares = []
    for _ in range(1000):
        useless = np.where(chance.random(8) < 0.02, 50.0, 0.0)  # mean 1: the worst that is allowed
        found = accepted([*useless.tolist(), 400.0, 400.0])
        shares.append(len(found & set(range(8))) / max(1, len(found)))
    assert float(np.mean(shares)) <= 0.10
    assert max(shares) > 0


# The share of wins


@given(counts, counts, counts, counts)
def test_a_share_above_a_half_is_shown_exactly_where_the_benefit_is(
    wins: int, losses: int, picked: int, passed: int
) -> None:
    log_e = log_e_value(wins, losses) + pick_log_e_value(picked, passed)
    shown = share_proved((wins, losses), (picked, passed))
    assert (shown is not None) == (log_e >= math.log(20))
    if shown is not None:
        seen = (wins + picked) / (wins + losses + picked + passed)
        assert shown == 0.5 or 0.5 < shown < seen


def test_more_of_the_same_shows_more() -> None:
    shown = [share_proved((wins, wins // 5)) for wins in (15, 20, 40, 80)]
    assert all(share is not None for share in shown)
    assert shown == sorted(shown)  # type: ignore[type-var]
    assert share_proved((80, 16)) == 0.7
    assert share_proved((0, 0)) is None
    assert share_proved((5_000, 1_000)) is not None
    with pytest.raises(ValueError, match="not negative"):
        share_proved((-1, 0))


@pytest.mark.full
@pytest.mark.slow
def test_whoever_looks_after_every_pair_is_misled_once_in_twenty_at_most() -> None:
    chance = np.random.default_rng(5)
    missed = 0
    for _ in range(400):
        wins = np.cumsum(chance.random(60) < 0.6)
        looks = (share_proved((int(won), n - int(won))) for n, won in enumerate(wins, 1))
        missed += any(shown is not None and shown > 0.6 for shown in looks)
    assert missed <= 0.05 * 400
