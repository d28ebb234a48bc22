"""When things change by themselves: when it next may, and until when nothing but a signal can.

Only what is written down somewhere is known: pauses, hours, calendars and the wait. When the user
comes back is a guess, and made elsewhere (core/lull_length.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from lull.core import spans
from lull.core.calendar_event import CalendarEvent, Meaning
from lull.core.hours import HoursRange, inside, next_change
from lull.core.idle_gates import event_now
from lull.core.idle_rule import IdleRule

_STEPS: Final = 200
"""One closed stretch after another, back to back; beyond that nobody knows."""


def next_opening(
    earliest: datetime, *, rule: IdleRule, events: Sequence[CalendarEvent], needed_s: float
) -> datetime | None:
    """The first time from `earliest` on at which neither hours nor calendars are in the way.

    None where no such time is known. `earliest` is aware and in the user's zone.
    """
    at = earliest
    for _ in range(_STEPS):
        busy = event_now(events, Meaning.BUSY, at.astimezone(UTC))
        if busy is not None:
            # Whoever had a call here may stay for a moment.
            at = spans.later(busy.end.astimezone(earliest.tzinfo), needed_s)
        elif inside(rule.blocked_hours, at):
            end = next_change(rule.blocked_hours, at)
            if end is None:
                return None
            at = end
        elif rule.allowed_hours and not inside(rule.allowed_hours, at):
            end = next_change(rule.allowed_hours, at)
            if end is None:
                return None
            at = end
        else:
            return at
    return None


def likely_end(
    now: datetime, *, rule: IdleRule, events: Sequence[CalendarEvent]
) -> datetime | None:
    """When the user is expected back, by sleep hours and calendars; None where neither says."""
    ends = []
    if inside(rule.sleep_hours, now):
        ends.append(next_change(rule.sleep_hours, now))
    away = event_now(events, Meaning.AWAY, now.astimezone(UTC))
    if away is not None:
        ends.append(away.end.astimezone(now.tzinfo))
    return max((e for e in ends if e is not None), key=lambda e: e.astimezone(UTC), default=None)


def steady_s(
    now: datetime,
    *,
    rule: IdleRule,
    events: Sequence[CalendarEvent],
    due: Iterable[datetime | None],
) -> float:
    """So long, in seconds, no decision can fall otherwise unless a signal changes.

    `due` are the times that the window itself names. Infinite where nothing is due. A service
    looks every few seconds all the same; a simulated year need not.
    """
    at = now.astimezone(UTC)
    found = [one.astimezone(UTC) for one in due if one is not None]
    lines: tuple[tuple[HoursRange, ...], ...] = (
        rule.sleep_hours,
        rule.allowed_hours,
        rule.blocked_hours,
    )
    changes = (next_change(ranges, now) for ranges in lines)
    found += [one.astimezone(UTC) for one in changes if one is not None]
    found += [edge.astimezone(UTC) for e in events for edge in (e.start, e.end)]
    left = ((one - at).total_seconds() for one in found if one > at)
    return min(left, default=float("inf"))
