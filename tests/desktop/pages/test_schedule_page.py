"""Tests of the schedule page: what was, what is planned, hours that are drawn, calendars."""

from __future__ import annotations

from datetime import datetime, timedelta
from statistics import median
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import now
from lull.desktop.pages.schedule.page import SchedulePage
from lull.desktop.pages.schedule.week_bars import Bar, BarKind, bars_of, joined, list_rows
from lull.desktop.pages.schedule.week_editor import WeekEditor
from lull.desktop.service.state import Subject, shown_week
from lull.desktop.shared.feed_dialog import FeedDialog
from lull.desktop.shared.tray_status import blocks_work
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import scheduled
from tests.desktop.scripted import Scripted, learning, status

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 12, 0, tzinfo=ZONE)


def at(**more: float) -> str:
    return (NOW + timedelta(**more)).isoformat()


# What the picture shows


def test_what_is_left_to_do_is_planned_from_when_a_lull_is_expected() -> None:
    work = [
        {"kind": "proof", "text": "Proving lists", "left_s": 1800.0},
        {"kind": "step", "text": "Nothing", "left_s": 0.0},
        {"kind": "step", "text": "Training", "left_s": 3600.0},
    ]
    found = bars_of({}, learning(next=at(hours=2), work=work), NOW.date(), NOW)
    assert [(bar.kind, bar.text) for bar in found] == [
        (BarKind.PLANNED, "Proving lists"),
        (BarKind.PLANNED, "Training"),
    ]
    assert [bar.start.hour for bar in found] == [14, 14]
    assert found[1].start == found[0].end
    (running, _) = bars_of({}, learning("working", work=work), NOW.date(), NOW)
    assert running.start == NOW
    assert bars_of({}, learning(work=work), NOW.date(), NOW) == []


def test_planned_works_of_minutes_that_follow_on_each_other_are_drawn_as_one_bar() -> None:
    work = [{"kind": "proof", "text": name, "left_s": 240.0} for name in ("Lists", "Tables")]
    found = bars_of({}, learning("working", work=work), NOW.date(), NOW)
    night = Bar(kind=BarKind.PLANNED, start=NOW + timedelta(hours=9), end=NOW + timedelta(hours=10))
    (one, other) = joined([*found, night])
    assert (one.start, one.end, other) == (found[0].start, found[1].end, night)
    away = Bar(kind=BarKind.AWAY, start=NOW, end=NOW + timedelta(hours=1))
    assert joined([found[0], away, away]) == [found[0], away, away]
    assert [row[3] for row in list_rows(found, NOW)] == ["Lists", "Tables"]
    gone = Bar(kind=BarKind.AWAY, start=NOW - timedelta(hours=2), end=NOW, text="away")
    earlier = Bar(kind=BarKind.AWAY, start=NOW - timedelta(hours=4), end=NOW, text="before")
    rows = list_rows([gone, *found, earlier], NOW)
    assert [row[3] for row in rows] == ["Lists", "Tables", "away", "before"]


