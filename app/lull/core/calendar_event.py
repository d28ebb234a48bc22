"""What a calendar says of the user's time: from when to when, and what that means for learning.

Decides what a busy stretch means and that stretches which touch are one. How a calendar is
fetched and read is `backends/ics_fetch.py` and `backends/ics_calendar.py`; whether learning may run
is the policy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
