"""Tests of the workweek's statistics: differences are paired, and intervals are over persons."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from bench.workweek.statistics import (
    Interval,
    difference,
    estimate,
    interval,
    verdict,
)


def persons(*days: list[float]) -> dict[int, dict[int, float]]:
    return {seed: dict(enumerate(values, 1)) for seed, values in enumerate(days, 1)}


def test_each_person_counts_alike_however_many_days_there_are() -> None:
    assert estimate(persons([1.0, 1.0, 1.0, 1.0], [0.0])) == 0.5


def test_a_difference_is_taken_on_the_same_day_of_the_same_person() -> None:
    found = difference(persons([0.5, 0.9], [1.0, 0.2]), persons([0.4, 1.0], [0.0, 0.2]))
    assert found[1] == pytest.approx({1: 0.1, 2: -0.1})
    assert found[2] == pytest.approx({1: 1.0, 2: 0.0})


@pytest.mark.parametrize("other", [persons([0.4]), persons([0.4, 1.0], [0.0, 0.0])])
def test_what_has_no_partner_is_not_compared(other: dict[int, dict[int, float]]) -> None:
    with pytest.raises(ValueError, match="same days of the same persons"):
        difference(persons([0.5, 0.9]), other)


def test_an_interval_is_the_same_each_time_and_holds_the_estimate() -> None:
    chance = random.Random(7)
    some = persons(*([chance.random() for _ in range(5)] for _ in range(8)))
    found = interval(some, 1)
    assert found == interval(some, 1) != interval(some, 2)
    assert found is not None and found.low < estimate(some) < found.high


def test_days_of_one_person_are_no_independent_draws() -> None:
    """Eight persons differ much and are each the same every day: further days say nothing new."""
    steady = persons(*([float(seed % 2)] * 50 for seed in range(8)))
    found = interval(steady, 1)
    assert found is not None and found.high - found.low > 0.5
    pooled = [value for days in steady.values() for value in days.values()]
    chance = random.Random(1)
    days_alone = sorted(mean(chance.choices(pooled, k=len(pooled))) for _ in range(200))
    assert days_alone[194] - days_alone[5] < 0.2


def test_a_gain_that_every_person_has_is_shown_where_persons_differ_more_than_it() -> None:
    without = persons(*([seed / 10, seed / 10 + 0.01] for seed in range(8)))
    with_ = {p: {d: v + 0.05 for d, v in days.items()} for p, days in without.items()}
    apart, paired = interval(with_, 1), interval(difference(with_, without), 1)
    assert apart is not None and paired is not None
    assert apart.low < estimate(without)
    assert paired.low == pytest.approx(0.05)


def test_one_person_has_no_interval() -> None:
    assert interval(persons([0.1, 0.9]), 1) is None
    assert verdict(None) == "too few persons"


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (Interval(0.01, 0.1), "yes"),
        (Interval(0.0, 0.1), "not shown"),
        (Interval(-0.1, 0.1), "not shown"),
        (Interval(-0.1, -0.01), "no: it harms"),
    ],
)
def test_a_part_helps_only_if_its_interval_is_above_nothing(found: Interval, says: str) -> None:
    assert verdict(found) == says
