"""Tests of the journal of idle windows as JSON: its fields, its pages, and the allowed queries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.config.idle_settings import IdleSettings
from lull.contract.json_object import Json
from lull.core.calendars.event import Calendar, CalendarEvent, Meaning
from lull.core.errors import UsageError
from lull.core.idle.forecast import PastLull
from lull.service.idle.window_views import parse_window_query, windows_view
from lull.store.idle.windows import WindowRow, Windows, WorkDone
from tests.building import database_at

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[Windows]:
    database = database_at(tmp_path / "lull.db")
    made = Windows(database)
    for hour in range(5):
        at = NOON + timedelta(hours=hour)
        made.post(
            WindowRow(
                id=f"window_{hour}",
                opened_at=at,
                seen_at=at + timedelta(minutes=30),
                closed_at=at + timedelta(minutes=30) if hour < 4 else None,
                why_opened="No sign of you for 10 min.",
                why_closed="You are here." if hour < 4 else "",
                closed_by="input" if hour < 4 else "",
                used_s=600.0,
                done=(WorkDone(kind="proof", text="Proving lists", used_s=600.0, units=20),),
            )
        )
    database.flush()
    yield made
    database.close()


def page(windows: Windows, **query: str) -> Json:
    wanted = parse_window_query(query, NOON + timedelta(hours=6))
    call = CalendarEvent(start=NOON, end=NOON + timedelta(hours=1), kind=Meaning.BUSY, feed="cal_1")
    return windows_view(
        wanted,
        windows.between(wanted.start, wanted.end, limit=wanted.limit + 1),
        away=[PastLull(began_at=NOON, length_s=1800.0, seen_to_end=False)],
        events=[call],
        calendars=[Calendar(id="cal_1", label="Work", means=Meaning.BUSY)],
        idle=IdleSettings(sleep_hours=("23:00-07:00",)),
    )


def test_a_window_tells_when_why_and_for_what(windows: Windows) -> None:
    first, *_, last = page(windows)["windows"]
    assert first == {
        "id": "window_0",
        "opened": "2026-11-18T12:00:00+00:00",
        "closed": "2026-11-18T12:30:00+00:00",
        "seen": "2026-11-18T12:30:00+00:00",
        "length_s": 1800.0,
        "used_s": 600.0,
        "why_opened": "No sign of you for 10 min.",
        "why_closed": "You are here.",
        "closed_by": "input",
        "done": [
            {
                "kind": "proof",
                "text": "Proving lists",
                "used_s": 600.0,
                "units": 20,
                "finished": True,
            }
        ],
        "asked": False,
    }
    assert (last["id"], last["closed"], last["length_s"]) == ("window_4", None, 1800.0)


def test_calendars_and_hours_stand_beside_it(windows: Windows) -> None:
    shown = page(windows)
    assert [(event["label"], event["kind"]) for event in shown["events"]] == [("Work", "busy")]
    assert shown["hours"]["sleep"] == ["23:00-07:00"]
    assert page(windows, **{"from": "2026-11-18T14:00:00Z"})["events"] == []


def test_pages_hold_each_window_once(windows: Windows) -> None:
    seen, start = [], "2026-11-01T00:00:00Z"
    while start:
        shown = page(windows, **{"from": start, "limit": "2"})
        seen += [one["id"] for one in shown["windows"]]
        start = shown["next"]
    assert seen == [f"window_{hour}" for hour in range(5)]


def test_without_a_word_it_is_the_last_week() -> None:
    wanted = parse_window_query({}, NOON)
    assert (wanted.start, wanted.end) == (NOON - timedelta(days=7), NOON)


def test_a_plus_that_came_as_a_blank_is_a_plus() -> None:
    wanted = parse_window_query({"from": "2026-11-18T10:00:00 01:00"}, NOON)
    assert wanted.start == NOON - timedelta(hours=3)


@pytest.mark.parametrize(
    "query",
    [
        {"from": "soon"},
        {"from": "2026-11-18"},
        {"to": "2026-11-18T10:00:00"},
        {"from": "2026-11-18T13:00:00Z"},
        {"limit": "-1"},
        {"limit": "1001"},
        {"limit": "x"},
        {"limit": "٣"},
    ],
)
def test_what_cannot_be_asked_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        parse_window_query(query, NOON)


def test_when_the_user_was_away_is_told_beside_the_windows(windows: Windows) -> None:
    (away,) = page(windows)["idle"]
    assert away["start"] == NOON.isoformat()
    assert away["end"] == (NOON + timedelta(minutes=30)).isoformat()
    assert away["seen_to_end"] is False
