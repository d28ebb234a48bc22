"""Rejects unusable calendar events, above all those whose recurrence rules could keep the library
that expands them busy for hours.

A 150-byte event can keep that library busy for hours, so a series passes only if its rule is
plausible: daily, weekly, monthly or yearly with an interval, and few times a day. This module only
inspects text: it expands nothing and raises nothing. Rules that pass and still take too long are
stopped by a timer.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta

from lull.backends.calendars.text import FeedPart
from lull.core.calendars.feeds import BusySpan, OmissionReason

LONGEST_DAYS = 366
"""Longest event in days; a longer one is a mistake or an attack."""
MOST_A_DAY = 24
"""Most recurrences a day that BYHOUR, BYMINUTE and BYSECOND may produce."""
MOST_OBSERVANCES = 200
"""Most clock changes in one time zone; no real zone has had as many since 1900."""

_TIME = re.compile(rb"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z?)?", re.IGNORECASE)
_OFFSET = re.compile(rb"[+-](\d{2})(\d{2})(\d{2})?")
_FREQUENCIES = frozenset({b"DAILY", b"WEEKLY", b"MONTHLY", b"YEARLY"})
_TOO_OFTEN = frozenset({b"SECONDLY", b"MINUTELY", b"HOURLY"})
_NUMBERS = re.compile(rb"[+-]?\d{1,3}(?:,[+-]?\d{1,3}){0,400}")
_DAYS = re.compile(rb"(?:[+-]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU))(?:,[+-]?\d{0,2}[A-Z]{2}){0,60}")
_WEEKDAY = re.compile(rb"MO|TU|WE|TH|FR|SA|SU")
_WITHIN_A_DAY = (b"BYHOUR", b"BYMINUTE", b"BYSECOND")
_BY_NUMBER = frozenset(
    {*_WITHIN_A_DAY, b"BYMONTH", b"BYMONTHDAY", b"BYYEARDAY", b"BYWEEKNO", b"BYSETPOS"}
)


def fault_of(part: FeedPart) -> OmissionReason | None:
    """Return why a calendar event or series cannot be used to find busy times; None if it can."""
    if not part.ended:
        return OmissionReason.CUT_OFF
    if part.too_big:
        return OmissionReason.TOO_BIG
    starts = part.values(b"DTSTART")
    start = day_of(starts[0]) if len(starts) == 1 else None
    if start is None:
        return OmissionReason.NO_START
    if start.year < 1970:
        return OmissionReason.BEFORE_1970
    ends = part.values(b"DTEND")
    if len(ends) > 1 or any(day_of(end) is None for end in ends):
        return OmissionReason.NO_END
    return next((why for rule in part.values(b"RRULE") if (why := _fault_of_rule(rule))), None)


def why_free(part: FeedPart) -> OmissionReason | None:
    """Return why a calendar event leaves its owner free, such as a cancellation; None if it makes
    the owner busy.
    """
    if (part.first(b"STATUS") or b"").upper() == b"CANCELLED":
        return OmissionReason.CANCELLED
    busy = (part.first(b"X-MICROSOFT-CDO-BUSYSTATUS") or b"").upper()
    if (part.first(b"TRANSP") or b"").upper() == b"TRANSPARENT" or busy == b"FREE":
        return OmissionReason.FREE
    return None


def fault_of_zone(part: FeedPart) -> OmissionReason | None:
    """Return why a calendar's time zone definition cannot be used; None if it can.

    Its recurrence rules are checked too, because they are expanded like those of events.
    """
    if not part.ended:
        return OmissionReason.CUT_OFF
    if (
        part.too_big
        or part.lines.count(b"BEGIN:STANDARD") + part.lines.count(b"BEGIN:DAYLIGHT")
        > MOST_OBSERVANCES
    ):
        return OmissionReason.TOO_BIG
    offsets = [*part.values(b"TZOFFSETFROM"), *part.values(b"TZOFFSETTO")]
    if not part.first(b"TZID") or not offsets or not all(map(_is_offset, offsets)):
        return OmissionReason.UNREADABLE
    if any(day_of(start) is None for start in part.values(b"DTSTART")):
        return OmissionReason.NO_START
    for rule in part.values(b"RRULE"):
        if why := _fault_of_rule(rule):
            return why
        if _parts_of(rule).get(b"FREQ") != b"YEARLY":
            return OmissionReason.TOO_OFTEN
    return None


def day_of(value: bytes) -> date | None:
    """Return the day of an iCalendar DATE or DATE-TIME value; None if it is neither."""
    found = _TIME.fullmatch(value)
    if found is None:
        return None
    numbers = [int(number) for number in found.groups() if number is not None]
    try:
        return datetime(*numbers).date()  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return None


def is_surely_outside(part: FeedPart, span: BusySpan) -> bool:
    """Return whether a calendar event certainly lies outside the requested time span.

    Time zones are not read here; a margin of days covers them. This filters out most events,
    because most of a calendar is past.
    """
    if part.values(b"RECURRENCE-ID") or part.values(b"RDATE"):
        return False
    start = day_of(part.first(b"DTSTART") or b"")
    if start is None:
        return False
    margin = timedelta(days=2)
    if start > span.end.date() + margin:
        return True
    last = max(start, day_of(part.first(b"DTEND") or b"") or start)
    for rule in part.values(b"RRULE"):
        until = day_of(_parts_of(rule).get(b"UNTIL", b""))
        if until is None:
            return False
        last = max(last, until)
    return last < span.start.date() - timedelta(days=LONGEST_DAYS) - margin


def steps_until(part: FeedPart, until: date) -> float:
    """Estimate how many times an event series recurs before the day `until`; expanding the series
    takes that many steps.
    """
    start = day_of(part.first(b"DTSTART") or b"")
    rules = part.values(b"RRULE")
    if start is None or not rules:
        return 0.0
    days = max(0, (until - start).days)
    return float(sum(days / _every_days(_parts_of(rule)) for rule in rules))


def _every_days(rule: dict[bytes, bytes]) -> float:
    days = {b"DAILY": 1, b"WEEKLY": 7, b"MONTHLY": 30, b"YEARLY": 365}
    interval = rule.get(b"INTERVAL", b"1")
    return days.get(rule.get(b"FREQ", b""), 1) * float(interval if interval.isdigit() else 1)


def _fault_of_rule(rule: bytes) -> OmissionReason | None:
    parts = _parts_of(rule)
    frequency = parts.get(b"FREQ", b"")
    if frequency in _TOO_OFTEN:
        return OmissionReason.TOO_OFTEN
    if frequency not in _FREQUENCIES:
        return OmissionReason.RULE
    interval = parts.get(b"INTERVAL", b"1")
    if not re.fullmatch(rb"[+-]?\d{1,9}", interval):
        return OmissionReason.RULE
    if int(interval) < 1:
        return OmissionReason.NO_INTERVAL
    if not all(_can_be_read(name, value) for name, value in parts.items()):
        return OmissionReason.RULE
    a_day = math.prod(parts.get(name, b"").count(b",") + 1 for name in _WITHIN_A_DAY)
    return OmissionReason.TOO_OFTEN if a_day > MOST_A_DAY else None


def _parts_of(rule: bytes) -> dict[bytes, bytes]:
    """Parse a rule to NAME → VALUE in capitals; {} if a name repeats or a part is malformed."""
    parts: dict[bytes, bytes] = {}
    for pair in rule.upper().strip().rstrip(b";").split(b";"):
        name, equals, value = pair.partition(b"=")
        if not equals or name.strip() in parts:
            return {}
        parts[name.strip()] = value.strip()
    return parts


def _can_be_read(name: bytes, value: bytes) -> bool:
    if name in {b"FREQ", b"INTERVAL"}:
        return True
    if name == b"COUNT":
        return re.fullmatch(rb"-?\d{1,9}", value) is not None
    if name == b"UNTIL":
        return day_of(value) is not None
    if name == b"WKST":
        return _WEEKDAY.fullmatch(value) is not None
    if name == b"BYDAY":
        return _DAYS.fullmatch(value) is not None
    return name in _BY_NUMBER and _NUMBERS.fullmatch(value) is not None


def _is_offset(value: bytes) -> bool:
    found = _OFFSET.fullmatch(value)
    return found is not None and int(found[1]) < 24 and int(found[2]) < 60
