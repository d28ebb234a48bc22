"""Tests of `remaining_events`: however many events a feed holds, few merged ones remain."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from lull.core.calendars.event import CalendarEvent, Meaning, remaining_events

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def event(
    start_min: float, end_min: float, *, kind: Meaning = Meaning.BUSY, feed: str = "cal_1"
) -> CalendarEvent:
    start, end = (NOW + timedelta(minutes=minutes) for minutes in (start_min, end_min))
    return CalendarEvent(start=start, end=end, kind=kind, feed=feed)


def test_what_is_over_goes_and_what_is_on_stays() -> None:
    assert remaining_events([event(-60, 0), event(-60, 1), event(5, 6)], NOW) == (
        event(-60, 1),
        event(5, 6),
    )


def test_stretches_of_one_feed_that_touch_are_one() -> None:
    found = [event(20, 30), event(0, 10), event(10, 20), event(12, 15), event(31, 40)]
    assert remaining_events(found, NOW) == (event(0, 30), event(31, 40))


def test_feeds_and_meanings_are_kept_apart() -> None:
    found = (event(0, 10), event(5, 20, feed="cal_2"), event(6, 20, kind=Meaning.AWAY))
    assert remaining_events(found, NOW) == found


def test_twenty_thousand_are_few_and_what_is_on_now_is_among_them() -> None:
    many = [event(n, n + 0.5, kind=Meaning.AWAY) for n in range(20_000)]
    found = remaining_events([*many, event(600, 700)], NOW, most=50)
    assert found == (*many[:50], event(600, 700)), "a call is not crowded out by meetings"
    assert len(remaining_events(reversed(many), NOW)) == 500
