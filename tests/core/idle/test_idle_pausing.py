"""Tests of pauses: how long they last, and how lengths and times are put into words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from lull.core.idle.pausing import FOR_EVER, Pause, PauseLength, new_pause
from lull.core.idle.signals import ClockReading, asleep_gap_s
from lull.core.text import durations as spans

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 15, 0, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("length", "until"),
    [
        ("30m", datetime(2026, 11, 18, 15, 30, tzinfo=BERLIN)),
        ("1h", datetime(2026, 11, 18, 16, 0, tzinfo=BERLIN)),
        ("8h", datetime(2026, 11, 18, 23, 0, tzinfo=BERLIN)),
        ("tomorrow", datetime(2026, 11, 19, 8, 0, tzinfo=BERLIN)),
        ("for-good", FOR_EVER),
    ],
)
def test_the_words_of_a_pause(length: str, until: datetime) -> None:
    assert new_pause(PauseLength(length), NOW).until == until


def test_eight_hours_through_the_night_that_is_longer_are_eight_hours() -> None:
    evening = datetime(2026, 10, 24, 22, 0, tzinfo=BERLIN)
    until = new_pause(PauseLength.EIGHT_HOURS, evening).until
    assert until == datetime(2026, 10, 25, 5, 0, tzinfo=BERLIN)


def test_tomorrow_on_a_day_that_begins_an_hour_early() -> None:
    until = new_pause(PauseLength.TOMORROW, datetime(2026, 3, 28, 23, 0, tzinfo=BERLIN)).until
    assert until.astimezone(BERLIN).strftime("%d %H:%M") == "29 08:00"


def test_a_pause_is_over_when_its_time_has_come() -> None:
    pause = new_pause(PauseLength.HOUR, NOW)
    assert not pause.over(NOW + timedelta(minutes=59))
    assert pause.over(NOW + timedelta(minutes=60))
    assert not new_pause(PauseLength.FOR_GOOD, NOW).over(NOW + timedelta(days=3650))


def test_a_clock_put_back_behind_its_beginning_does_not_make_a_pause_longer() -> None:
    pause = new_pause(PauseLength.HALF_HOUR, NOW)
    yesterday = NOW - timedelta(days=1)
    assert pause.after_clock_change(yesterday).until == yesterday + timedelta(minutes=30)
    assert pause.after_clock_change(NOW + timedelta(minutes=10)) == pause
    for_good = Pause(asked_at=NOW.astimezone(UTC), until=FOR_EVER)
    assert for_good.after_clock_change(yesterday).until == FOR_EVER


def test_tomorrow_stays_the_morning_when_the_clock_is_put_back() -> None:
    pause = new_pause(PauseLength.TOMORROW, NOW)
    assert pause.after_clock_change(NOW - timedelta(hours=1)).until == pause.until
    yesterday = pause.after_clock_change(NOW - timedelta(days=1)).until
    assert yesterday == datetime(2026, 11, 18, 8, 0, tzinfo=BERLIN)


# Times in words


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (60, "1 min"),
        (90, "90 s"),
        (120, "2 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (12_000, "3 h 20 min"),
        (90_000, "1 d 1 h"),
        (172_800, "2 d"),
        (float("inf"), "ever"),
    ],
)
def test_lengths_in_words(seconds: float, text: str) -> None:
    assert spans.format_duration(seconds) == text


def test_times_of_day_name_their_day_when_it_is_another() -> None:
    assert spans.format_time(NOW + timedelta(hours=1), NOW) == "16:00"
    assert spans.format_time(NOW + timedelta(hours=10), NOW) == "tomorrow 01:00"
    assert spans.format_time(NOW + timedelta(days=3), NOW) == "Saturday 15:00"
    assert spans.format_time(NOW + timedelta(days=30), NOW) == "2026-12-18 15:00"


# Was the machine asleep?


def gap(wall_s: float, monotonic_s: float, expected_s: float = 15.0) -> float:
    then = ClockReading(now=NOW.astimezone(UTC), monotonic_s=100.0)
    this = ClockReading(now=then.now + timedelta(seconds=wall_s), monotonic_s=100.0 + monotonic_s)
    return asleep_gap_s(then, this, expected_s=expected_s)


def test_nine_hours_of_sleep_are_seen_on_either_kind_of_clock() -> None:
    assert gap(32_415, 15) == pytest.approx(32_400)
    assert gap(32_415, 32_415) == pytest.approx(32_400)


def test_a_look_that_comes_a_little_late_is_no_sleep() -> None:
    assert gap(40, 40) == 0.0


def test_a_clock_put_back_is_no_sleep() -> None:
    assert gap(-3585, 15) == 0.0
