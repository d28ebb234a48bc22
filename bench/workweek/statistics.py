"""The statistics of the week: paired differences by person and day, and intervals over persons.

A person's days are no independent draws, because they share a library and an adapter. So the
bootstrap draws persons, and then days of each drawn person. All arms are asked the same on the same
days, so a difference is taken within each person's day before anything is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from statistics import fmean
from typing import Final, NamedTuple

PersonDays = Mapping[int, Mapping[int, float]]
"""A figure for each person (by seed) and day."""
RESAMPLED: Final = 2000
LEAST_PERSONS: Final = 8
"""Fewest persons that make a result; with fewer the same figures are only a look."""


class Interval(NamedTuple):
    low: float
    high: float


def estimate(of: PersonDays) -> float:
    """Return the mean over persons of each one's mean over days."""
    return fmean(fmean(days.values()) for days in of.values())


def difference(one: PersonDays, other: PersonDays) -> dict[int, dict[int, float]]:
    """Return one less the other, on each person's day. Raises ValueError unless both have the same
    days of the same persons.
    """
    if {p: set(days) for p, days in one.items()} != {p: set(days) for p, days in other.items()}:
        raise ValueError("only the same days of the same persons can be compared")
    return {
        person: {day: value - other[person][day] for day, value in days.items()}
        for person, days in one.items()
    }


def interval(of: PersonDays, seed: int) -> Interval | None:
    """Return the 95 % percentile interval of the estimate, by drawing persons and then days of
    each; None with fewer than two persons, who cannot differ.
    """
    if len(of) < 2:
        return None
    chance = random.Random(f"{seed}:bootstrap")
    persons = [list(days.values()) for _, days in sorted(of.items())]
    drawn = sorted(_drawn(persons, chance) for _ in range(RESAMPLED))
    return Interval(drawn[int(0.025 * RESAMPLED)], drawn[int(0.975 * RESAMPLED) - 1])


def _drawn(persons: list[list[float]], chance: random.Random) -> float:
    some = chance.choices(persons, k=len(persons))
    return fmean(fmean(chance.choices(days, k=len(days))) for days in some)


def verdict(found: Interval | None) -> str:
    """Say whether a part is shown to help."""
    if found is None:
        return "too few persons"
    if found.low > 0:
        return "yes"
    return "no: it harms" if found.high < 0 else "not shown"
