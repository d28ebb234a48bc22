"""Defines what the events of the user's calendars mean for Lull's training: it may run while the
user is away, and must not while the user needs the computer.

Decides what a busy stretch of time means and merges stretches that touch. Fetching and parsing
happen elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

MOST_STRETCHES: Final = 500
"""Most busy stretches kept of each meaning; a real calendar has fewer in the days that are read."""


class Meaning(StrEnum):
    """What a calendar's events mean for background work, as the user set it: AWAY, the user is away
    from the computer and work may run; BUSY, the user needs the computer and none may.
    """

    AWAY = "away"
    """The user is away from this machine during the event (a meeting): training may run."""
    BUSY = "busy"
    """The user needs this machine during the event (a call on it): training must not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEvent:
    """A stretch of time [start, end) in which the user is away or busy, from a calendar. The
    event's title and participants are not kept.
    """

    start: datetime
    """Start of the event, timezone-aware."""
    end: datetime
    """End of the event, timezone-aware, after `start`."""
    kind: Meaning
    feed: str = ""
    """Id of the feed that the event comes from; "" for a feed that is only being tested."""

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError("an event's times are aware")
        if self.end <= self.start:
            raise ValueError("an event ends after it starts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """One of the user's calendar feeds, reduced to what decides whether background work may run:
    its meaning (user away or busy), and whether its last copy is recent enough to count.
    """

    id: str
    label: str
    means: Meaning
    unread_s: float | None = None
    """Age in seconds of the calendar's last good copy if that is too old to count, infinite without
    a copy; None if the copy counts.
    """


def block_end(events: Sequence[CalendarEvent], kind: Meaning, at: datetime) -> datetime | None:
    """Return when the calendar events of this kind (user away, or computer needed) that are under
    way at `at` end, across all feeds and with touching events joined. None if none is under way.
    """
    end, before = at, None
    while end != before:
        before = end
        for event in events:
            if event.kind is kind and event.start <= end < event.end:
                end = event.end
    return None if end == at else end


def remaining_events(
    events: Iterable[CalendarEvent], now: datetime, *, most: int = MOST_STRETCHES
) -> tuple[CalendarEvent, ...]:
    """Return the calendar events that are not over at `now` (timezone-aware), sorted by their
    start.

    Touching events of one feed and meaning are merged, and of each meaning only the first `most`
    are kept. The list must be short: the idle policy, which asks up to ten times a second whether
    training may go on, could not walk through the twenty thousand events that a feed may hold.
    """
    blocks: list[CalendarEvent] = []
    last: dict[tuple[str, Meaning], int] = {}
    count = dict.fromkeys(Meaning, 0)
    coming = (event for event in events if event.end > now)
    for event in sorted(coming, key=lambda event: (event.start, event.end, event.feed)):
        at = last.get((event.feed, event.kind))
        if at is not None and event.start <= blocks[at].end:
            if event.end > blocks[at].end:
                blocks[at] = replace(blocks[at], end=event.end)
        elif count[event.kind] < most:
            count[event.kind] += 1
            last[event.feed, event.kind] = len(blocks)
            blocks.append(event)
    return tuple(blocks)
