"""Tests of weekly hours in settings, also when the clock is put forward or back."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lull.core.idle.hours import HoursRange, inside, next_change, parse_hours, reads

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")  # half an hour of daylight saving
SANTIAGO = ZoneInfo("America/Santiago")  # the clock is put forward at midnight
UTC_ZONE = ZoneInfo("UTC")


def at(text: str, zone: ZoneInfo = BERLIN, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)


# What a line says


@pytest.mark.parametrize(
    ("line", "days", "start", "end"),
    [
        ("mon-fri 23:00-07:00", {0, 1, 2, 3, 4}, 23 * 60, 31 * 60),
        ("22:00-06:00", set(range(7)), 22 * 60, 30 * 60),
        ("daily 9:00-10:30", set(range(7)), 540, 630),
        ("sat,sun 00:00-09:30", {5, 6}, 0, 570),
        ("sat sun 00:00-09:30", {5, 6}, 0, 570),
        ("weekends 00:00-24:00", {5, 6}, 0, 1440),
        ("Weekdays 12:00 - 13:00", {0, 1, 2, 3, 4}, 720, 780),
        ("fri-mon 20:00-21:00", {4, 5, 6, 0}, 1200, 1260),
        ("Monday, wed 8:00–9:00", {0, 2}, 480, 540),
        ("tue - thu 1:00-1:00", {1, 2, 3}, 60, 60 + 1440),
    ],
)
def test_a_line_is_read(line: str, days: set[int], start: int, end: int) -> None:
    assert parse_hours(line) == HoursRange(days=frozenset(days), start_min=start, end_min=end)
    assert reads(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "mon",
        "9-17",
        "25:00-26:00",
        "24:00-01:00",
        "09:60-10:00",
        "xyz 09:00-10:00",
        "mo 09:00-10:00",
        "mon-tue-wed 09:00-10:00",
        "mon- 09:00-10:00",
        "mon 09:00-10:00 11:00-12:00",
        "09:00",
    ],
)
def test_a_line_that_says_no_hours_is_refused_in_words(line: str) -> None:
    assert not reads(line)
    with pytest.raises(ValueError, match=r'^".*"'):
        parse_hours(line)


# On the clock


@pytest.mark.parametrize(
    ("now", "within"),
    [
        ("2026-11-18T22:59:59", False),  # a Wednesday
        ("2026-11-18T23:00:00", True),
        ("2026-11-19T06:59:59", True),
        ("2026-11-19T07:00:00", False),
        ("2026-11-21T06:00:00", True),  # the night that began on Friday
        ("2026-11-21T23:30:00", False),  # Saturday
        ("2026-11-23T03:00:00", False),  # the night that began on Sunday
    ],
)
def test_a_night_belongs_to_the_day_on_which_it_begins(now: str, within: bool) -> None:
    assert inside([parse_hours("mon-fri 23:00-07:00")], at(now)) is within


def changes(line: str, start: datetime, count: int) -> list[datetime]:
    found = []
    for _ in range(count):
        change = next_change([parse_hours(line)], start)
        assert change is not None
        found.append(change)
        start = change
    return found


def test_hours_that_the_clock_skips_do_not_happen() -> None:
    begin, end = changes("02:00-02:30", at("2026-03-28T03:00:00"), 2)
    assert begin == at("2026-03-30T02:00:00")
    assert end == at("2026-03-30T02:30:00")


def test_hours_that_begin_in_the_skipped_hour_begin_behind_it() -> None:
    begin, end = changes("02:30-05:00", at("2026-03-29T00:00:00"), 2)
    assert begin == at("2026-03-29T03:00:00")
    assert end == at("2026-03-29T05:00:00")
    assert end.astimezone(UTC) - begin.astimezone(UTC) == timedelta(hours=2)


def test_hours_that_the_clock_shows_twice_happen_twice() -> None:
    found = changes("02:00-02:30", at("2026-10-25T00:00:00"), 4)
    in_real_time = [one.astimezone(UTC).strftime("%H:%M") for one in found]
    assert in_real_time == ["00:00", "00:30", "01:00", "01:30"]


def test_a_night_with_the_doubled_hour_is_an_hour_longer() -> None:
    begin, end = changes("23:00-07:00", at("2026-10-24T12:00:00"), 2)
    assert end.astimezone(UTC) - begin.astimezone(UTC) == timedelta(hours=9)


def test_a_night_with_the_skipped_hour_is_an_hour_shorter() -> None:
    begin, end = changes("23:00-07:00", at("2026-03-28T12:00:00"), 2)
    assert end.astimezone(UTC) - begin.astimezone(UTC) == timedelta(hours=7)


def test_half_an_hour_of_daylight_saving() -> None:
    # On 4 October 2026 the clock goes from 02:00 to 02:30, on 5 April from 02:00 back to 01:30.
    short = changes("01:00-03:00", at("2026-10-03T12:00:00", LORD_HOWE), 2)
    long = changes("01:00-03:00", at("2026-04-04T12:00:00", LORD_HOWE), 2)
    spans = [end.astimezone(UTC) - begin.astimezone(UTC) for begin, end in (short, long)]
    assert spans == [timedelta(hours=1.5), timedelta(hours=2.5)]


def test_a_clock_that_is_put_forward_at_midnight() -> None:
    # On 6 September 2026 there is no hour from 00:00 to 01:00 in Santiago.
    begin, end = changes("00:00-02:00", at("2026-09-05T12:00:00", SANTIAGO), 2)
    assert begin.strftime("%d %H:%M") == "06 01:00"
    assert end.astimezone(UTC) - begin.astimezone(UTC) == timedelta(hours=1)


def test_hours_of_days_that_are_put_back_in_new_york() -> None:
    begin, end = changes("sun 01:30-01:45", at("2026-11-01T00:00:00", NEW_YORK), 2)
    again, _ = changes("sun 01:30-01:45", end, 2)
    assert again.astimezone(UTC) - begin.astimezone(UTC) == timedelta(hours=1)


def test_lines_that_leave_nothing_out_never_change() -> None:
    assert next_change([parse_hours("00:00-24:00")], at("2026-11-18T12:00:00")) is None
    assert next_change([], at("2026-11-18T12:00:00")) is None


def test_lines_that_touch_are_one() -> None:
    lines = [parse_hours("22:00-24:00"), parse_hours("00:00-06:00")]
    assert next_change(lines, at("2026-11-18T23:00:00")) == at("2026-11-19T06:00:00")


range_ = st.builds(
    lambda days, start, length: HoursRange(days=days, start_min=start, end_min=start + length),
    st.frozensets(st.integers(0, 6), min_size=1),
    st.integers(0, 1439),
    st.integers(1, 1440),
)
DST_DAYS = [
    date(2026, 3, 29),
    date(2026, 10, 25),
    date(2026, 3, 8),
    date(2026, 11, 1),
    date(2026, 4, 5),
    date(2026, 10, 4),
    date(2026, 9, 6),
    date(2026, 4, 4),
]


@pytest.mark.slow
@settings(max_examples=150)
@given(
    st.lists(range_, min_size=1, max_size=3),
    st.sampled_from([BERLIN, NEW_YORK, LORD_HOWE, SANTIAGO, UTC_ZONE]),
    st.sampled_from(DST_DAYS),
    st.integers(-1440, 1440),
)
def test_between_now_and_the_next_change_nothing_changes(
    lines: list[HoursRange], zone: ZoneInfo, day: date, minutes: int
) -> None:
    """Checked minute by minute in real time, which is slow but certainly right."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    start = noon + timedelta(minutes=minutes)
    change = next_change(lines, start.astimezone(zone))
    within = inside(lines, start.astimezone(zone))
    for minute in range(1, 2 * 1440):
        now = start + timedelta(minutes=minute)
        if change is not None and now >= change.astimezone(UTC):
            assert inside(lines, change) != within
            return
        assert inside(lines, now.astimezone(zone)) == within
