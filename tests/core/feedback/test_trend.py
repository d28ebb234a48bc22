"""Tests of trends in answer quality: a rise is reported only if its interval rules out chance."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.feedback.calibration import wilson
from lull.core.feedback.trend import (
    Trend,
    difference,
    halves,
    loss_trend,
    mean_of,
    trend,
)

means = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 40)), min_size=1, max_size=60)


@given(means)
def test_a_mean_lies_in_its_interval_and_counts_every_answer(some: list[tuple[float, int]]) -> None:
    found = mean_of(some)
    assert found.n == sum(n for _, n in some)
    assert 0.0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1.0


def test_of_yes_and_no_the_interval_is_wilsons() -> None:
    assert mean_of([(1.0, 3), (0.0, 5)]) == wilson(3, 8)
    assert mean_of([]).n == 0


@given(means)
def test_halves_hold_every_answer_once_and_are_about_as_large(
    some: list[tuple[float, int]],
) -> None:
    before, after = halves(some)
    assert before.n + after.n == sum(n for _, n in some)
    assert abs(before.n - after.n) <= max(n for _, n in some)


def test_newcombes_own_example() -> None:
    # 56 of 70 against 48 of 80 (Newcombe 1998, table II): 0.0524 to 0.3339.
    low, high = difference(wilson(48, 80), wilson(56, 70))
    assert (low, high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))


def test_a_trend_is_said_only_where_the_interval_says_so() -> None:
    assert trend(wilson(3, 9), wilson(90, 100)) is Trend.TOO_FEW
    assert trend(wilson(5, 10), wilson(7, 10)) is Trend.UNSURE
    assert trend(wilson(50, 100), wilson(70, 100)) is Trend.BETTER
    assert trend(wilson(70, 100), wilson(50, 100)) is Trend.WORSE


def test_where_nothing_changes_a_trend_is_seldom_said() -> None:
    chance, said = random.Random(3), 0
    for _ in range(400):
        scores = [(float(chance.random() < 0.6), 1) for _ in range(80)]
        said += trend(*halves(scores)) in (Trend.BETTER, Trend.WORSE)
    assert said <= 30  # 5 in 100, and room for chance


def test_losses_fall_rise_or_do_neither() -> None:
    chance = random.Random(5)
    noise = [chance.gauss(0.0, 0.1) for _ in range(60)]
    assert loss_trend(noise[:19]) is Trend.TOO_FEW
    assert loss_trend(noise) is Trend.UNSURE
    assert loss_trend([one - n / 100 for n, one in enumerate(noise)]) is Trend.BETTER
    assert loss_trend([one + n / 100 for n, one in enumerate(noise)]) is Trend.WORSE
