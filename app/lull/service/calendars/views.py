"""Builds the JSON of the user's calendar feeds, which tell when the user is away or busy, for the
control API and `lull calendar --json`.

New versions of Lull only add keys to this JSON. No feed's URL is included, because whoever knows it
can read the calendar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from lull.contract.json_object import Json
from lull.core.calendars.event import CalendarEvent
from lull.core.calendars.feeds import Feed, OmittedEntries


def feed_view(feed: Feed, now: datetime) -> Json:
    """Return the JSON that the control API shows of a calendar."""
    age_s = feed.age_s(now)
    return {
        "id": feed.id,
        "label": feed.label,
        "host": feed.host or None,
        "path": feed.path or None,
        "address": feed.path or f"{feed.host}/…",
        "means": feed.means.value,
        "private": feed.private,
        "health": feed.health(now).value,
        "age_s": None if age_s is None else round(age_s),
        "added": feed.added_at.isoformat(),
        "seen": feed.seen_at.isoformat() if feed.seen_at else None,
        "next": feed.due.isoformat(),
        "ahead": sum(event.end > now for event in feed.events(now)),
        "dropped": dropped_view(feed.copy.dropped if feed.copy else ()),
        "problem": dict(feed.fault) if feed.fault else None,
    }


def reading_view(
    events: Sequence[CalendarEvent], dropped: Iterable[OmittedEntries], *, took_s: float
) -> Json:
    """Return the JSON of the result of reading a calendar feed: its events, the entries that were
    `dropped` and why, and the seconds it took. Times are local, with UTC offset.
    """
    return {
        "events": [
            {
                "start": event.start.astimezone().isoformat(),
                "end": event.end.astimezone().isoformat(),
                "kind": event.kind.value,
            }
            for event in events
        ],
        "dropped": dropped_view(dropped),
        "took_s": round(took_s, 3),
    }


def dropped_view(dropped: Iterable[OmittedEntries]) -> list[Json]:
    """Return the JSON that the control API shows of the calendar entries that were left out."""
    return [{"what": one.what.value, "why": one.why.value, "n": one.n} for one in dropped]