@pytest.mark.parametrize("minutes", [3, 12])
def test_a_planned_work_of_minutes_is_drawn_as_a_filled_bar(on_script: Shown, minutes: int) -> None:
    """An empty frame, a few pixels wide, was read as the digit 0."""
    week = on_script.go(PageName.SCHEDULE).findChild(WeekEditor)
    assert week is not None
    start = datetime(2026, 11, 18, 6, 0, tzinfo=ZONE)
    planned = Bar(kind=BarKind.PLANNED, start=start, end=start + timedelta(minutes=minutes))
    week.show_bars([planned], NOW.date(), NOW + timedelta(days=9))
    on_script.until(lambda: week.width() > 300)
    image = week.grab().toImage()
    left = round(week.label_width + 6 * week.hour_width)
    wide = range(left - 2, left + round(max(4.0, minutes / 60 * week.hour_width)) + 2)
    high = range(*(round(week.header_height + part * week.day_height) for part in (0.4, 0.9)))
    ink = [sum(255 - image.pixelColor(x, y).red() for x in wide) for y in high]
    drawn = [one for one in ink if one > 2 * min(ink)]
    assert len(drawn) > 5 and max(drawn[1:-1]) < 2 * median(drawn), "it is filled"
    middle = image.pixelColor((wide[0] + wide[-1]) // 2, high[len(high) // 2])
    assert middle != image.pixelColor(wide[0] - 8, high[0])


def test_the_list_of_the_week_stands_under_its_picture(
    on_script: Shown, scripted: Scripted
) -> None:
    times = {"start": now() - timedelta(minutes=2), "end": now() - timedelta(minutes=1)}
    idle = {**{key: time.isoformat() for key, time in times.items()}, "seen_to_end": True}
    scripted.answers[routes.WINDOWS] = {"windows": [], "idle": [idle], "events": [], "hours": {}}
    page = on_script.go(PageName.SCHEDULE)
    assert isinstance(page, SchedulePage)
    on_script.until(lambda: page.list.isVisible() and page.list.height() > 100)
    at = [one.mapTo(page, QPoint()).y() for one in (page.week, page.list, *page.hours.values())]
    assert at == sorted(at)


def test_a_week_in_which_nothing_was_has_no_empty_list(
    on_script: Shown, scripted: Scripted
) -> None:
    nothing: Json = {"windows": [], "idle": [], "events": [], "hours": {}}
    scripted.answers[routes.WINDOWS] = nothing
    scripted.answers[routes.LEARNING] = {**learning(), "planned": []}
    page = on_script.go(PageName.SCHEDULE)
    assert isinstance(page, SchedulePage)
    on_script.until(lambda: page.showing_body and page.week.isVisible())
    page.state.touch(Subject.WINDOWS)
    on_script.until(lambda: page.list.rowCount() == 0)
    assert not page.list.isVisible()


def test_when_nobody_was_here_is_shown_beside_the_lulls_and_in_the_list() -> None:
    windows = {"idle": [{"start": at(hours=-2), "end": at(hours=-1), "seen_to_end": True}]}
    found = bars_of(windows, {}, NOW.date(), NOW)
    assert [bar.kind for bar in found] == [BarKind.IDLE]
    assert list_rows(found, NOW) == [("Wed 18 Nov", "10:00–11:00", "you were away", "")]


def test_hours_that_nobody_can_read_leave_the_rest_standing() -> None:
    windows = {"hours": {"blocked": ["tea time", "09:00-10:00"]}}
    assert {bar.text for bar in bars_of(windows, {}, NOW.date(), NOW)} == {"09:00-10:00"}


def test_only_what_keeps_lull_from_working_is_a_reason() -> None:
    conditions = [("input", "unknown"), ("heat", "unknown"), ("power", "closed"), ("wait", "open")]
    named = [{"name": name, "state": state, "text": ""} for name, state in conditions]
    assert [one["name"] for one in named if blocks_work(one)] == ["input", "power"]


# Drawing hours


def drawing(shown: Shown, scripted: Scripted) -> tuple[SchedulePage, WeekEditor]:
    page = scheduled(shown, scripted)
    scripted.answers[routes.SETTINGS] = {"key": "idle.blocked_hours", "restart_needed": False}
    return page, page.week


def point(week: WeekEditor, day: int, hour: float) -> QPoint:
    x, y = (
        week.label_width + hour * week.hour_width,
        week.header_height + (day + 0.5) * week.day_height,
    )
    return QPointF(x, y).toPoint()


def drag(shown: Shown, week: WeekEditor, day: int, start: float, end: float) -> None:
    shown.bot.mousePress(week, Qt.MouseButton.LeftButton, pos=point(week, day, start))
    shown.bot.mouseMove(week, point(week, day, end))
    shown.bot.mouseRelease(week, Qt.MouseButton.LeftButton, pos=point(week, day, end))


def day_name(week: WeekEditor, day: int) -> str:
    return ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[week.weekday(day)]


def test_dragging_along_a_day_blocks_hours_and_undo_takes_it_back(
    on_script: Shown, scripted: Scripted
) -> None:
    _, week = drawing(on_script, scripted)
    drag(on_script, week, 2, 9.02, 11.02)
    wanted = {"key": "idle.blocked_hours", "value": f"{day_name(week, 2)} 09:00-11:00"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])
    on_script.until(lambda: "The hours are set." in on_script.told)
    on_script.desktop.window.note.undo.click()
    undone = {"key": "idle.blocked_hours", "value": ""}
    on_script.until(lambda: scripted.posts(routes.SETTINGS)[-1] == undone)


def test_dragging_over_what_is_set_takes_it_away(on_script: Shown, scripted: Scripted) -> None:
    page, week = drawing(on_script, scripted)
    page.kind.setCurrentIndex(page.kind.findData("sleep"))
    page._show_week()
    drag(on_script, week, 1, 6.02, 7.02)  # 23:00-07:00 is set for every day
    assert page._hint.text().startswith("Drag to add hours"), "what was done is no longer announced"
    on_script.until(lambda: scripted.posts(routes.SETTINGS))
    (sent,) = scripted.posts(routes.SETTINGS)
    assert sent["key"] == "idle.sleep_hours"
    assert f"{day_name(week, 0)} 23:00-06:00" in sent["value"]


