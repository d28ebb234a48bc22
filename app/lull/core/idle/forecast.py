"""Estimates how long a lull (an absence of the user) will last, from the lengths of this user's
earlier absences.

Gives quantiles of the remaining time, by the hour and weekday on which the lull began and its
length so far. Without history the estimate rests on a few typical lulls as a prior; a week of real
lulls outweighs these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from lull.core.idle.hours import HoursRange, inside

LEAST_LULL_S: Final = 120.0
"""Shortest absence in seconds that is recorded as a lull."""
JOURNAL_DAYS: Final = 180
"""Days for which the user's absences and idle windows are kept; the schedule page shows no more."""
HISTORY_DAYS: Final = 90
"""Days of history used for a forecast; older ones would weigh little."""
_HALF_LIFE_DAYS: Final = 60.0
"""Half-life of a lull's weight in days; habits change with the seasons."""
_HOUR_WIDTH: Final = 1.25
"""Standard deviation in hours for comparing times of day, because habits shift from day to day."""
_SAME_KIND: Final = 0.6
_OTHER_KIND: Final = 0.1
"""Weight of a lull on another weekday: of the same kind (workday or weekend), and of the other
kind. A lull on the same weekday weighs 1.
"""
_PRIOR: Final = tuple(60.0 * m for m in (3, 5, 8, 12, 20, 35, 60, 120, 300, 480))
"""Typical lengths in seconds for people in general: half are below 20 minutes."""
_PRIOR_WEIGHT: Final = 2.0
"""Weight of all typical lulls together, in lulls at the same hour."""
_NIGHT_FACTOR: Final = 6.0
"""Factor by which the typical lulls are longer in sleep hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastLull:
    """A past absence of the user, from which the length of the present one is forecast."""

    began_at: datetime
    """When the absence began, timezone-aware."""
    length_s: float
    seen_to_end: bool = True
    """Whether the end of the absence was observed; False: Lull stopped watching before anybody came
    back.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Forecast of how many more seconds the user stays away, as three quantiles: the absence lasts
    longer than `low_s` four times in five, than `median_s` every second time, than `high_s` once in
    five.
    """

    low_s: float
    median_s: float
    high_s: float
    n: float = 0.0
    """Total weight of the past lulls on which the forecast is based."""

    def at_most(self, end_s: float) -> Forecast:
        """Return this forecast of the user's absence with no quantile above `end_s`, the seconds
        after which the absence is known to end, for example by a meeting or the end of the allowed
        hours.
        """
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
    """Forecast how much longer a lull (an absence of the user) will last that has lasted
    `elapsed_s` by `now` (timezone-aware, in the user's zone).

    A weighted Kaplan–Meier estimate (Kaplan & Meier 1958) of the length, given that it exceeds
    `elapsed_s`; past lulls weigh by how near their hour, weekday and age are. Each typical lull is
    one more observation. If no earlier lull lasted that long, one that has lasted t exceeds r·t
    more with probability 1 / (1 + r) (Gott 1993).
    """
    elapsed_s = max(0.0, elapsed_s)
    began = datetime.fromtimestamp(now.timestamp() - elapsed_s, tz=now.tzinfo)
    # Shorter lulls say nothing about a longer one; skipping them saves most of the weighing.
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
    """Return the lengths by which the given shares of lulls have ended.

    `seen` holds (length, weight, seen to its end), by length. Lulls that never ended count as
    ending with the last one.
    """
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
