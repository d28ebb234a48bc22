"""Which events of a calendar may reach the library that works out when they happen.

A single event of 150 bytes can keep that library busy for hours, so a series passes only when its
rule is one of a calendar that people keep: daily, weekly, monthly or yearly, every so many of them,
at most a few times a day. Everything here reads text; nothing is expanded, and nothing is raised.
Rules that pass and still take too long are stopped by a timer, in `ics_times`.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta

from lull.backends.ics_text import Part
from lull.core.feeds import Span, Why

LONGEST_DAYS = 366
"""Nobody is busy for longer in one go; what says so is a mistake or a trap."""
MOST_A_DAY = 24
"""Times on one day that BYHOUR, BYMINUTE and BYSECOND may make."""
MOST_OBSERVANCES = 200
"""Changes of clocks in one time zone. The zone with most of them since 1900 has fewer."""

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


def fault_of(part: Part) -> Why | None:
    """Why an event or a series cannot be used, None when it can."""
    if not part.ended:
        return Why.CUT_OFF
    if part.too_big:
        return Why.TOO_BIG
    starts = part.values(b"DTSTART")
    start = day_of(starts[0]) if len(starts) == 1 else None
    if start is None:
        return Why.NO_START
    if start.year < 1970:
        return Why.BEFORE_1970
    ends = part.values(b"DTEND")
    if len(ends) > 1 or any(day_of(end) is None for end in ends):
        return Why.NO_END
    return next((why for rule in part.values(b"RRULE") if (why := _fault_of_rule(rule))), None)


def says_free(part: Part) -> Why | None:
    """Why an event takes nobody's time, None when it does."""
    if (part.first(b"STATUS") or b"").upper() == b"CANCELLED":
        return Why.CANCELLED
    busy = (part.first(b"X-MICROSOFT-CDO-BUSYSTATUS") or b"").upper()
    if (part.first(b"TRANSP") or b"").upper() == b"TRANSPARENT" or busy == b"FREE":
        return Why.FREE
    return None


def fault_of_zone(part: Part) -> Why | None:
    """Why a time zone's definition cannot be used. Its rules are expanded, too."""
    if not part.ended:
        return Why.CUT_OFF
    if (
        part.too_big
        or part.lines.count(b"BEGIN:STANDARD") + part.lines.count(b"BEGIN:DAYLIGHT")
        > MOST_OBSERVANCES
    ):
        return Why.TOO_BIG
    offsets = [*part.values(b"TZOFFSETFROM"), *part.values(b"TZOFFSETTO")]
    if not part.first(b"TZID") or not offsets or not all(map(_is_offset, offsets)):
        return Why.UNREADABLE
    if any(day_of(start) is None for start in part.values(b"DTSTART")):
        return Why.NO_START
    for rule in part.values(b"RRULE"):
        if why := _fault_of_rule(rule):
            return why
        if _parts_of(rule).get(b"FREQ") != b"YEARLY":
            return Why.TOO_OFTEN
    return None


def day_of(value: bytes) -> date | None:
    """The day on which a DATE or DATE-TIME falls, None when it is neither."""
    found = _TIME.fullmatch(value)
    if found is None:
        return None
    numbers = [int(number) for number in found.groups() if number is not None]
    try:
        return datetime(*numbers).date()  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return None


def cannot_touch(part: Part, span: Span) -> bool:
    """Whether its own lines show that it is over long before the span or begins long after it.

    Days of margin stand for the time zone, which is not read here. Most of a calendar is past,
    and is out of the way with this.
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


def steps_until(part: Part, until: date) -> float:
    """Roughly how often a series comes around before that day: what expanding it costs."""
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


def _fault_of_rule(rule: bytes) -> Why | None:
    parts = _parts_of(rule)
    frequency = parts.get(b"FREQ", b"")
    if frequency in _TOO_OFTEN:
        return Why.TOO_OFTEN
    if frequency not in _FREQUENCIES:
        return Why.RULE
    interval = parts.get(b"INTERVAL", b"1")
    if not re.fullmatch(rb"[+-]?\d{1,9}", interval):
        return Why.RULE
    if int(interval) < 1:
        return Why.NO_INTERVAL
    if not all(_can_be_read(name, value) for name, value in parts.items()):
        return Why.RULE
    a_day = math.prod(parts.get(name, b"").count(b",") + 1 for name in _WITHIN_A_DAY)
    return Why.TOO_OFTEN if a_day > MOST_A_DAY else None


def _parts_of(rule: bytes) -> dict[bytes, bytes]:
    """NAME → VALUE in capitals; {} when a name comes twice or a part is no pair."""
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
