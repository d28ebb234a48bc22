"""Hours of the week as a person writes them: "mon-fri 23:00-07:00", by the clock on the wall.

Decides what such a line means and when it next begins or ends, through midnight and daylight
saving. What is done in these hours is `core/idle.py`'s. The rule is the wall clock's alone: an
instant is inside when the clock shows a time inside. An hour that the clock skips is therefore
never, and one that it shows twice counts twice.
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
"""Every weekly line begins and ends within it."""

FORM: Final = 'hours such as "mon-fri 23:00-07:00", "sat-sun 00:00-09:30" or "22:00-06:00"'


@dataclass(frozen=True, slots=True, kw_only=True)
class HoursRange:
    """One line. It may reach into the next day; its days are those on which it begins."""

    days: frozenset[int]
    """0 is Monday."""
    start_min: int
    """Of the day, 0 to 1439."""
    end_min: int
    """After `start_min`, at most a whole day later: 1500 is 01:00 of the next day."""

    def holds(self, wall: datetime) -> bool:
        """Whether the clock shows a time inside."""
        minute = wall.hour * 60 + wall.minute
        today = wall.weekday() in self.days and self.start_min <= minute < self.end_min
        yesterday = (wall.weekday() - 1) % 7 in self.days and minute < self.end_min - _DAY_MIN
        return today or yesterday


def parsed(line: str) -> HoursRange:
    """Raises ValueError, with words for a person, for a line that says no hours."""
    found = _LINE.fullmatch(line.strip().lower())
    if found is None:
        raise ValueError(f'"{line}" says no hours; write {FORM}')
    start, end = _minute(found["start"], line), _minute(found["end"], line)
    if start == _DAY_MIN:
        raise ValueError(f'"{line}" begins at 24:00; write 00:00 of the next day')
    # Begun and ended at the same time of day: a whole day.
    if end <= start:
        end += _DAY_MIN
    return HoursRange(days=_days(found["days"] or "daily", line), start_min=start, end_min=end)


def reads(line: str) -> bool:
    try:
        parsed(line)
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
        # "fri-mon" goes round the end of the week.
        days |= {(ends[0] + step) % 7 for step in range((ends[-1] - ends[0]) % 7 + 1)}
    return frozenset(days)


def _day(name: str, line: str) -> int:
    for number, full in enumerate(_DAYS):
        if len(name) >= 3 and full.startswith(name):
            return number
    raise ValueError(f'"{line}": {name or "nothing"} is no day; write mon, tue, wed and so on')


def inside(ranges: Iterable[HoursRange], now: datetime) -> bool:
    """Whether any line holds now. `now` is aware and in the user's zone."""
    return any(one.holds(now) for one in ranges)


def next_change(ranges: Sequence[HoursRange], now: datetime) -> datetime | None:
    """The first instant after `now` at which `inside` answers otherwise, in the zone of `now`.

    None when it never does: no lines, or lines that leave nothing out.
    """
    zone = now.tzinfo
    if zone is None:
        raise ValueError("hours need a zone")
    if not ranges:
        return None
    within = inside(ranges, now)
    flips = _flips(tuple(ranges), zone, now.date())
    for at, then_inside in flips[bisect_right(flips, (now.astimezone(UTC), True)) :]:
        if then_inside != within:
            return at.astimezone(zone)
    return None


@lru_cache(maxsize=64)
def _flips(
    ranges: tuple[HoursRange, ...], zone: tzinfo, first: date
) -> tuple[tuple[datetime, bool], ...]:
    """Instants (UTC), in order, at which the clock steps into or out of the lines, and whether it
    is inside from then on."""
    flips: list[tuple[datetime, bool]] = []
    for at in _boundaries(ranges, zone, first):
        within = inside(ranges, at.astimezone(zone))
        if not flips or flips[-1][1] != within:
            flips.append((at, within))
    return tuple(flips)


def _boundaries(ranges: tuple[HoursRange, ...], zone: tzinfo, first: date) -> list[datetime]:
    """Where that may be: the lines' own times, each of them twice where the clock shows it twice,
    and every jump of the clock."""
    days = [first + timedelta(days=n) for n in range(-1, HORIZON_DAYS + 1)]
    marks = {minute for one in ranges for minute in (one.start_min, one.end_min)}
    walls = [datetime.combine(day, time()) + timedelta(minutes=m) for day in days for m in marks]
    found = {
        wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for wall in walls for fold in (0, 1)
    }
    jumps = (_jump(datetime.combine(day, time()), zone) for day in days)
    return sorted(found | {jump for jump in jumps if jump is not None})


def _jump(midnight: datetime, zone: tzinfo) -> datetime | None:
    """The instant within a day at which the clock is put forward or back, to the second."""
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
