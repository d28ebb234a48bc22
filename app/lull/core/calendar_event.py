"""What a calendar says of the user's time: from when to when, and what that means for learning.

Decides what a busy stretch means and how stretches that touch become one. How a calendar is
fetched and read is `backends/ics_fetch.py` and `backends/ics_calendar.py`; whether learning may run
is the policy's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum


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


def merged(events: Iterable[CalendarEvent]) -> tuple[CalendarEvent, ...]:
    """The same busy time in as few events as can be, by start, then kind, then feed.

    Events of one feed and one kind that overlap or touch become one; of different feeds or kinds
    they never do, because the policy must still be able to say whose word it follows.
    """
    last: dict[tuple[str, Meaning], int] = {}
    out: list[CalendarEvent] = []
    for event in sorted(events, key=lambda event: (event.start, event.end)):
        at = last.get((event.feed, event.kind))
        if at is not None and event.start <= out[at].end:
            out[at] = replace(out[at], end=max(out[at].end, event.end))
        else:
            last[event.feed, event.kind] = len(out)
            out.append(event)
    return tuple(sorted(out, key=lambda event: (event.start, event.kind, event.feed)))
