"""Computes the bars in the Schedule page's picture of a week: hours set by the user, calendar
events, the user's absence, times in which Lull could work, work done and work planned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Final

from lull.contract.json_object import Json
from lull.core.idle.hours import parse_hours as hours_of
from lull.core.idle.hours import reads
from lull.desktop.language.hours_words import hours_words
from lull.desktop.language.words import parsed, plain, tr, translated, week_day
from lull.desktop.service.state import WEEK_DAYS

DAY: Final = timedelta(days=1)
HOURS: Final = ("sleep", "allowed", "blocked")


class BarKind(StrEnum):
    """What a bar in the schedule's picture of the week stands for, such as sleep hours or work
    done.
    """

    SLEEP = "sleep"
    ALLOWED = "allowed"
    BLOCKED = "blocked"
    AWAY = "away"
    BUSY = "busy"
    IDLE = "idle"
    """A time when the user was measured to be away."""
    LULL = "lull"
    """A time when Lull was allowed to work."""
    WORK = "work"
    PLANNED = "planned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A span of time that is drawn as a bar in the schedule's picture of the week."""

    kind: BarKind
    start: datetime
    end: datetime
    text: str = ""


def bars_of(windows: Json, learning: Json, first: date, at: datetime) -> list[Bar]:
    """Return the bars of the schedule's picture for seven days, beginning with `first`, in the time
    zone of `at` (now).

    `windows` and `learning` are the service's JSON about hours, calendars and idle windows, and
    about background work.
    """
    zone = at.tzinfo
    start = datetime.combine(first, time(0), zone)
    end = start + WEEK_DAYS * DAY
    found = [*_hours(windows.get("hours") or {}, first, zone)]
    for event in windows.get("events") or ():
        kind = BarKind.AWAY if event["kind"] == "away" else BarKind.BUSY
        found += _bar(kind, event["start"], event["end"], str(event.get("label", "")), zone)
    for away in windows.get("idle") or ():
        found += _bar(BarKind.IDLE, away["start"], away["end"], "", zone)
    found += _planned(learning, at)
    for window in windows.get("windows") or ():
        closed = window["closed"] or window["seen"]
        why = translated(window, "why_opened")
        found += _bar(BarKind.LULL, window["opened"], closed, why, zone)
        used = window["used_s"]
        if used > 0:
            opened = parsed(window["opened"])
            assert opened is not None
            until = opened + timedelta(seconds=used)
            text = ", ".join(translated(one) for one in window["done"])
            found += _bar(BarKind.WORK, window["opened"], until.isoformat(), text, zone)
    return [bar for bar in found if bar.end > start and bar.start < end]


def _bar(kind: BarKind, start: str, end: str, text: str, zone: Any) -> Iterator[Bar]:
    begins, ends = parsed(start), parsed(end)
    if begins is not None and ends is not None and ends > begins:
        yield Bar(kind=kind, start=begins.astimezone(zone), end=ends.astimezone(zone), text=text)


def _planned(learning: Json, at: datetime) -> Iterator[Bar]:
    """Yield bars for the remaining work, by its estimated length, one after the other from the next
    expected idle window.
    """
    start = at
    if learning.get("state") not in ("open", "working"):
        expected = parsed(learning.get("next"))
        if expected is None:
            return
        start = max(at, expected.astimezone(at.tzinfo))
    for work in learning.get("work") or ():
        left_s = min(float(work.get("left_s") or 0.0), DAY.total_seconds())
        if left_s > 0.0:
            end = start + timedelta(seconds=left_s)
            yield Bar(kind=BarKind.PLANNED, start=start, end=end, text=translated(work))
            start = end


def _hours(hours: Json, first: date, zone: Any) -> Iterator[Bar]:
    for name in HOURS:
        kind = BarKind(name)
        for line in filter(reads, hours.get(name) or ()):
            found = hours_of(line)
            # Start a day earlier, because a night reaches into the next day.
            for number in range(-1, WEEK_DAYS):
                day = first + number * DAY
                if day.weekday() in found.days:
                    midnight = datetime.combine(day, time(0), zone)
                    start = midnight + timedelta(minutes=found.start_min)
                    end = midnight + timedelta(minutes=found.end_min)
                    yield Bar(kind=kind, start=start, end=end, text=hours_words(line))


def pieces(bar: Bar, day: date) -> tuple[float, float] | None:
    """Return the part of a bar that lies on this day, as (start, end) in hours from 0 to 24; None
    if no part does.
    """
    midnight = datetime.combine(day, time(0), bar.start.tzinfo)
    low = max(0.0, (bar.start - midnight).total_seconds() / 3600)
    high = min(24.0, (bar.end - midnight).total_seconds() / 3600)
    return (low, high) if high > low else None


def joined(bars: Sequence[Bar]) -> list[Bar]:
    """Return the bars as they are drawn: planned works of which one follows on the other are one
    bar, because each alone may be too narrow to be seen as a bar.
    """
    found: list[Bar] = []
    for bar in bars:
        last = found[-1] if found else None
        planned = last is not None and bar.kind is last.kind is BarKind.PLANNED
        if planned and last is not None and bar.start <= last.end:
            found[-1] = replace(last, end=max(last.end, bar.end), text="")
        else:
            found.append(bar)
    return found


def kind_words() -> dict[BarKind, str]:
    """Return the names of the kinds of bars in the picture of the week."""
    return {
        BarKind.SLEEP: tr("sleep hours"),
        BarKind.ALLOWED: tr("allowed hours"),
        BarKind.BLOCKED: tr("blocked hours"),
        BarKind.AWAY: tr("calendar: away"),
        BarKind.BUSY: tr("calendar: busy here"),
        BarKind.IDLE: tr("you were away"),
        BarKind.LULL: tr("you were away: Lull could work"),
        BarKind.WORK: tr("Lull worked"),
        BarKind.PLANNED: tr("planned"),
    }


def list_rows(bars: Sequence[Bar], here: datetime) -> list[tuple[str, str, str, str]]:
    """Return the bars of the schedule as table rows (day, time, what the bar stands for, its text),
    first what has not ended `here` (now), soonest first, then the rest, newest first.

    Bars for hours that the user has set (such as sleep hours) are left out.
    """
    words = kind_words()
    told = sorted(
        (bar for bar in bars if bar.kind.value not in HOURS), key=lambda one: (one.start, one.end)
    )
    ahead = [bar for bar in told if bar.end > here]
    over = [bar for bar in told if bar.end <= here]
    return [
        (
            week_day(bar.start),
            f"{bar.start:%H:%M}–{bar.end:%H:%M}",
            words[bar.kind],
            plain(bar.text),
        )
        for bar in (*ahead, *reversed(over))
    ]