def test_hours_are_drawn_with_the_keyboard_alone(on_script: Shown, scripted: Scripted) -> None:
    page, week = drawing(on_script, scripted)
    on_script.activate()
    week.setFocus(Qt.FocusReason.TabFocusReason)
    on_script.until(week.hasFocus)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right):
        on_script.bot.keyClick(week, key)
    on_script.bot.keyClick(week, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert "08:30–09:30: add these hours" in page._hint.text()
    assert week.accessibleDescription() == page._hint.text()
    on_script.bot.keyClick(week, Qt.Key.Key_Return)
    value = f"{day_name(week, 1)} 08:30-09:30"
    on_script.until(lambda: [b["value"] for b in scripted.posts(routes.SETTINGS)] == [value])
    on_script.bot.keyClick(week, Qt.Key.Key_Escape)
    assert week.marked_span is None


def test_a_point_of_the_picture_says_what_stands_there(
    on_script: Shown, scripted: Scripted
) -> None:
    _, week = drawing(on_script, scripted)
    assert "sleep hours · 23:00-07:00" in week.bars_text_at(QPointF(point(week, 1, 3.0)))
    assert week.bars_text_at(QPointF(point(week, 1, 12.0))) == ""
    assert week.bars_text_at(QPointF(2, 2)) == ""


def test_a_calendar_says_how_it_is_and_can_be_removed(on_script: Shown, scripted: Scripted) -> None:
    from PySide6.QtWidgets import QLabel, QPushButton

    problem = {"title": "Gone", "detail": "The server answers 404.", "hint": ""}
    scripted.answers[routes.CALENDARS] = {
        "calendars": [
            {"id": "cal_1", "label": "Work", "host": "example.org", "means": "busy", "seen": None,
             "ahead": 0, "dropped": [{"what": "series", "why": "too often", "n": 2}],
             "problem": problem}
        ]
    }  # fmt: skip
    scripted.answers[routes.CALENDAR_REMOVE] = {"problem": None}
    scripted.answers[routes.STATUS] = status()
    page = scheduled(on_script, scripted)

    def feed() -> str:
        return next((x.text() for x in page.findChildren(QLabel) if "Work" in x.text()), "")

    on_script.until(feed)
    for words in ("Lull waits", "not read yet", "2 left out", "The server answers 404."):
        assert words in feed()
    next(b for b in page.findChildren(QPushButton) if b.accessibleName() == "Remove Work").click()
    on_script.until(lambda: scripted.posts(routes.CALENDAR_REMOVE) == [{"calendar": "cal_1"}])


def test_a_calendar_is_named_its_file_read_and_its_days_told(
    on_script: Shown, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = on_script.go(PageName.SCHEDULE)
    dialog = FeedDialog(page.kit, page)
    dialog.open()
    dialog.address.setText("https://calendar.example/private.ics")
    assert dialog.address.echoMode() is not QLineEdit.EchoMode.Normal
    assert "keychain" in dialog.kept.text() and dialog.kept.isVisible()
    chosen = ("/home/me/work.ics", "")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: chosen)
    dialog.browse.click()
    assert dialog.address.text() == chosen[0]
    assert dialog.address.echoMode() is QLineEdit.EchoMode.Normal
    assert not dialog.kept.isVisible()
    event = {"start": "2026-11-23T12:00:00+00:00", "end": "2026-11-23T13:00:00+00:00"}
    scripted.answers[routes.CALENDARS_TEST] = {"events": [event], "dropped": []}
    dialog.test.click()
    on_script.until(dialog.preview.toPlainText)
    at = datetime.fromisoformat(event["start"]).astimezone()  # here, wherever that is
    day = ("Mon", "Tue")[at.weekday()]
    assert dialog.preview.toPlainText().startswith(f"{day} {at.day} {at:%b %Y %H:%M}")
    dialog.named.setText("Work")
    dialog.add.click()
    on_script.until(lambda: scripted.posts(routes.CALENDARS))
    assert scripted.posts(routes.CALENDARS)[0]["label"] == "Work"


# What is ahead


def test_events_up_to_the_end_of_the_shown_week_are_asked_for_and_shown(
    on_script: Shown, scripted: Scripted
) -> None:
    at = now()
    _, last = shown_week(at)
    ahead = [at + timedelta(days=days, minutes=5) for days in (0, 1, 2)]
    ahead.append(last - timedelta(minutes=1))

    def windows(query: Json) -> Json:
        until = datetime.fromisoformat(query["to"].replace(" ", "+")) if "to" in query else at
        events = [
            {
                "start": start.isoformat(),
                "end": (start + timedelta(minutes=1)).isoformat(),
                "kind": "busy",
                "label": "work",
            }
            for start in ahead
            if start < until
        ]
        hours = {"sleep": [], "allowed": [], "blocked": []}
        return {"windows": [], "events": events, "hours": hours}

    scripted.answers[routes.WINDOWS] = windows
    page = on_script.go(PageName.SCHEDULE)
    assert isinstance(page, SchedulePage)
    on_script.until(lambda: page.list.rowCount() >= 4)


def test_the_shown_week_begins_and_ends_at_midnight_across_a_clock_change() -> None:
    start, end = shown_week(datetime(2026, 10, 24, 23, 0, tzinfo=ZONE))
    assert (start.isoformat(), end.isoformat()) == (
        "2026-10-21T00:00:00+02:00",
        "2026-10-28T00:00:00+01:00",
    )


def test_opening_the_schedule_reads_what_a_feed_has_brought_since(
    on_script: Shown, scripted: Scripted
) -> None:
    scheduled(on_script, scripted)
    before = len([path for _, path, _ in scripted.asked if path == routes.WINDOWS])
    on_script.go(PageName.TODAY)
    on_script.go(PageName.SCHEDULE)
    on_script.until(
        lambda: len([path for _, path, _ in scripted.asked if path == routes.WINDOWS]) > before
    )
