"""Hostile calendars, by content: they would hang, exhaust or mislead a program that reads them.

Each also holds one good meeting, which must survive, and lists the entries that must be reported as
left out.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from tests.backends.calendars.texts import MEETING, busy_table, calendar, daily, event, zone

Left = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Content:
    name: str
    body: Callable[[], bytes]
    left_out: frozenset[Left] = field(default_factory=frozenset)
    """Entries that must be reported as left out: (kind of entry, part of the reason)."""
    if_slow: frozenset[Left] = field(default_factory=frozenset)
    """Entries that may be left out in addition where the processor is slow."""

    def __str__(self) -> str:
        return self.name


def _with(
    name: str,
    *parts: bytes,
    left: tuple[Left, ...] = (),
    if_slow: tuple[Left, ...] = (),
    head: str = "",
) -> Content:
    return Content(
        name,
        lambda: calendar(*parts, MEETING, head=head),
        left_out=frozenset(left),
        if_slow=frozenset(if_slow),
    )


def _rule(name: str, rule: str, why: str) -> Content:
    return _with(name, daily(RRULE=rule), left=(("series", why),))


OFTEN, RULE = "more often than daily", "rule cannot be read"
HOUR = ("DTSTART:20261122T080000Z", "DTEND:20261122T090000Z")
MANY = 5_000


@cache
def _five_thousand() -> bytes:
    starts = (f"202611{21 + n % 9}T{n // 9 % 24:02}{n // 216:02}00Z" for n in range(MANY))
    made = (
        event(f"UID:{n}", f"DTSTART:{at}", "DURATION:PT20M", "SUMMARY:" + "x" * 40)
        for n, at in enumerate(starts)
    )
    return calendar(*made, MEETING)


@cache
def _ten_megabytes() -> bytes:
    """Return ten megabytes of calendar: years of past events, and one meeting still to come."""
    one = event(
        "UID:%d",
        "DTSTART;TZID=Europe/Berlin:2019%02d%02dT100000",
        "DTEND;TZID=Europe/Berlin:2019%02d%02dT110000",
        "SUMMARY:Weekly",
        "DESCRIPTION:" + ("x" * 60 + "\r\n " + "y" * 70 + "\r\n ") * 5,
    )
    made = (one % (n, 1 + n % 12, 1 + n % 28, 1 + n % 12, 1 + n % 28) for n in range(12_000))
    return calendar(*made, MEETING)


CONTENTS = (
    # Rules that never end
    _rule("every second", "FREQ=SECONDLY", OFTEN),
    _rule("every second in small letters", "freq=secondly;count=5", OFTEN),
    _rule("every minute", "FREQ=MINUTELY;INTERVAL=30", OFTEN),
    _rule("every hour", "FREQ=HOURLY", OFTEN),
    _rule("an interval of nothing", "FREQ=DAILY;INTERVAL=0", "interval is below 1"),
    _rule("an interval backwards", "FREQ=WEEKLY;INTERVAL=-1", "interval is below 1"),
    _rule("an interval past all numbers", f"FREQ=DAILY;INTERVAL={'9' * 400}", RULE),
    _rule("two frequencies", "FREQ=DAILY;FREQ=SECONDLY", RULE),
    _rule("no frequency", "INTERVAL=2;COUNT=3", RULE),
    _rule("no rule at all", "banana", RULE),
    _rule("a rule of its own invention", "FREQ=DAILY;BYMOOD=GOOD", RULE),
    _rule("an end that is no date", "FREQ=DAILY;UNTIL=whenever", RULE),
    _rule("a count past all numbers", f"FREQ=DAILY;COUNT={'9' * 300}", RULE),
    _rule(
        "every second of the day, daily",
        "FREQ=DAILY;BYHOUR=0,6,12,18;BYMINUTE=0,10,20,30;BYSECOND=0,30",
        OFTEN,
    ),
    _with(
        "two rules, one of them endless",
        event("UID:b", *HOUR, "RRULE:FREQ=DAILY;COUNT=2", "RRULE:FREQ=SECONDLY"),
        left=(("series", OFTEN),),
    ),
    _with(
        "thirty days in February",
        daily(RRULE="FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"),
        if_slow=(("series", "too long"),),
    ),
    _with(
        "fifty times thirty days in February",
        *(daily(f"b{n}", RRULE="FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30") for n in range(50)),
        daily("from-1970", DTSTART="19700101T080000Z", DTEND="19700101T083000Z"),
        left=(("series", ""),),
    ),
    _with("daily until the end of time", daily(DTSTART="99981231T100000Z", DTEND="")),
    # Times that are impossible
    _with("a start that is a fruit", daily(DTSTART="banana"), left=(("series", "no start"),)),
    _with("no start", event("UID:b", "DTEND:20261122T090000Z"), left=(("event", "no start"),)),
    _with("two starts", event(*HOUR, "DTSTART:20261123T080000Z"), left=(("event", "no start"),)),
    _with(
        "the thirtieth of February",
        event("DTSTART:20270230T100000Z"),
        left=(("event", "no start"),),
    ),
    _with(
        "daily since the year one",
        daily(DTSTART="00010101T000000Z", DTEND=""),
        left=(("series", "before 1970"),),
    ),
    _with("since 1969", daily(DTSTART="19691231T235959Z"), left=(("series", "before 1970"),)),
    _with(
        "an end that is a fruit",
        event("DTSTART:20261122T080000Z", "DTEND:banana"),
        left=(("event", "end cannot"),),
    ),
    _with(
        "an end before its start",
        event("DTSTART:20261122T080000Z", "DTEND:20261122T070000Z"),
        left=(("event", "ends before"),),
    ),
    _with(
        "a length below nothing",
        event("DTSTART:20261122T080000Z", "DURATION:-PT1H"),
        left=(("event", "ends before"),),
    ),
    _with(
        "a length of ages",
        event("DTSTART:20261122T080000Z", "DURATION:P99999999999W"),
        left=(("event", ""),),
    ),
    _with(
        "busy for three hundred years",
        event("DTSTART:19710101T000000Z", "DTEND:22710101T000000Z"),
        left=(("event", "longer than a year"),),
    ),
    _with(
        "a day that ends at an hour",
        event("DTSTART;VALUE=DATE:20261122", "DTEND:20261122T120000Z"),
        left=(("event", "cannot be read"),),
    ),
    # Zones
    _with(
        "a zone that is nowhere",
        event("DTSTART;TZID=Nowhere/Land:20261122T080000"),
        left=(("time zone", "unknown"), ("event", "no length")),
    ),
    _with(
        "a zone that is a path",
        event("DTSTART;TZID=../../../etc/passwd:20261122T080000", "DURATION:PT1H"),
        left=(("time zone", "unknown"),),
    ),
    _with(
        "a zone whose clocks change every second",
        zone("Z", "RRULE:FREQ=SECONDLY"),
        event("DTSTART;TZID=Z:20261122T080000", "DURATION:PT1H"),
        left=(("time zone", OFTEN), ("time zone", "unknown")),
    ),
    _with(
        "a zone ninety hours away",
        zone("Z", offset="+9000"),
        left=(("time zone", "cannot be read"),),
    ),
    _with(
        "a zone that lies about Berlin",
        zone("Europe/Berlin"),
        event("DTSTART;TZID=Europe/Berlin:20261122T080000", "DURATION:PT1H"),
    ),
    _with(
        "two hundred zones of its own",
        *(zone(f"Z{n}", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30") for n in range(200)),
        left=(("time zone", ""),),
    ),
    _with("a calendar in no zone", head="X-WR-TIMEZONE:Not/A/Zone\r\n"),
    # Shapes
    _with(
        "calendars in calendars",
        b"BEGIN:VCALENDAR\r\n" * 2_000 + daily() + b"END:VCALENDAR\r\n" * 2_000,
    ),
    _with(
        "beginnings without ends",
        b"BEGIN:VEVENT\r\nDTSTART:20261122T080000Z\r\n" * 500,
        left=(("event", "cut off"),),
    ),
    _with("ends without beginnings", b"END:VEVENT\r\nEND:VCALENDAR\r\nEND:VALARM\r\n" * 500),
    _with("parts in parts in parts", b"BEGIN:X-BOX\r\n" * 50_000),
    _with(
        "an alarm that rings for ever",
        event(
            *HOUR,
            "BEGIN:VALARM",
            "TRIGGER:-PT1S",
            "REPEAT:999999999",
            "DURATION:PT1S",
            "END:VALARM",
        ),
    ),
    Content(
        "cut off in the middle",
        lambda: calendar(MEETING, daily())[: -len("END:VEVENT\r\nEND:VCALENDAR\r\n")],
        frozenset({("series", "cut off"), ("calendar", "before its end")}),
    ),
    _with(
        "a table of busy garbage",
        busy_table("FREEBUSY:x/y,20261122T080000Z/PT1H,/,,"),
        left=(("busy period", "cannot be read"),),
    ),
    _with("a calendar of another kind", daily(), head="CALSCALE:JULIAN\r\n"),
    # Bytes
    Content(
        "NULs between all signs", lambda: b"\0".join(bytes([one]) for one in calendar(MEETING))
    ),
    Content("a byte order mark", lambda: codecs.BOM_UTF8 + calendar(MEETING)),
    Content(
        "sixteen bits a sign",
        lambda: codecs.BOM_UTF16_LE + calendar(MEETING).decode().encode("utf-16-le"),
    ),
    Content(
        "the other sixteen bits",
        lambda: codecs.BOM_UTF16_BE + calendar(MEETING).decode().encode("utf-16-be"),
    ),
    Content(
        "lines that end in three ways",
        lambda: calendar(MEETING).replace(b"\r\n", b"\r", 5).replace(b"\r\n", b"\n", 4),
    ),
    _with(
        "no text in any encoding",
        event("SUMMARY:\udcff".encode("utf-8", "surrogatepass").decode("latin-1"), *HOUR),
        b"X-\xff\xfe\x80:\xc3\x28\r\n",
    ),
    _with("a page before the calendar"),
    # Sizes
    Content("five thousand events", _five_thousand),
    Content("ten megabytes", _ten_megabytes),
    _with("a line of nine megabytes", event(*HOUR, "DESCRIPTION:" + "x" * 9_000_000)),
    _with(
        "a start of nine megabytes",
        event("DTSTART:" + "2" * 9_000_000),
        left=(("event", "too long"),),
    ),
    _with(
        "a line folded three million times",
        b"BEGIN:VEVENT\r\nDTSTART:2" + b"\n 2" * 3_000_000 + b"\r\nEND:VEVENT\r\n",
        left=(("event", "too long"),),
    ),
    _with("nothing but line ends", b"\n" * 9_000_000),
    _with(
        "two hundred thousand empty events and some",
        MEETING,
        b"BEGIN:VEVENT\nEND:VEVENT\n" * 205_000,
        left=(("calendar", "too many"), ("event", "no start")),
    ),
    _with("a name of a quarter of a million signs", event("UID:" + "u" * 250_000, *HOUR)),
    _with(
        "a hundred thousand parameters",
        event("DTSTART" + ";X=Y" * 60_000 + ":20261122T080000Z", "DURATION:PT1H"),
    ),
    _with(
        "a hundred thousand extra dates",
        event("UID:b", *HOUR, *["RDATE:20261124T080000Z"] * 100_000),
        left=(("event", "too long"),),
    ),
    # Entries that refer to each other
    _with(
        "five thousand changes of one series",
        daily("s"),
        *(
            event("UID:s", f"RECURRENCE-ID:202611{21 + n % 9}T{n % 24:02}{n % 60:02}00Z", *HOUR)
            for n in range(MANY)
        ),
        if_slow=(("series", "too long"),),
    ),
    _with(
        "a change of a day that is a fruit",
        daily("s"),
        event("UID:s", "RECURRENCE-ID:banana", *HOUR),
        left=(("", ""),),
    ),
    _with(
        "exceptions that are fruits", daily("s", EXDATE="banana,20261124T080000Z"), left=(("", ""),)
    ),
    _with(
        "all named alike",
        *(daily("good", DTSTART=f"202611{21 + n % 9}T080000Z", DTEND="") for n in range(500)),
        left=(("series", "no length"),),
    ),
    _with(
        "changes of all that follows, by the hundred",
        daily("s"),
        *(
            event("UID:s", f"RECURRENCE-ID;RANGE=THISANDFUTURE:202611{21 + n % 9}T080000Z", *HOUR)
            for n in range(300)
        ),
    ),
)
