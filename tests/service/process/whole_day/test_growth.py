"""Tests of the rule that tells growth from chance."""

from __future__ import annotations

import random

import pytest

from tests.service.process.whole_day.growth import Sample, slopes, what_grows

HOURS = 24
MIB = float(1 << 20)


def samples(grows: float, *, odd: tuple[int, ...] = ()) -> list[Sample]:
    """A service that warms up for six hours, has 8 MiB of chance, and grows by so much an hour."""
    chance = random.Random(5)
    return [
        {
            "memory": (100 + 10 * min(hour, 6) + 8 * chance.random()) * MIB
            + grows * hour
            + (500 * MIB if hour in odd else 0)
        }
        for hour in range(HOURS)
    ]


def test_warming_up_and_chance_are_no_growth() -> None:
    assert not what_grows(samples(0), {"memory": MIB})


def test_a_leak_of_two_megabytes_an_hour_is_growth() -> None:
    assert [*what_grows(samples(2 * MIB), {"memory": MIB})] == ["memory"]


def test_a_few_odd_hours_are_no_growth_and_hide_none() -> None:
    assert not what_grows(samples(0, odd=(20, 22, 23)), {"memory": MIB})
    assert what_grows(samples(2 * MIB, odd=(7, 8, 9)), {"memory": MIB})


def test_the_longest_name_of_a_limit_counts_and_nothing_goes_without_one() -> None:
    seen: list[Sample] = [{"files": float(hour)} for hour in range(HOURS)]
    assert not what_grows(seen, {"f": 0.1, "files": 1.5})
    with pytest.raises(AssertionError, match="no limit for files"):
        what_grows(seen, {"memory": 1})


def test_what_is_there_in_some_hours_only_is_compared_with_itself() -> None:
    seen: list[Sample] = [{"trainer": 100.0} if hour in (14, 15) else {} for hour in range(HOURS)]
    assert slopes(seen) == {"trainer": 0.0}
