"""Computes when background work may next begin, and for how long the present decision whether it
may run stays valid.

Uses only what is recorded: pauses, hours, calendars and the required wait. When the user will come
back is estimated elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.idle.conditions import event_now
from lull.core.idle.hours import HoursRange, inside, next_change
from lull.core.idle.rule import IdleRule
from lull.core.text import durations as spans

_MOST_CLOSED_STRETCHES: Final = 200
"""Most consecutive periods without permission to work that are searched; beyond them the time
counts as unknown.
"""


def next_opening(
    earliest: datetime, *, rule: IdleRule, events: Sequence[CalendarEvent], needed_s: float
) -> datetime | None:
    """Find the first time from `earliest` on at which background work is forbidden neither by the
    hours that the user set nor by an appointment in the user's calendars.

    None if no such time is known. `earliest` is timezone-aware and in the user's zone.
    """
    at = earliest
    for _ in range(_MOST_CLOSED_STRETCHES):
        busy = event_now(events, Meaning.BUSY, at.astimezone(UTC))
        if busy is not None:
            # After a call the user may stay for a moment.
            at = spans.add_seconds(busy.end.astimezone(earliest.tzinfo), needed_s)
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


def unchanged_for_s(
    now: datetime,
    *,
    rule: IdleRule,
    events: Sequence[CalendarEvent],
    due: Iterable[datetime | None],
) -> float:
    """Return how many seconds from `now` on the decision whether background work may run stays the
    same if no sensor reading changes; infinite if no later change is known.

    `due` are the times at which that decision itself expects a change. Simulations use the result
    to skip ahead; a running service looks every few seconds anyway.
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
