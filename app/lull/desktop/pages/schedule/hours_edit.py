"""Converts the hours that the user has set for the week (sleep, allowed or blocked for Lull's work)
between spans for each weekday and text lines of the settings.

A line is a text such as "mon-fri 23:00-07:00". Pure functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lull.core.idle.hours import parse_hours

DAY_MIN: Final = 24 * 60
_NAMES: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Stretch = tuple[int, int]
"""A span of a day as (start, end) in minutes; 1440 is the midnight at its end."""
Week = tuple[tuple[Stretch, ...], ...]
"""Hours of a week: sorted, separate spans for each weekday, Monday first."""


def week_of(lines: Iterable[str]) -> Week:
    """Parse setting lines such as "mon-fri 23:00-07:00" into the hours of a week: the spans of each
    weekday.

    Raises ValueError for an invalid line.
    """
    days: list[list[Stretch]] = [[] for _ in range(7)]
    for line in lines:
        found = parse_hours(line)
        for day in found.days:
            days[day].append((found.start_min, min(found.end_min, DAY_MIN)))
            if found.end_min > DAY_MIN:
                days[(day + 1) % 7].append((0, found.end_min - DAY_MIN))
    return tuple(_merged(day) for day in days)


def with_stretch(week: Week, day: int, stretch: Stretch) -> Week:
    """Return the week's hours with a span of minutes added on one day."""
    return _changed(week, day, _merged([*week[day], stretch]))


def without_stretch(week: Week, day: int, stretch: Stretch) -> Week:
    """Return the week's hours with a span of minutes taken away on one day."""
    low, high = stretch
    left = [
        piece
        for start, end in week[day]
        for piece in ((start, min(end, low)), (max(start, high), end))
        if piece[0] < piece[1]
    ]
    return _changed(week, day, _merged(left))


def holds(week: Week, day: int, minute: int) -> bool:
    """Whether the week's hours contain this minute of a day."""
    return any(start <= minute < end for start, end in week[day])


def lines_of(week: Week) -> list[str]:
    """Return the fewest setting lines, such as "mon-fri 23:00-07:00", that describe the hours of a
    week.

    They are ordered by time, and one line may cross midnight.
    """
    days_of: dict[Stretch, list[int]] = {}
    for day, stretch in _begun(week):
        days_of.setdefault(stretch, []).append(day)
    return [
        f"{days}{_clock(start)}-{_clock(end)}"
        for (start, end), some in sorted(days_of.items(), key=lambda one: (one[1][0], one[0]))
        for days in _days(some)
    ]


def _begun(week: Week) -> Iterator[tuple[int, Stretch]]:
    """Yield each stretch of the week with the day on which it starts; it may end on the next
    day.
    """
    for day in range(7):
        for start, end in week[day]:
            if start == 0 and end < DAY_MIN and _joins(week, (day - 1) % 7) is not None:
                continue  # part of the stretch that starts the evening before
            if end == DAY_MIN and start > 0 and (morning := _joins(week, day)) is not None:
                yield day, (start, DAY_MIN + morning)
            else:
                yield day, (start, end)


def _joins(week: Week, day: int) -> int | None:
    """Return the minute of the next morning at which a stretch of the evening ends; None if it ends
    the same day.

    None also if the stretch would be longer than a day, which a setting line cannot express.
    """
    evening = next((start for start, end in week[day] if end == DAY_MIN and start > 0), None)
    morning = next(
        (end for start, end in week[(day + 1) % 7] if start == 0 and end < DAY_MIN), None
    )
    if evening is None or morning is None or morning > evening:
        return None
    return morning


def _days(days: Sequence[int]) -> list[str]:
    """Return the start of each setting line, such as "mon-fri "; "" if the line holds for every
    day.
    """
    if len(days) == 7:
        return [""]
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    named = (
        _NAMES[run[0]] if len(run) == 1 else f"{_NAMES[run[0]]}-{_NAMES[run[-1]]}" for run in runs
    )
    return [f"{name} " for name in named]


def _clock(minute: int) -> str:
    minute = minute if minute <= DAY_MIN else minute - DAY_MIN
    return f"{minute // 60:02}:{minute % 60:02}"


def _merged(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    out: list[Stretch] = []
    for start, end in sorted(stretches):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple(out)


def _changed(week: Week, day: int, stretches: tuple[Stretch, ...]) -> Week:
    return (*week[:day], stretches, *week[day + 1 :])
