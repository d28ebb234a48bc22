"""Expands a calendar event or series to (start, end) pairs in seconds since 1970.

All-day events last from midnight to midnight, local time; holidays and birthdays are usually marked
free by their publishers and so drop out. Times without a zone are local, whatever zone the calendar
names. Library errors are left to the caller, which also limits the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import icalendar
import recurring_ical_events
from icalendar.prop import vPeriod
from icalendar.timezone import tzp

from lull.backends.calendars.rules import LONGEST_DAYS
from lull.backends.calendars.text import FeedPart
from lull.core.calendars.feeds import BusySpan, OmissionReason

Seconds = tuple[int, int]
"""A time span: (start, end) in seconds since 1970."""

_LONGEST_S = LONGEST_DAYS * 24 * 3600
_TZID = re.compile(rb';TZID=(?:"([^"]{1,200})"|([^":;,]{1,200}))', re.IGNORECASE)


class UnusableEvent(Exception):
    """Raised when a calendar event cannot be used for busy times.

    `why` is the reason; unusable events are counted by it.
    """

    def __init__(self, why: OmissionReason) -> None:
        super().__init__(why)
        self.why = why


class EventExpander:
    """Expands the events of one calendar to their start and end times within a given time span."""

    def __init__(self, span: BusySpan) -> None:
        self._span = span
        self._from_s, self._to_s = span.start.timestamp(), span.end.timestamp()

    def single(self, part: FeedPart) -> Iterator[Seconds]:
        """Yield the (start, end) of a calendar event that does not repeat.

        Raises UnusableEvent, and library errors.
        """
        component = icalendar.Event.from_ical(part.text())
        if why := self._fault(component):
            raise UnusableEvent(why)
        yield from self._touching(self._ends(component))

    def series(self, parts: list[FeedPart], faults: list[OmissionReason]) -> Iterator[Seconds]:
        """Yield the (start, end) of each occurrence of a repeating calendar event, including
        occurrences that were changed individually.

        Reasons for unusable parts are appended to `faults`. Raises library errors.
        """
        calendar = self._parsed(parts)
        good = []
        for component in calendar.subcomponents:
            why = self._fault(component)
            if why is None:
                good.append(component)
            else:
                faults.append(why)
        calendar.subcomponents = good
        # One more day on each side, because times without a zone are compared as UTC.
        margin = timedelta(days=1)
        query = recurring_ical_events.of(calendar)
        for component in query.between(self._span.start - margin, self._span.end + margin):
            if not _is_free(component):
                yield from self._touching(self._ends(component))

    def period(self, text: bytes) -> Iterator[Seconds]:
        """Yield the (start, end) of one busy time in a calendar's free/busy table, if it overlaps
        the time span.

        Raises UnusableEvent, and library errors.
        """
        start, end = vPeriod.from_ical(words(text.strip()))  # type: ignore[no-untyped-call]
        if isinstance(end, timedelta):
            end = _later(start, end)
        seconds = self._seconds(start), self._seconds(end)
        if why := _wrong_length(seconds):
            raise UnusableEvent(why)
        yield from self._touching(seconds)

    def learn_zone(self, part: FeedPart) -> None:
        """Register a time zone that the calendar defines, so that its events can use it.

        Raises library errors.
        """
        self._parsed([part])

    def _parsed(self, parts: list[FeedPart]) -> Any:
        body = b"".join(part.text() for part in parts)
        return icalendar.Calendar.from_ical(b"BEGIN:VCALENDAR\r\n" + body + b"END:VCALENDAR\r\n")

    def _touching(self, seconds: Seconds) -> Iterator[Seconds]:
        if seconds[0] < self._to_s and seconds[1] > self._from_s and seconds[0] < seconds[1]:
            yield seconds

    def _fault(self, component: Any) -> OmissionReason | None:
        try:
            return _wrong_length(self._ends(component))
        except (AttributeError, TypeError, ValueError, OverflowError, KeyError):
            return OmissionReason.UNREADABLE

    def _ends(self, component: Any) -> Seconds:
        start = component["DTSTART"].dt
        return self._seconds(start), self._seconds(_end_of(component, start))

    def _seconds(self, when: date) -> int:
        if not isinstance(when, datetime):
            # Midnight in local time: an all-day event is a day of the user's.
            return round(datetime(when.year, when.month, when.day).timestamp())  # noqa: DTZ001
        return round(when.timestamp())


def _wrong_length(seconds: Seconds) -> OmissionReason | None:
    length_s = seconds[1] - seconds[0]
    if length_s < 0:
        return OmissionReason.BACKWARDS
    if length_s == 0:
        return OmissionReason.NO_LENGTH
    return OmissionReason.TOO_LONG if length_s > _LONGEST_S else None


def _end_of(component: Any, start: Any) -> Any:
    """Return an event's end.

    Without DTEND and DURATION a date lasts a day and a time has no length (RFC 5545, 3.6.1). Raises
    ValueError if one of start and end is a date and the other a time.
    """
    if "DTEND" in component:
        end = component["DTEND"].dt
        if isinstance(end, datetime) is not isinstance(start, datetime):
            raise ValueError("a date and a time")
        return end
    if "DURATION" in component:
        return _later(start, component["DURATION"].dt)
    return start if isinstance(start, datetime) else start + timedelta(days=1)


def _later(start: Any, by: timedelta) -> Any:
    """Add a duration: hours are exact across clock changes, days are calendar days (RFC 5545,
    3.3.6)."""
    if not isinstance(start, datetime) or start.tzinfo is None:
        return start + by
    days = timedelta(days=by.days)
    return (start + days).astimezone(UTC) + (by - days)


def _is_free(component: Any) -> bool:
    def said(name: str) -> str:
        return str(component.get(name, "")).strip().upper()

    free = said("TRANSP") == "TRANSPARENT" or said("X-MICROSOFT-CDO-BUSYSTATUS") == "FREE"
    return free or said("STATUS") == "CANCELLED"


def zones_of(part: FeedPart) -> Iterator[bytes]:
    """Yield the time zone names used in a calendar component's lines."""
    for line in part.lines:
        if b";" in line and (found := _TZID.search(line)):
            yield found[1] or found[2]


def is_known(name: bytes) -> bool:
    """Return whether a time zone is known: by its IANA or Windows name, or because the calendar
    defines it.
    """
    try:
        return bool(name) and tzp.timezone(words(name)) is not None
    except (ValueError, OSError):  # names that are no valid path in the zone folder
        return False


def words(text: bytes) -> str:
    """Decode text of a calendar; bytes that are not UTF-8 are replaced."""
    return text.decode("utf-8", errors="replace")
