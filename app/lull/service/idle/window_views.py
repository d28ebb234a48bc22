"""Builds the JSON of past idle windows (times when Lull was allowed to work) for the schedule page
of the desktop window.

Also parses the query: the time range and page size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from lull.config.idle_settings import IdleSettings
from lull.contract.json_object import Json
from lull.core.calendars.event import Calendar, CalendarEvent
from lull.core.errors import UsageError
from lull.core.idle.forecast import PastLull
from lull.core.idle.policy import ASKED_FOR
from lull.store.idle.windows import WindowRow

DEFAULT_RANGE: Final = timedelta(days=7)
PAGE: Final = 200
"""Default number of windows on a page."""
MAX_PAGE: Final = 1000
"""Largest number of windows on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowQuery:
    """Time range and page size in a request for past windows (times when Lull was allowed to
    work).
    """

    start: datetime
    end: datetime
    limit: int


def parse_window_query(query: Mapping[str, str], now: datetime) -> WindowQuery:
    """Parse the query parameters `from`, `to` and `limit` of a request for past idle windows.

    Raises UsageError. Times are ISO with a zone, by default the last week; `limit` is at most 1000.
    """
    end = time_in(query, "to") or now
    start = time_in(query, "from") or end - DEFAULT_RANGE
    if start >= end:
        raise UsageError("`from` must be earlier than `to`.")
    text = query.get("limit", "") or str(PAGE)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MAX_PAGE):
        raise UsageError(f"“limit” must be a number from 1 to {MAX_PAGE}.")
    return WindowQuery(start=start, end=end, limit=int(text))


def time_in(query: Mapping[str, str], name: str) -> datetime | None:
    """Return the time in the query parameter of this name, in UTC; None if absent.

    Raises UsageError if it is not an ISO time with a zone.
    """
    # An unescaped plus in a query is decoded as a space.
    text = query.get(name, "").strip().replace(" ", "+")
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text).astimezone(UTC) if _has_zone(text) else None
    except (ValueError, OverflowError):
        at = None
    if at is None:
        raise UsageError(
            f"{name} is not a time with a time zone.", hint="Such as 2026-11-21T20:00:00+01:00."
        )
    return at


def _has_zone(text: str) -> bool:
    return datetime.fromisoformat(text).tzinfo is not None


def windows_view(
    wanted: WindowQuery,
    rows: Sequence[WindowRow],
    *,
    away: Iterable[PastLull],
    events: Iterable[CalendarEvent],
    calendars: Iterable[Calendar],
    idle: IdleSettings,
) -> Json:
    """Return the JSON of past idle windows (times when Lull was allowed to work), calendar events,
    times without user input and configured hours in a time range.

    `{"from", "to", "windows": [window], "next", "events": [{"start", "end", "kind", "calendar",
    "label"}], "idle": [{"start", "end", "seen_to_end"}], "hours": {"sleep", "allowed",
    "blocked"}}`, a window being `{"id", "opened", "closed" (null while it is open), "seen",
    "length_s", "used_s", "why_opened", "why_closed", "closed_by", "done": [{"kind", "text",
    "used_s", "units", "finished"}], "asked": whether the user asked for the work}`.

    Of a window, `seen` is when its record was last updated, `used_s` how long work ran in it,
    `closed_by` the condition that closed it, and `done` lists the work with its number of finished
    work units. Windows are oldest first. `rows` may hold one more than the page size; then `next`
    is the `from` of the next page, else null.

    `idle` lists when the user was measured to be away, whether or not Lull was allowed to work;
    `seen_to_end` is false if Lull stopped watching before the user came back. `events` are those
    that the calendars still hold, which reach back one day; `calendar` is a feed's id, `label` its
    name. `hours` are the current settings.
    """
    labels = {one.id: one.label for one in calendars}
    near = [event for event in events if event.start < wanted.end and event.end > wanted.start]
    return {
        "from": wanted.start.isoformat(),
        "to": wanted.end.isoformat(),
        "windows": [_window(row) for row in rows[: wanted.limit]],
        "next": rows[wanted.limit].opened_at.isoformat() if len(rows) > wanted.limit else None,
        "events": [
            {
                "start": event.start.isoformat(),
                "end": event.end.isoformat(),
                "kind": event.kind.value,
                "calendar": event.feed,
                "label": labels.get(event.feed, ""),
            }
            for event in near
        ],
        "idle": [
            {
                "start": lull.began_at.isoformat(),
                "end": (lull.began_at + timedelta(seconds=lull.length_s)).isoformat(),
                "seen_to_end": lull.seen_to_end,
            }
            for lull in away
            if lull.began_at < wanted.end
        ],
        "hours": {
            "sleep": list(idle.sleep_hours),
            "allowed": list(idle.allowed_hours),
            "blocked": list(idle.blocked_hours),
        },
    }


def _window(row: WindowRow) -> Json:
    end = row.closed_at or row.seen_at
    return {
        "id": row.id,
        "opened": row.opened_at.isoformat(),
        "closed": row.closed_at.isoformat() if row.closed_at else None,
        "seen": row.seen_at.isoformat(),
        "length_s": round((end - row.opened_at).total_seconds(), 3),
        "used_s": round(row.used_s, 3),
        "why_opened": row.why_opened,
        "why_closed": row.why_closed,
        "closed_by": row.closed_by,
        "done": [
            {
                "kind": one.kind,
                "text": one.text,
                "used_s": round(one.used_s, 3),
                "units": one.units,
                "finished": one.finished,
            }
            for one in row.done
        ],
        "asked": row.why_opened == ASKED_FOR,
    }
