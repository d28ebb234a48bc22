"""Tests of when the events of a calendar happen: time zones, clock changes, whole days, series.

The calendars are well-formed, and the user is in Berlin.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from lull.backends.calendars.child import parse_calendar
from lull.core.calendars.feeds import EntryKind, OmissionReason
from tests.backends.calendars.texts import SPAN, busy_table, calendar, daily, event, zone

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(autouse=True)
def in_berlin() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def read(*parts: bytes, head: str = "", start: datetime = SPAN.start, days: int = 9) -> list[str]:
    """Return each busy stretch as text in Berlin's time, such as `21 10:00–11:00`."""
    return times(calendar(*parts, head=head), start=start, days=days)


def times(data: bytes, *, start: datetime = SPAN.start, days: int = 9) -> list[str]:
    return [_shown(*one) for one in answer(data, start=start, days=days)["busy"]]


def answer(data: bytes, *, start: datetime = SPAN.start, days: int = 9) -> dict[str, list]:
    from_s = start.timestamp()
    return parse_calendar(data, from_s=from_s, to_s=from_s + days * 86400, left_s=lambda: 60.0)


def left_out(*parts: bytes, head: str = "") -> dict[tuple[str, str], int]:
    found = answer(calendar(*parts, head=head))["dropped"]
    return {(what, why): n for what, why, n in found}


def _shown(start_s: int, end_s: int) -> str:
    start, end = (datetime.fromtimestamp(at, BERLIN) for at in (start_s, end_s))
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%d %H:%M}"
    return f"{start:%d %H:%M}–{until}"


HOUR = "DURATION:PT1H"


# Zones


def test_a_time_in_utc_is_an_instant() -> None:
    assert read(event("DTSTART:20261123T090000Z", HOUR)) == ["23 10:00–11:00"]


def test_a_time_without_a_zone_is_local() -> None:
    assert read(event("DTSTART:20261123T090000", HOUR)) == ["23 09:00–10:00"]


def test_a_time_without_a_zone_is_local_whatever_the_calendar_says_of_itself() -> None:
    in_new_york = "X-WR-TIMEZONE:America/New_York\r\n"
    assert read(event("DTSTART:20261123T090000", HOUR), head=in_new_york) == ["23 09:00–10:00"]
    series = daily(DTSTART="20261120T090000", DTEND="20261120T100000")
    assert read(series, head=in_new_york)[:2] == ["22 09:00–10:00", "23 09:00–10:00"]


@pytest.mark.parametrize(
    "name",
    [
        "America/New_York",
        "Eastern Standard Time",
        "/freeassociation.sourceforge.net/America/New_York",
        '"America/New_York"',
    ],
)
def test_a_zone_is_known_by_each_of_its_names(name: str) -> None:
    assert read(event(f"DTSTART;TZID={name}:20261123T090000", HOUR)) == ["23 15:00–16:00"]


def test_a_zone_that_the_calendar_made_up_is_taken_from_it() -> None:
    parts = zone("My Own Zone"), event("DTSTART;TZID=My Own Zone:20261123T180000", HOUR)
    assert read(*parts) == ["23 10:00–11:00"]


@pytest.mark.parametrize("name", ["Europe/Berlin", "W. Europe Standard Time"])
def test_a_calendar_cannot_move_a_zone_that_the_world_knows(name: str) -> None:
    parts = zone(name, offset="+0900"), event(f"DTSTART;TZID={name}:20261123T090000", HOUR)
    assert read(*parts) == ["23 09:00–10:00"]


def test_an_unknown_zone_is_taken_as_local_and_said() -> None:
    part = event("DTSTART;TZID=Nowhere/Land:20261123T090000", HOUR)
    assert read(part) == ["23 09:00–10:00"]
    assert left_out(part) == {(EntryKind.ZONE, OmissionReason.UNKNOWN_ZONE): 1}


# Clocks that change: in Berlin from 02:00 to 03:00 on 29 March 2026, back on 25 October

MARCH = datetime(2026, 3, 28, 0, 0, tzinfo=BERLIN)
OCTOBER = datetime(2026, 10, 24, 0, 0, tzinfo=BERLIN)


def test_a_series_stays_at_its_hour_when_clocks_change() -> None:
    series = event(
        "DTSTART;TZID=Europe/Berlin:20260301T100000",
        "DTEND;TZID=Europe/Berlin:20260301T110000",
        "RRULE:FREQ=DAILY",
    )
    assert read(series, start=MARCH, days=3) == [f"{n} 10:00–11:00" for n in (28, 29, 30)]
    assert read(series, start=OCTOBER, days=2) == [f"{n} 10:00–11:00" for n in (24, 25)]


