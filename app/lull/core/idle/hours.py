"""Parses weekly hours in text form, such as "mon-fri 23:00-07:00", and finds when they next begin
or end.

The hours are in wall-clock time and may extend over midnight and over a daylight-saving change. A
moment is inside the hours if the time that the wall clock shows is. So an hour that the clock skips
never counts, and one that it shows twice counts twice.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Final

_DAYS: Final = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
_NAMED: Final = {
    "daily": frozenset(range(7)),
    "weekdays": frozenset(range(5)),
    "weekends": frozenset((5, 6)),
}
_LINE: Final = re.compile(
    r"(?:(?P<days>[a-z][a-z, -]*?)\s+)?(?P<start>\d{1,2}:\d\d)\s*[-–]\s*(?P<end>\d{1,2}:\d\d)"
)
_DAY_MIN: Final = 24 * 60
HORIZON_DAYS: Final = 8
"""Days searched ahead for the next start or end of the allowed hours, which repeat weekly."""

EXAMPLE_HOURS: Final = 'hours such as "mon-fri 23:00-07:00", "sat-sun 00:00-09:30" or "22:00-06:00"'


@dataclass(frozen=True, slots=True, kw_only=True)
class HoursRange:
    """One line of weekly hours, such as "mon-fri 23:00-07:00". The hours begin on each of `days`
    and may extend into the next day.
    """

    days: frozenset[int]
    """Weekdays on which the hours begin; 0 is Monday."""
    start_min: int
    """Beginning in minutes of the day, 0 to 1439."""
    end_min: int
    """End in minutes, after `start_min` and at most a day later: 1500 is 01:00 of the next day."""

    def holds(self, wall: datetime) -> bool:
        """Whether a wall-clock time lies within these weekly hours."""
        minute = wall.hour * 60 + wall.minute
        today = wall.weekday() in self.days and self.start_min <= minute < self.end_min
        yesterday = (wall.weekday() - 1) % 7 in self.days and minute < self.end_min - _DAY_MIN
        return today or yesterday


def parse_hours(line: str) -> HoursRange:
    """Parse a line of weekly hours such as "mon-fri 23:00-07:00". Raises ValueError with a message
    for people if it is invalid.
    """
    found = _LINE.fullmatch(line.strip().lower())
    if found is None:
        raise ValueError(f'"{line}" says no hours; write {EXAMPLE_HOURS}')
    start, end = _minute(found["start"], line), _minute(found["end"], line)
    if start == _DAY_MIN:
        raise ValueError(f'"{line}" begins at 24:00; write 00:00 of the next day')
    # The same start and end time mean a whole day.
    if end <= start:
        end += _DAY_MIN
    return HoursRange(days=_days(found["days"] or "daily", line), start_min=start, end_min=end)


def reads(line: str) -> bool:
    """Return whether a text states hours of the week, as the settings expect them."""
    try:
        parse_hours(line)
    except ValueError:
        return False
    return True


def _minute(text: str, line: str) -> int:
    hour, minute = (int(part) for part in text.split(":"))
    total = hour * 60 + minute
    if minute > 59 or total > _DAY_MIN:
        raise ValueError(f'"{line}": there is no {text} on a clock')
    return total


def _days(text: str, line: str) -> frozenset[int]:
    days: set[int] = set()
    for part in re.split(r"[,\s]+", re.sub(r"\s*-\s*", "-", text.strip())):
        if part in _NAMED:
            days |= _NAMED[part]
            continue
        ends = [_day(name, line) for name in part.split("-")]
        if len(ends) > 2:
            raise ValueError(f'"{line}": {part} is no run of days')
        # "fri-mon" wraps around the end of the week.
        days |= {(ends[0] + step) % 7 for step in range((ends[-1] - ends[0]) % 7 + 1)}
    return frozenset(days)


def _day(name: str, line: str) -> int:
    for number, full in enumerate(_DAYS):
        if len(name) >= 3 and full.startswith(name):
            return number
    raise ValueError(f'"{line}": {name or "nothing"} is no day; write mon, tue, wed and so on')


def inside(ranges: Iterable[HoursRange], now: datetime) -> bool:
    """Whether `now` (timezone-aware, in the user's zone) is within the hours of any of these lines
    of weekly hours.
    """
    return any(one.holds(now) for one in ranges)


def next_change(ranges: Sequence[HoursRange], now: datetime) -> datetime | None:
    """Return the first instant after `now` at which these weekly hours begin or end, in the zone of
    `now`.

    None if that never happens: no lines, or lines that cover the whole week.
    """
    zone = now.tzinfo
    if zone is None:
        raise ValueError("hours need a zone")
    if not ranges:
        return None
    within = inside(ranges, now)
    changes = _changes(tuple(ranges), zone, now.date())
    for at, then_inside in changes[bisect_right(changes, (now.astimezone(UTC), True)) :]:
        if then_inside != within:
            return at.astimezone(zone)
    return None


@lru_cache(maxsize=64)
def _changes(
    ranges: tuple[HoursRange, ...], zone: tzinfo, first: date
) -> tuple[tuple[datetime, bool], ...]:
    """Return the instants (UTC), in order, at which `inside` changes, with its new value."""
    changes: list[tuple[datetime, bool]] = []
    for at in _boundaries(ranges, zone, first):
        within = inside(ranges, at.astimezone(zone))
        if not changes or changes[-1][1] != within:
            changes.append((at, within))
    return tuple(changes)


def _boundaries(ranges: tuple[HoursRange, ...], zone: tzinfo, first: date) -> list[datetime]:
    """Return the instants (UTC), in order, at which `inside` may change: the lines' own times,
    twice where the clock shows them twice, and every clock change.
    """
    days = [first + timedelta(days=n) for n in range(-1, HORIZON_DAYS + 1)]
    marks = {minute for one in ranges for minute in (one.start_min, one.end_min)}
    walls = [datetime.combine(day, time()) + timedelta(minutes=m) for day in days for m in marks]
    found = {
        wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for wall in walls for fold in (0, 1)
    }
    jumps = (_jump(datetime.combine(day, time()), zone) for day in days)
    return sorted(found | {jump for jump in jumps if jump is not None})


def _jump(midnight: datetime, zone: tzinfo) -> datetime | None:
    """Find the instant within a day at which the clock is put forward or back, to the second."""
    low = midnight.replace(tzinfo=UTC)
    high = low + timedelta(days=1)
    before = low.astimezone(zone).utcoffset()
    if high.astimezone(zone).utcoffset() == before:
        return None
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // 2
        if middle.astimezone(zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)
