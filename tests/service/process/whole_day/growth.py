"""Decides from hourly samples of a service whether something grows with the hours of use.

The rule: behind the hours in which a service warms up, the slope of each measure over the hours may
not be above its limit. The slope is the median of the slopes between any two hours (Theil and
Sen), which a few odd hours do not move: a child that comes for a while, a file that is being
written. What grows because the user did something that Lull keeps for them is taken off first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import median

WARM_HOURS = 6
"""Hours that warm a service up; what they take is no growth."""

Sample = Mapping[str, float]
"""The measures of one hour by their names; what was not there then is missing."""


def slope(values: Sequence[tuple[int, float]]) -> float:
    """Return the median of the slopes between any two of these (hour, value) pairs."""
    slopes = [(b - a) / (later - hour) for (hour, a), (later, b) in combinations(values, 2)]
    return median(slopes) if slopes else 0.0


def slopes(samples: Sequence[Sample], warm: int = WARM_HOURS) -> dict[str, float]:
    """Return the slope of each measure in an hour, behind the hours of warming up."""
    behind = list(enumerate(samples))[warm:]
    names = {name for _, sample in behind for name in sample}
    return {
        name: slope([(hour, sample[name]) for hour, sample in behind if name in sample])
        for name in sorted(names)
    }


def what_grows(
    samples: Sequence[Sample], limits: Mapping[str, float], warm: int = WARM_HOURS
) -> dict[str, float]:
    """Return the measures that grow by more in an hour than their limits allow, with their slopes.

    A limit counts for each measure whose name begins with it; the longest such counts. A measure
    without a limit is an error of the test: nothing may go unwatched.
    """
    found: dict[str, float] = {}
    for name, grows in slopes(samples, warm).items():
        of_it = [limit for limit in limits if name.startswith(limit)]
        assert of_it, f"no limit for {name}"
        if grows > limits[max(of_it, key=len)]:
            found[name] = grows
    return found
