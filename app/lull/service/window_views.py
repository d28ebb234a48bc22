"""The journal of windows as the schedule page shows it: from when to when, why, and for what.

Decides what may be asked (a stretch of time, a page of it) and the shape of the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from lull.config.idle_settings import IdleSettings
from lull.core.calendar_event import Calendar, CalendarEvent
from lull.core.errors import UsageError
from lull.core.lull_length import PastLull
from lull.store.windows import WindowRow

Json = dict[str, Any]
WEEK: Final = timedelta(days=7)
PAGE: Final = 200
MOST: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    start: datetime
    end: datetime
    limit: int


def asked(query: Mapping[str, str], now: datetime) -> Asked:
    """`from` and `to` as ISO times with a zone, the last week unless it is said; `limit` up to
    1000. Raises UsageError."""
    end = time_in(query, "to") or now
    start = time_in(query, "from") or end - WEEK
    if start >= end:
        raise UsageError("from is not before to.")
    text = query.get("limit", "") or str(PAGE)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MOST):
        raise UsageError(f"limit must be a number from 1 to {MOST}.")
    return Asked(start=start, end=end, limit=int(text))


def time_in(query: Mapping[str, str], name: str) -> datetime | None:
    """Raises UsageError for what is no time with a zone."""
    # A plus that was not escaped in the query stands for a blank.
    text = query.get(name, "").strip().replace(" ", "+")
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text).astimezone(UTC) if _has_zone(text) else None
    except (ValueError, OverflowError):
        at = None
    if at is None:
        raise UsageError(
            f"{name} is no time with a zone.", hint="Such as 2026-11-21T20:00:00+01:00."
        )
    return at


def _has_zone(text: str) -> bool:
    return datetime.fromisoformat(text).tzinfo is not None


def windows_view(
    wanted: Asked,
    rows: Sequence[WindowRow],
    *,
    away: Iterable[PastLull],
    events: Iterable[CalendarEvent],
    calendars: Iterable[Calendar],
    idle: IdleSettings,
) -> Json:
    """`rows` may hold one more than was asked for, and then there is more.

    `{"from", "to", "windows": [window], "next", "events": [{"start", "end", "kind", "calendar",
    "label"}], "idle": [{"start", "end", "seen_to_end"}],
    "hours": {"sleep", "allowed", "blocked"}}`, a window being `{"id", "opened", "closed"
    (null while it is open), "seen", "length_s", "used_s", "why_opened", "why_closed", "closed_by",
    "done": [{"kind", "text", "used_s", "units"}]}`.

    Windows are oldest first; where there are more, `next` is the `from` to go on with, else null.
    Idle is when the user was measured to be away, whether or not Lull might work. Events are what
    is still known of calendars, which is a day back; hours are those set now.
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
            {"kind": one.kind, "text": one.text, "used_s": round(one.used_s, 3), "units": one.units}
            for one in row.done
        ],
    }
