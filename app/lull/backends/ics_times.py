"""When one event or one series happens, as pairs of seconds since 1970.

All-day events count like others, from midnight to midnight here; holidays and birthdays, which
take nobody's time, are marked as free by those who publish them and fall out by that. Times
without a zone are local, whatever the calendar as a whole says of itself. What a library raises
over a stranger's text is left to the caller, who has a clock running, too (`ics_busy`).
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

from lull.backends.ics_rules import LONGEST_DAYS
from lull.backends.ics_text import Part
from lull.core.feeds import Span, Why

Seconds = tuple[int, int]
"""From and to, since 1970."""

_LONGEST_S = LONGEST_DAYS * 24 * 3600
_TZID = re.compile(rb';TZID=(?:"([^"]{1,200})"|([^":;,]{1,200}))', re.IGNORECASE)


class CannotBe(Exception):
    """This event cannot be used; `why` goes into the count."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


class Times:
    """Reads the times of one calendar, for one span."""

    def __init__(self, span: Span) -> None:
        self._span = span
        self._from_s, self._to_s = span.start.timestamp(), span.end.timestamp()

    def single(self, part: Part) -> Iterator[Seconds]:
        """An event that happens once. Raises CannotBe, and what the library raises."""
        component = icalendar.Event.from_ical(part.text())
        if why := self._fault(component):
            raise CannotBe(why)
        yield from self._touching(self._ends(component))

    def series(self, parts: list[Part], faults: list[Why]) -> Iterator[Seconds]:
        """A series with the days that were changed. What is wrong with a part of it goes to
        `faults`, and the rest goes on; raises what the library raises."""
        calendar = self._parsed(parts)
        good = []
        for component in calendar.subcomponents:
            why = self._fault(component)
            if why is None:
                good.append(component)
            else:
                faults.append(why)
        calendar.subcomponents = good
        # A day more on either side: times without a zone are compared as if they were in UTC.
        margin = timedelta(days=1)
        query = recurring_ical_events.of(calendar)
        for component in query.between(self._span.start - margin, self._span.end + margin):
            if not _is_free(component):
                yield from self._touching(self._ends(component))

    def period(self, text: bytes) -> Iterator[Seconds]:
        """One busy time of a free/busy table. Raises CannotBe, and what the library raises."""
        start, end = vPeriod.from_ical(words(text.strip()))  # type: ignore[no-untyped-call]
        if isinstance(end, timedelta):
            end = _later(start, end)
        seconds = self._seconds(start), self._seconds(end)
        if why := _wrong_length(seconds):
            raise CannotBe(why)
        yield from self._touching(seconds)

    def learn_zone(self, part: Part) -> None:
        """A zone that the calendar defines. Raises what the library raises."""
        self._parsed([part])

    def _parsed(self, parts: list[Part]) -> Any:
        body = b"".join(part.text() for part in parts)
        return icalendar.Calendar.from_ical(b"BEGIN:VCALENDAR\r\n" + body + b"END:VCALENDAR\r\n")

    def _touching(self, seconds: Seconds) -> Iterator[Seconds]:
        if seconds[0] < self._to_s and seconds[1] > self._from_s and seconds[0] < seconds[1]:
            yield seconds

    def _fault(self, component: Any) -> Why | None:
        try:
            return _wrong_length(self._ends(component))
        except (AttributeError, TypeError, ValueError, OverflowError, KeyError):
            return Why.UNREADABLE

    def _ends(self, component: Any) -> Seconds:
        start = component["DTSTART"].dt
        return self._seconds(start), self._seconds(_end_of(component, start))

    def _seconds(self, when: date) -> int:
        if not isinstance(when, datetime):
            # Midnight here, wherever the calendar comes from: a day is a day of one's own life.
            return round(datetime(when.year, when.month, when.day).timestamp())  # noqa: DTZ001
        return round(when.timestamp())


def _wrong_length(seconds: Seconds) -> Why | None:
    length_s = seconds[1] - seconds[0]
    if length_s < 0:
        return Why.BACKWARDS
    if length_s == 0:
        return Why.NO_LENGTH
    return Why.TOO_LONG if length_s > _LONGEST_S else None


def _end_of(component: Any, start: Any) -> Any:
    """Where there is neither an end nor a length: a day for a date, nothing for a time (RFC 5545,
    3.6.1). Raises ValueError for a date that ends at a time or the other way round."""
    if "DTEND" in component:
        end = component["DTEND"].dt
        if isinstance(end, datetime) is not isinstance(start, datetime):
            raise ValueError("a date and a time")
        return end
    if "DURATION" in component:
        return _later(start, component["DURATION"].dt)
    return start if isinstance(start, datetime) else start + timedelta(days=1)


def _later(start: Any, by: timedelta) -> Any:
    """Hours are hours, also where a clock is changed meanwhile; days are days of the calendar
    (RFC 5545, 3.3.6)."""
    if not isinstance(start, datetime) or start.tzinfo is None:
        return start + by
    days = timedelta(days=by.days)
    return (start + days).astimezone(UTC) + (by - days)


def _is_free(component: Any) -> bool:
    def said(name: str) -> str:
        return str(component.get(name, "")).strip().upper()

    free = said("TRANSP") == "TRANSPARENT" or said("X-MICROSOFT-CDO-BUSYSTATUS") == "FREE"
    return free or said("STATUS") == "CANCELLED"


def zones_of(part: Part) -> Iterator[bytes]:
    """The names of time zones that its lines use."""
    for line in part.lines:
        if b";" in line and (found := _TZID.search(line)):
            yield found[1] or found[2]


def is_known(name: bytes) -> bool:
    """Whether a time zone has this name: the world's, Windows', or one that was learned."""
    try:
        return bool(name) and tzp.timezone(words(name)) is not None
    except (ValueError, OSError):  # names that are no place in a folder of zones
        return False


def words(text: bytes) -> str:
    return text.decode("utf-8", errors="replace")
