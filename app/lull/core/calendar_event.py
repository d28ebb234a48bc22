"""What a calendar says of the user's time: from when to when, and what that means for learning.

Decides what a busy stretch means and that stretches which touch are one. How a calendar is
fetched and read is `backends/ics_fetch.py` and `backends/ics_calendar.py`; whether learning may run
is the policy's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

MOST_AHEAD: Final = 500
"""Stretches of each meaning that a look weighs: more than anybody has in the days that are read."""


class Meaning(StrEnum):
    """What "busy" in a feed says, as its owner told us."""

    AWAY = "away"
    """The user is away from this machine (a meeting): train."""
    BUSY = "busy"
    """The user needs this machine (a call on it): do not train."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEvent:
    """One busy stretch [start, end). Nothing else of an event is kept: no title, no people."""

    start: datetime
    """Aware."""
    end: datetime
    """Aware, after `start`."""
    kind: Meaning
    feed: str = ""
    """Id of the feed it comes from; "" for one that is only being tried."""

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError("an event's times are aware")
        if self.end <= self.start:
            raise ValueError("an event ends after it starts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """One of the user's feeds, as far as it matters whose word counts."""

    id: str
    label: str
    means: Meaning
    unread_s: float | None = None
    """So old is what is known of it, which is too old to count; infinite where nothing ever was;
    None: it counts."""


def block_end(events: Sequence[CalendarEvent], kind: Meaning, at: datetime) -> datetime | None:
    """When the busy time under way at `at` ends, across all feeds: one event that touches the next
    is no gap. None where nothing of this kind is under way."""
    end, before = at, None
    while end != before:
        before = end
        for event in events:
            if event.kind is kind and event.start <= end < event.end:
                end = event.end
    return None if end == at else end


def ahead(
    events: Iterable[CalendarEvent], now: datetime, *, most: int = MOST_AHEAD
) -> tuple[CalendarEvent, ...]:
    """What is not over by `now` (aware), by start; stretches of one feed and meaning that touch are
    one, and of each meaning come the `most` that begin first.

    A look asks several times what is on, ten times a second while work runs: it must not walk
    through the twenty thousand events that a feed may hold.
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
