"""Where an axis has labels and what they say: as many dates as fit side by side, in the user's
language, or steps of a training run, or values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from lull.desktop.language.words import count, decimal, on_day, tr

HOURS: Final = (1, 3, 6, 12)
TICK_DAYS: Final = (1, 2, 3, 7, 14, 28, 56, 91, 182, 364)
DAY_S: Final = 86_400.0
MONTHS_FROM: Final = 56
"""Days between two labels of the axis from which on the labels name months, not days."""

Tick = tuple[float, str]
"""A place on an axis and its label."""


def day_ticks(first: float, last: float, *, most: float) -> Sequence[Tick]:
    """Return the labels of an axis of local days and hours between two Unix times; `most` is how
    many fit side by side.
    """
    span = max(last - first, 1.0)
    for hours in HOURS:
        if most * hours * 3600 >= span:
            at = _hours(first, last, hours)
            return [(at_s, day_label(at_s, hours * 3600.0)) for at_s in at]
    fitting = (days for days in TICK_DAYS if most * days * DAY_S >= span)
    days = next(fitting, TICK_DAYS[-1])
    shown = list(_days(first, last, days))
    if len(shown) < 2 <= most:  # one date alone says nothing of how long the axis is
        every = list(_days(first, last, 1))
        shown = sorted({*every[:1], *every[-1:]})
    return [(at_s, day_label(at_s, days * DAY_S)) for at_s in shown]


def step_ticks(first: float, last: float, *, most: float) -> Sequence[Tick]:
    """Return the labels of an axis of training steps, between two of which there is nothing."""
    every = max(1, round(_round_step(first, last, most=most)))
    begin = math.ceil(first / every) * every
    return [(float(step), count(step)) for step in range(begin, math.floor(last) + 1, every)]


def value_ticks(low: float, high: float, *, most: float) -> Sequence[Tick]:
    """Return the labels of an axis of values of any size, such as a loss."""
    every = _round_step(low, high, most=most)
    digits = max(0, -math.floor(math.log10(every)))
    begin, end = math.ceil(low / every), math.floor(high / every)
    return [(number * every, decimal(number * every, digits)) for number in range(begin, end + 1)]


def _round_step(first: float, last: float, *, most: float) -> float:
    """Return the smallest of 1, 2, 5, 10 … of which at most so many fit between two values."""
    least = max(last - first, 1e-9) / max(most, 1.0)
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * one for one in (1, 2, 5, 10) if power * one >= least * 0.999)


def _hours(first: float, last: float, step: int) -> Iterator[float]:
    """Yield the times every `step` hours from each midnight, also on days on which the clocks are
    changed.
    """
    for day in _dates(first, last):
        for hour in range(0, 24, step):
            at_s = _start(day, hour)
            if first <= at_s <= last:
                yield at_s


def _days(first: float, last: float, step: int) -> Iterator[float]:
    for day in _dates(first, last):
        at_s = _start(day)
        if day.toordinal() % step == 0 and first <= at_s <= last:
            yield at_s


def _dates(first: float, last: float) -> Iterator[date]:
    day, end = to_local_time(first).date(), to_local_time(last).date()
    while day <= end:
        yield day
        day += timedelta(days=1)


def _start(day: date, hour: int = 0) -> float:
    return datetime.combine(day, time(hour)).astimezone().timestamp()


def to_local_time(at_s: float) -> datetime:
    """Convert Unix seconds to a date and time in this machine's time zone."""
    return datetime.fromtimestamp(at_s, UTC).astimezone()


def day_label(at_s: float, spacing: float) -> str:
    """Return the label of a time on an axis whose labels are so many seconds apart."""
    at = to_local_time(at_s)
    if spacing < DAY_S and at.hour + at.minute:
        return on_day(at, "HH:mm")
    if spacing >= MONTHS_FROM * DAY_S:
        return on_day(at, tr("MMM yyyy"))
    return on_day(at, tr("d MMM"))
