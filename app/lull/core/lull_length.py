"""How long will this lull last? A guess from when this user came back before.

Decides nothing but the guess: quantiles of the time that is left. It knows the hour and weekday at
which a lull began and how long it has lasted already. With no history it leans on a few made-up
lulls that stand for people in general; a week of real ones outweighs them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from lull.core.hours import HoursRange, inside

LEAST_LULL_S: Final = 120.0
"""Shorter absences are breaths, and no lull is opened for them."""
KEEP_DAYS: Final = 180
"""The journal; the schedule page shows no more."""
GUESS_DAYS: Final = 90
"""What a guess rests on; older habits would weigh little."""
_HALF_LIFE_DAYS: Final = 60.0
"""Habits change with the seasons."""
_HOUR_WIDTH: Final = 1.25
"""Hours by which a habit of the clock shifts from day to day."""
_SAME_KIND: Final = 0.6
_OTHER_KIND: Final = 0.1
"""Weights of another weekday of the same kind (workday or weekend) and of the other kind, against
1 for the same weekday."""
_PRIOR: Final = tuple(60.0 * m for m in (3, 5, 8, 12, 20, 35, 60, 120, 300, 480))
"""Lengths that stand for people in general: about as many lulls below 20 minutes as above."""
_PRIOR_WEIGHT: Final = 2.0
"""All of them together count as so many lulls of the same hour."""
_NIGHT_FACTOR: Final = 6.0
"""In sleep hours the made-up lulls are so much longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastLull:
    began_at: datetime
    """Aware."""
    length_s: float
    seen_to_end: bool = True
    """False: Lull stopped looking before anybody came back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Seconds that are left of a lull. `low_s` is surpassed four times in five."""

    low_s: float
    median_s: float
    high_s: float
    n: float = 0.0
    """Past lulls like this one that it rests on, by weight."""

    def at_most(self, end_s: float) -> Forecast:
        """Where an end is known: a meeting, the end of the hours allowed."""
        return Forecast(
            low_s=min(self.low_s, end_s),
            median_s=min(self.median_s, end_s),
            high_s=min(self.high_s, end_s),
            n=self.n,
        )


def forecast(
    past: Iterable[PastLull],
    *,
    now: datetime,
    elapsed_s: float,
    sleep_hours: Sequence[HoursRange] = (),
) -> Forecast:
    """What is left of a lull that has lasted `elapsed_s` by `now` (aware, in the user's zone).

    A weighted Kaplan–Meier estimate (Kaplan & Meier 1958) of the length, given that it is longer
    than `elapsed_s`; lulls weigh by how near their hour, weekday and age are. Each made-up lull is
    one more observation. Where nothing was ever seen to last so long, what has lasted t lasts
    longer than r·t again with probability 1 / (1 + r) (Gott 1993).
    """
    elapsed_s = max(0.0, elapsed_s)
    began = datetime.fromtimestamp(now.timestamp() - elapsed_s, tz=now.tzinfo)
    # What was shorter says nothing of one that has lasted longer; most are, and weighing is dear.
    weighed = [(lull, _weight(lull, began)) for lull in past if lull.length_s > elapsed_s]
    seen = [(lull.length_s, weight, lull.seen_to_end) for lull, weight in weighed if weight > 1e-4]
    night = _NIGHT_FACTOR if inside(sleep_hours, now) else 1.0
    share = _PRIOR_WEIGHT / len(_PRIOR)
    seen += [(length_s * night, share, True) for length_s in _PRIOR]
    longer = sorted(one for one in seen if one[0] > elapsed_s)
    n = sum(weight for _, weight, _ in longer)
    if n < share:
        return Forecast(low_s=elapsed_s / 4, median_s=elapsed_s, high_s=4 * elapsed_s)
    low, median, high = _quantiles(longer, (0.2, 0.5, 0.8))
    return Forecast(
        low_s=low - elapsed_s, median_s=median - elapsed_s, high_s=high - elapsed_s, n=n
    )


def _weight(lull: PastLull, began: datetime) -> float:
    then = lull.began_at.astimezone(began.tzinfo)
    apart = abs((then.hour + then.minute / 60) - (began.hour + began.minute / 60))
    hours = min(apart, 24 - apart)
    age_days = max(0.0, (began.astimezone(UTC) - then.astimezone(UTC)).total_seconds() / 86400)
    near = math.exp(-0.5 * (hours / _HOUR_WIDTH) ** 2)
    return near * _alike(then.weekday(), began.weekday()) * math.exp2(-age_days / _HALF_LIFE_DAYS)


def _alike(one: int, other: int) -> float:
    if one == other:
        return 1.0
    return _SAME_KIND if (one >= 5) == (other >= 5) else _OTHER_KIND


def _quantiles(
    seen: Sequence[tuple[float, float, bool]], shares: Sequence[float]
) -> tuple[float, ...]:
    """Lengths by which each share of lulls has ended. `seen`: (length, weight, seen to its end),
    by length. What never ended before the last of them ends with it."""
    found: list[float] = []
    wanted = list(shares)
    going = sum(weight for _, weight, _ in seen)
    alive = 1.0
    for length_s, weight, ended in seen:
        if ended and going > 0:
            alive *= max(0.0, 1.0 - weight / going)
        going -= weight
        while wanted and 1.0 - alive >= wanted[0] - 1e-9:
            found.append(length_s)
            wanted.pop(0)
    return (*found, *(seen[-1][0] for _ in wanted))