def test_a_series_in_utc_moves_by_an_hour_for_those_who_live_with_summer_time() -> None:
    series = event("DTSTART:20260301T090000Z", HOUR, "RRULE:FREQ=DAILY")
    assert read(series, start=MARCH, days=2) == ["28 10:00–11:00", "29 11:00–12:00"]


def test_a_night_over_the_change_is_an_hour_shorter_or_longer() -> None:
    shift = event(
        "DTSTART;TZID=Europe/Berlin:20260328T220000", "DTEND;TZID=Europe/Berlin:20260329T060000"
    )
    (found,) = answer(calendar(shift), start=MARCH)["busy"]
    assert (found[1] - found[0]) / 3600 == 7
    lasting = event("DTSTART;TZID=Europe/Berlin:20260328T220000", "DURATION:PT8H")
    (found,) = answer(calendar(lasting), start=MARCH)["busy"]
    assert (found[1] - found[0]) / 3600 == 8


def test_a_day_of_the_change_has_as_many_hours_as_it_has() -> None:
    for at, hours in (("20260329", 23), ("20261025", 25), ("20261124", 24)):
        start = datetime.strptime(at, "%Y%m%d").replace(tzinfo=BERLIN)
        (found,) = answer(calendar(event(f"DTSTART;VALUE=DATE:{at}")), start=start)["busy"]
        assert (found[1] - found[0]) / 3600 == hours


# Days and nights


def test_an_all_day_event_is_busy_from_midnight_to_midnight_here() -> None:
    assert read(event("DTSTART;VALUE=DATE:20261123")) == ["23 00:00–24 00:00"]
    three = event("DTSTART;VALUE=DATE:20261123", "DTEND;VALUE=DATE:20261126")
    assert read(three) == ["23 00:00–26 00:00"]
    in_new_york = "X-WR-TIMEZONE:America/New_York\r\n"
    assert read(event("DTSTART;VALUE=DATE:20261123"), head=in_new_york) == ["23 00:00–24 00:00"]


def test_holidays_and_birthdays_take_nobody_s_time() -> None:
    birthday = event(
        "DTSTART;VALUE=DATE:19800123", "RRULE:FREQ=YEARLY", "TRANSP:TRANSPARENT", "SUMMARY:Birthday"
    )
    holiday = event("DTSTART;VALUE=DATE:20261125", "X-MICROSOFT-CDO-BUSYSTATUS:FREE")
    assert read(birthday, holiday) == []


def test_an_event_across_midnight_is_one() -> None:
    assert read(event("DTSTART:20261123T220000Z", "DURATION:PT4H")) == ["23 23:00–24 03:00"]


def test_an_event_under_way_when_the_span_begins_is_whole() -> None:
    assert read(event("DTSTART:20261121T080000Z", "DURATION:PT2H")) == ["21 09:00–11:00"]


def test_what_only_touches_the_span_is_outside() -> None:
    before = event("DTSTART:20261121T080000Z", HOUR)
    after = event("DTSTART:20261130T090000Z", HOUR)
    assert read(before, after) == []


def test_a_holiday_of_weeks_that_began_long_ago_is_found() -> None:
    assert read(event("DTSTART;VALUE=DATE:20261001", "DTEND;VALUE=DATE:20261201")) == [
        "01 00:00–01 00:00"
    ]


# What takes no time


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("STATUS:CANCELLED", OmissionReason.CANCELLED),
        ("TRANSP:TRANSPARENT", OmissionReason.FREE),
        ("transp:transparent", OmissionReason.FREE),
        ("X-MICROSOFT-CDO-BUSYSTATUS:FREE", OmissionReason.FREE),
    ],
)
def test_what_is_cancelled_or_free_is_left_out_and_counted(line: str, why: OmissionReason) -> None:
    part = event("DTSTART:20261123T090000Z", HOUR, line)
    assert read(part) == []
    assert left_out(part) == {(EntryKind.EVENT, why): 1}


@pytest.mark.parametrize(
    "line", ["STATUS:TENTATIVE", "STATUS:CONFIRMED", "X-MICROSOFT-CDO-BUSYSTATUS:OOF"]
)
def test_what_may_be_or_is_elsewhere_counts(line: str) -> None:
    assert read(event("DTSTART:20261123T090000Z", HOUR, line)) == ["23 10:00–11:00"]


# Series and what was changed in them


