"""Tests of the doctor's checks of lulls: signals of the user, the idle watch, and calendars."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lull.core.calendars.event import Meaning
from lull.core.calendars.feeds import Feed, FeedReading, FeedUnreachable
from lull.core.idle.hours import parse_hours
from lull.core.idle.policy import decide
from lull.core.idle.rule import IdleRule
from lull.core.idle.signals import IdleSignals, Unknown
from lull.service.idle import checks as lull_checks

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
UNKNOWN = Unknown("there is no display")


def window(rule: IdleRule | None = None, **signals: Any) -> Any:
    seen = IdleSignals(now=NOW, monotonic_s=1e4, **{"input_idle_s": 900.0, **signals})
    return decide(seen, settings=rule or IdleRule())


def feed(label: str = "Work", *, read_h: float | None = 0.0, failed: bool = False) -> Feed:
    made = Feed(
        id=f"cal_{label}",
        label=label,
        host="example.org",
        path="",
        means=Meaning.BUSY,
        private=False,
        added_at=NOW,
        tried_at=NOW,
        due=NOW,
    )
    if read_h is not None:
        made = made.after_success(
            FeedReading(events=()), now=NOW - timedelta(hours=read_h), draw=0.5
        )
    if failed:
        error = FeedUnreachable("Lull can't connect to its server.", hint="Try later.")
        made = made.after_failure(error, now=NOW, draw=0.5)
    return made


def test_a_user_who_is_seen_is_well() -> None:
    assert lull_checks.idle_source(window())["ok"]
    assert lull_checks.idle_source(window(input_idle_s=1.0))["ok"]


@pytest.mark.parametrize("rule", [IdleRule(), IdleRule(sleep_hours=(parse_hours("10:00-14:00"),))])
def test_a_user_whom_nothing_sees_is_told_with_what_to_do(rule: IdleRule) -> None:
    found = lull_checks.idle_source(window(rule, input_idle_s=UNKNOWN))
    assert (found["ok"], found["serious"]) == (False, False)
    assert "there is no display" in found["text"] and "idle.source" in found["hint"]


def test_a_watch_that_stands_is_told() -> None:
    assert lull_checks.lulls(window(), watching=True)["ok"]
    assert not lull_checks.lulls(window(), watching=False)["ok"]


def test_hours_that_leave_nothing_are_told() -> None:
    never = window(IdleRule(blocked_hours=(parse_hours("00:00-24:00"),)))
    assert "idle.blocked_hours" in lull_checks.lulls(never, watching=True)["hint"]
    night = window(IdleRule(blocked_hours=(parse_hours("10:00-14:00"),)))
    assert lull_checks.lulls(night, watching=True)["ok"]


def test_the_calendar_that_was_lost_is_told_before_one_that_is_old() -> None:
    assert lull_checks.calendars([], NOW)["ok"]
    assert lull_checks.calendars([feed()], NOW)["ok"]
    old, lost = feed("Home", read_h=2, failed=True), feed(read_h=30, failed=True)
    found = lull_checks.calendars([old, lost, feed("Fine")], NOW)
    assert found["text"] == (
        "“Work” was read 1 d 6 h ago, which is too old to be used."
        " Lull can't connect to its server. And 1 more."
    )
    assert (found["ok"], found["hint"]) == (False, "Try later.")
    assert "still used" in lull_checks.calendars([old], NOW)["text"]
    assert "never been read" in lull_checks.calendars([feed(read_h=None)], NOW)["text"]
