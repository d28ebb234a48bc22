"""What the week's picture shows, as values: hours, calendar, when nobody was here, what was done
and what is planned, each from when to when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Final

from lull.core.hours import parsed as hours_of
from lull.core.hours import reads
from lull.desktop.words import parsed, plain, tr

Json = dict[str, Any]
DAYS: Final = 7
DAY: Final = timedelta(days=1)
HOURS: Final = ("sleep", "allowed", "blocked")


class BarKind(StrEnum):
    SLEEP = "sleep"
    ALLOWED = "allowed"
    BLOCKED = "blocked"
    AWAY = "away"
    BUSY = "busy"
    IDLE = "idle"
    """Nobody was here, as measured."""
    LULL = "lull"
    """And Lull might work."""
    WORK = "work"
    PLANNED = "planned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    kind: BarKind
    start: datetime
    end: datetime
    text: str = ""


def bars_of(windows: Json, learning: Json, first: date, at: datetime) -> list[Bar]:
    """Everything that is known of the seven days from `first`, in the zone of `at`."""
    zone = at.tzinfo
    start = datetime.combine(first, time(0), zone)
    end = start + DAYS * DAY
    found = [*_hours(windows.get("hours") or {}, first, zone)]
    for event in windows.get("events") or ():
        kind = BarKind.AWAY if event["kind"] == "away" else BarKind.BUSY
        found += _bar(kind, event["start"], event["end"], str(event.get("label", "")), zone)
    for away in windows.get("idle") or ():
        found += _bar(BarKind.IDLE, away["start"], away["end"], "", zone)
    found += _planned(learning, at)
    for window in windows.get("windows") or ():
        closed = window["closed"] or window["seen"]
        found += _bar(BarKind.LULL, window["opened"], closed, str(window["why_opened"]), zone)
        used = window["used_s"]
        if used > 0:
            opened = parsed(window["opened"])
            assert opened is not None
            until = opened + timedelta(seconds=used)
            text = ", ".join(f"{one['kind']} {one['text']}" for one in window["done"])
            found += _bar(BarKind.WORK, window["opened"], until.isoformat(), text, zone)
    return [bar for bar in found if bar.end > start and bar.start < end]


def _bar(kind: BarKind, start: str, end: str, text: str, zone: Any) -> Iterator[Bar]:
    begins, ends = parsed(start), parsed(end)
    if begins is not None and ends is not None and ends > begins:
        yield Bar(kind=kind, start=begins.astimezone(zone), end=ends.astimezone(zone), text=text)


def _planned(learning: Json, at: datetime) -> Iterator[Bar]:
    """What is left to do, one piece behind the other from when a lull is expected; a guess."""
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
            yield Bar(kind=BarKind.PLANNED, start=start, end=end, text=plain(str(work["text"])))
            start = end


def _hours(hours: Json, first: date, zone: Any) -> Iterator[Bar]:
    for name in HOURS:
        kind = BarKind(name)
        for line in filter(reads, hours.get(name) or ()):
            found = hours_of(line)
            # The day before, too: a night reaches into the next day.
            for number in range(-1, DAYS):
                day = first + number * DAY
                if day.weekday() in found.days:
                    midnight = datetime.combine(day, time(0), zone)
                    start = midnight + timedelta(minutes=found.start_min)
                    end = midnight + timedelta(minutes=found.end_min)
                    yield Bar(kind=kind, start=start, end=end, text=line)


def pieces(bar: Bar, day: date) -> tuple[float, float] | None:
    """The hours of a day that a bar covers, 0 to 24; None: none of it."""
    midnight = datetime.combine(day, time(0), bar.start.tzinfo)
    low = max(0.0, (bar.start - midnight).total_seconds() / 3600)
    high = min(24.0, (bar.end - midnight).total_seconds() / 3600)
    return (low, high) if high > low else None


def kind_words() -> dict[BarKind, str]:
    return {
        BarKind.SLEEP: tr("sleep hours"),
        BarKind.ALLOWED: tr("allowed hours"),
        BarKind.BLOCKED: tr("blocked hours"),
        BarKind.AWAY: tr("calendar: away"),
        BarKind.BUSY: tr("calendar: busy here"),
        BarKind.IDLE: tr("nobody was here"),
        BarKind.LULL: tr("a lull: Lull might work"),
        BarKind.WORK: tr("Lull worked"),
        BarKind.PLANNED: tr("planned"),
    }


def list_rows(bars: Sequence[Bar]) -> list[tuple[str, str, str, str]]:
    """The picture as a list, newest first, without the hours that are set: day, from and to, what,
    and for what."""
    words = kind_words()
    told = [bar for bar in bars if bar.kind.value not in HOURS]
    return [
        (
            f"{bar.start:%a %d %b}",
            f"{bar.start:%H:%M}–{bar.end:%H:%M}",
            words[bar.kind],
            plain(bar.text),
        )
        for bar in sorted(told, key=lambda one: (one.start, one.end), reverse=True)
    ]