def test_one_day_of_a_series_is_cancelled_moved_and_marked_as_free() -> None:
    def changed(day: int, *lines: str) -> bytes:
        return event("UID:s", f"RECURRENCE-ID:202611{day}T090000Z", *lines)

    series = event("UID:s", "DTSTART:20261120T090000Z", HOUR, "RRULE:FREQ=DAILY;COUNT=6")
    same = "DTSTART:202611{}T090000Z"
    changes = (
        changed(22, same.format(22), HOUR, "STATUS:CANCELLED"),
        changed(23, "DTSTART:20261123T150000Z", "DURATION:PT2H"),
        changed(24, same.format(24), HOUR, "TRANSP:TRANSPARENT"),
    )
    expected = ["21 10:00–11:00", "23 16:00–18:00", "25 10:00–11:00"]
    assert read(series, *changes) == expected
    assert read(*changes, series) == expected


def test_the_last_version_of_a_changed_day_counts() -> None:
    series = event("UID:s", "DTSTART:20261123T090000Z", HOUR, "RRULE:FREQ=DAILY;COUNT=1")
    change = "UID:s", "RECURRENCE-ID:20261123T090000Z"
    first = event(*change, "SEQUENCE:1", "DTSTART:20261124T090000Z", HOUR)
    second = event(*change, "SEQUENCE:2", "DTSTART:20261125T090000Z", HOUR)
    assert read(series, second, first) == ["25 10:00–11:00"]


def test_a_changed_day_whose_series_is_elsewhere_stands_by_itself() -> None:
    alone = event("UID:s", "RECURRENCE-ID:20261101T090000Z", "DTSTART:20261123T090000Z", HOUR)
    assert read(alone) == ["23 10:00–11:00"]


def test_exceptions_and_extra_dates() -> None:
    series = event(
        "DTSTART:20261121T090000Z",
        HOUR,
        "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:20261122T090000Z",
        "RDATE:20261125T090000Z,20261126T090000Z",
    )
    assert [one[:2] for one in read(series)] == ["21", "23", "25", "26"]


def test_extra_dates_with_lengths_of_their_own() -> None:
    series = event("DTSTART:20261123T090000Z", HOUR, "RDATE;VALUE=PERIOD:20261124T090000Z/PT3H")
    assert read(series) == ["23 10:00–11:00", "24 10:00–13:00"]


def test_rules_people_keep() -> None:
    def starts(rule: str, start: str = "20261102T090000Z") -> list[str]:
        return [one[:2] for one in read(event(f"DTSTART:{start}", HOUR, f"RRULE:{rule}"))]

    assert starts("FREQ=WEEKLY;BYDAY=MO,WE") == ["23", "25"]
    assert starts("FREQ=WEEKLY;INTERVAL=2", "20261110T090000Z") == ["24"]
    assert starts("FREQ=MONTHLY;BYDAY=-1FR") == ["27"]
    assert starts("FREQ=MONTHLY;BYMONTHDAY=-3") == ["28"]
    assert starts("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH") == ["26"]
    assert starts("FREQ=DAILY;UNTIL=20261123T090000Z") == ["21", "22", "23"]
    assert starts("FREQ=DAILY;BYHOUR=9,17;COUNT=100;BYDAY=SA") == ["21", "21", "28", "28"]
    assert starts("FREQ=DAILY", "19700101T090000Z") == [str(n) for n in range(21, 30)]


def test_two_events_that_share_a_name_are_two() -> None:
    first = event("UID:same", "DTSTART:20261123T090000Z", HOUR)
    second = event("UID:same", "DTSTART:20261124T090000Z", HOUR)
    assert read(first, second) == ["23 10:00–11:00", "24 10:00–11:00"]


def test_of_two_versions_of_an_event_the_newer_counts() -> None:
    old = event("UID:same", "SEQUENCE:1", "DTSTART:20261123T090000Z", HOUR)
    new = event("UID:same", "SEQUENCE:2", "DTSTART:20261124T090000Z", HOUR)
    assert read(new, old) == ["24 10:00–11:00"]
    assert left_out(new, old) == {(EntryKind.EVENT, OmissionReason.SUPERSEDED): 1}


@pytest.mark.parametrize(
    "newer",
    [
        ("STATUS:CANCELLED", "DTSTART:20261123T090000Z", HOUR),
        ("STATUS:CANCELLED",),
        ("TRANSP:TRANSPARENT", "DTSTART:20261123T090000Z", HOUR),
        ("DTSTART:20271123T090000Z", HOUR),
        ("DTSTART:20231123T090000Z", HOUR),
    ],
    ids=["cancelled", "cancelled without times", "made free", "a year later", "three years ago"],
)
def test_a_newer_version_that_takes_no_time_here_still_replaces_the_old(
    newer: tuple[str, ...],
) -> None:
    old = event("UID:same", "SEQUENCE:1", "DTSTART:20261123T090000Z", HOUR)
    new = event("UID:same", "SEQUENCE:2", *newer)
    assert read(old) == ["23 10:00–11:00"]
    assert read(old, new) == read(new, old) == []
    assert left_out(old, new)[EntryKind.EVENT, OmissionReason.SUPERSEDED] == 1


def test_a_newer_version_that_cannot_be_read_replaces_nothing() -> None:
    old = event("UID:same", "SEQUENCE:1", "DTSTART:20261123T090000Z", HOUR)
    assert read(old, event("UID:same", "SEQUENCE:2", "DTSTART:whenever")) == ["23 10:00–11:00"]


def test_a_series_that_is_cancelled_takes_its_changed_days_along() -> None:
    series = event("UID:s", "DTSTART:20261123T090000Z", HOUR, "RRULE:FREQ=DAILY;COUNT=3")
    change = event("UID:s", "RECURRENCE-ID:20261124T090000Z", "DTSTART:20261124T150000Z", HOUR)
    cancelled = event(
        *("UID:s", "SEQUENCE:1", "STATUS:CANCELLED", "DTSTART:20261123T090000Z", HOUR),
        "RRULE:FREQ=DAILY;COUNT=3",
    )
    assert len(read(series, change)) == 3
    assert read(series, change, cancelled) == []


def test_a_calendar_that_calls_everything_off_takes_no_time_and_says_so() -> None:
    off = event("DTSTART:20261123T090000Z", HOUR)
    assert read(off, head="METHOD:CANCEL\r\n") == []
    assert left_out(off, head="METHOD:CANCEL\r\n") == {
        (EntryKind.EVENT, OmissionReason.CANCELLED): 1
    }
    on = calendar(event("DTSTART:20261124T090000Z", HOUR))
    assert times(calendar(off, head="METHOD:CANCEL\r\n") + on) == ["24 10:00–11:00"]


def test_days_that_a_rule_takes_out_count_and_that_is_said() -> None:
    series = event(
        *("DTSTART:20261123T090000Z", HOUR, "RRULE:FREQ=DAILY;COUNT=2"),
        "EXRULE:FREQ=SECONDLY",
    )
    assert read(series) == ["23 10:00–11:00", "24 10:00–11:00"]
    assert left_out(series) == {(EntryKind.SERIES, OmissionReason.EXCEPTIONS): 1}


# Tables of busy times, and shapes


def test_a_table_of_busy_times() -> None:
    table = busy_table(
        "DTSTART:20261121T000000Z",
        "FREEBUSY;FBTYPE=BUSY:20261123T090000Z/PT1H,20261124T090000Z/20261124T110000Z",
        "FREEBUSY;FBTYPE=FREE:20261125T090000Z/PT1H",
        "FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20261126T090000Z/PT1H",
        "FREEBUSY:20261127T090000Z/PT1H",
    )
    assert read(table) == [
        *("23 10:00–11:00", "24 10:00–12:00", "26 10:00–11:00", "27 10:00–11:00"),
    ]


def test_only_events_and_busy_times_are_read() -> None:
    todo = event("DTSTART:20261123T090000Z", HOUR).replace(b"VEVENT", b"VTODO")
    assert read(todo) == []


def test_several_calendars_in_one_file_are_all_read() -> None:
    one = calendar(event("DTSTART:20261123T090000Z", HOUR))
    other = calendar(event("DTSTART:20261124T090000Z", HOUR))
    assert times(one + other) == ["23 10:00–11:00", "24 10:00–11:00"]


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r"])
@pytest.mark.parametrize("width", [1, 2, 7, 74])
def test_lines_are_put_together_wherever_they_are_folded(end: bytes, width: int) -> None:
    plain = calendar(event("DTSTART;TZID=Europe/Berlin:20261123T090000", HOUR))
    folded = end.join(
        (end + b" ").join(line[at : at + width] for at in range(0, len(line), width))
        for line in plain.splitlines()
    )
    assert times(folded) == ["23 09:00–10:00"]


def test_what_a_library_failed_at_is_named_without_the_words_of_the_calendar() -> None:
    found = answer(
        calendar(event("DTSTART:20261123T090000Z", HOUR, "RRULE:FREQ=DAILY", "EXDATE:mango"))
    )
    ((fault, n),) = found["faults"]
    assert n == 1 and "mango" not in fault
    assert re.fullmatch(r"\w+ at \w+\.py:\d+", fault)
    assert ("series", "it cannot be read", 1) in [tuple(one) for one in found["dropped"]]
