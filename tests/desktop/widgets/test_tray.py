"""Tests of the tray: nine entries, one line that is true, and the way to everything else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from lull.contract import routes
from lull.desktop.language.words import now
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.service.down_words import ServiceState, down_words
from lull.desktop.service.state import Subject
from lull.desktop.shared.teaching import CorrectionDialog
from lull.desktop.shared.tray_status import line_of, shape_of
from lull.desktop.widgets.icons import TrayShape
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown, live
from tests.desktop.scripted import Scripted, learning, status

AT = datetime(2026, 11, 21, 14, 0, tzinfo=timezone(timedelta(hours=1)))


def entries(shown: Shown) -> list[QAction]:
    assert shown.tray.menu is not None
    return [entry for entry in shown.tray.menu.actions() if not entry.isSeparator()]


def now_says(shown: Shown, scripted: Scripted, **more: object) -> None:
    scripted.answers[routes.STATUS] = status(**more)
    scripted.tell("lull")
    shown.until(lambda: shown.desktop.state.status == scripted.answers[routes.STATUS])


def test_it_has_nine_entries(on_script: Shown) -> None:
    words = [entry.text() for entry in entries(on_script)]
    assert len(words) == 9
    assert words[1:] == [
        "Open window",
        "Nothing to review",
        "Pause learning",
        "Train now",
        "Lull on",
        "Copy address",
        "Settings…",
        "Quit",
    ]
    assert not entries(on_script)[0].isEnabled()
    assert on_script.tray.tooltip == f"Lull: {words[0]}"


def test_it_counts_what_waits_for_review_and_opens_it(on_script: Shown, scripted: Scripted) -> None:
    now_says(on_script, scripted, skills={"active": 1, "proposals": 2})
    entry = entries(on_script)[2]
    on_script.until(lambda: entry.text() == "Review 2 suggestions…")
    entry.trigger()
    assert on_script.desktop.window.page() is on_script.desktop.window.page(PageName.REVIEW)
    assert on_script.desktop.window.isVisible()


def rate_entry(shown: Shown, scripted: Scripted, *, proposals: int, **newest: object) -> QMenu:
    answer = {"turn": "turn_7", "at": now().isoformat(), "label": None, **newest}
    now_says(shown, scripted, skills={"active": 1, "proposals": proposals}, newest_answer=answer)
    return shown.desktop.tray.rate


@pytest.mark.parametrize("proposals", [0, 2])
def test_the_last_answer_is_rated_in_one_of_nine_entries(
    on_script: Shown, scripted: Scripted, proposals: int
) -> None:
    scripted.answers[routes.RATE.format(id="turn_7")] = {"id": "turn_7", "label": "good"}
    rate = rate_entry(on_script, scripted, proposals=proposals)
    on_script.until(lambda: rate.menuAction() in entries(on_script))
    words = [entry.text() for entry in entries(on_script)]
    assert len(words) <= 9 and "Rate the last answer" in words
    assert any(word.startswith("Review") for word in words) is bool(proposals)
    rate.actions()[0].trigger()
    on_script.until(lambda: scripted.posts(routes.RATE.format(id="turn_7")) == [{"label": "good"}])


def test_a_bad_one_asks_what_it_should_have_said(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.RATE.format(id="turn_7")] = {"id": "turn_7", "label": "bad"}
    scripted.answers[routes.TURN.format(id="turn_7")] = {
        "id": "turn_7",
        "client": "editor",
        "request": "A menu?",
        "answer": "Soup.",
    }
    on_script.desktop.window.close()
    rate = rate_entry(on_script, scripted, proposals=0)
    on_script.until(lambda: rate.menuAction() in entries(on_script))
    rate.actions()[1].trigger()
    on_script.until(lambda: on_script.desktop.window.findChild(CorrectionDialog) is not None)
    dialog = on_script.desktop.window.findChild(CorrectionDialog)
    assert dialog is not None and dialog.windowTitle() == "What should it have said?"
    assert on_script.desktop.window.isVisible()


@pytest.mark.parametrize(
    "newest",
    [{"label": "good"}, {"at": (now() - timedelta(hours=2)).isoformat()}, {"at": "never"}],
)
def test_what_is_rated_or_long_ago_is_not_asked_for(
    on_script: Shown, scripted: Scripted, newest: dict[str, object]
) -> None:
    rate = rate_entry(on_script, scripted, proposals=0, **newest)
    on_script.until(lambda: rate.menuAction() not in entries(on_script))
    assert "Copy address" in [entry.text() for entry in entries(on_script)]


@pytest.mark.parametrize("line", range(5))
def test_each_pause_is_one_click(on_script: Shown, scripted: Scripted, line: int) -> None:
    scripted.answers[routes.PAUSE] = learning("paused")
    pause = on_script.desktop.tray.pause
    pause.actions()[line].trigger()
    on_script.until(lambda: scripted.posts(routes.PAUSE))
    wanted = ["30m", "1h", "8h", "tomorrow", "for-good"][line]
    assert scripted.posts(routes.PAUSE) == [{"for": wanted}]


def test_a_pause_can_be_ended_where_it_was_begun(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.RESUME] = learning()
    assert not on_script.desktop.tray.resume.isVisible()
    now_says(on_script, scripted, learning=learning("paused", until="9999-01-01T00:00:00+00:00"))
    on_script.until(on_script.desktop.tray.resume.isVisible)
    assert entries(on_script)[0].text() == "Paused until you resume"
    on_script.desktop.tray.resume.trigger()
    on_script.until(lambda: scripted.posts(routes.RESUME))


def test_train_now_and_copy_address_do_what_they_say(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.TRAIN_NOW] = {"text": "Generating answers.", "runs": []}
    entries(on_script)[4].trigger()
    on_script.until(lambda: "Generating answers." in on_script.told)
    entries(on_script)[6].trigger()
    assert "Copied http://127.0.0.1:11435" in on_script.told


def test_off_passes_requests_on_instead_of_stopping_the_service(
    on_script: Shown, scripted: Scripted
) -> None:
    turn = entries(on_script)[5]
    assert turn.isChecked()
    turn.trigger()
    wanted = {"key": "service.enabled", "value": "false"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])
    assert scripted.posts(routes.STOP) == []


def test_off_nothing_about_learning_can_be_pressed_and_no_condition_looks_live(
    on_script: Shown, scripted: Scripted
) -> None:
    today = on_script.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    on_script.until(today.conditions.isVisible)
    now_says(on_script, scripted, enabled=False, learning=learning("off"))
    on_script.until(lambda: "straight to Ollama" in today.line.text())
    assert not today.pause.isEnabled() and not today.train.isEnabled()
    assert not today.conditions.isVisible()
    assert not entries(on_script)[3].isEnabled() and not entries(on_script)[4].isEnabled()
    assert entries(on_script)[6].isEnabled()
    assert not entries(on_script)[5].isChecked()


def test_a_service_that_is_gone_cannot_be_paused(on_script: Shown, scripted: Scripted) -> None:
    today = on_script.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    on_script.until(today.conditions.isVisible)
    scripted.down()
    on_script.until(lambda: not today.train.isEnabled())
    assert not today.pause.isEnabled()
    assert not today.conditions.isVisible()


def test_the_left_button_opens_the_dashboard(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    shown = live(show(home, hidden=True))
    assert not shown.desktop.window.isVisible()
    shown.tray.click()
    assert shown.desktop.window.isVisible()


def test_where_there_is_no_tray_the_window_shows(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    shown = live(show(home, tray=False, hidden=True))
    shown.until(shown.desktop.window.isVisible)


def test_a_tray_that_comes_later_gets_the_icon_all_the_same(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    shown = live(show(home, tray=False))
    assert shown.tray.menu is None and shown.tray.shown == 0
    shown.tray.there = True
    shown.desktop.tray.refresh()
    assert shown.tray.menu is shown.desktop.tray.menu
    assert shown.tray.tooltip.startswith("Lull: ")
    shown.tray.click()
    assert shown.desktop.window.isVisible()


def test_a_service_that_is_gone_is_a_struck_icon_and_a_reason(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.down()
    on_script.until(lambda: entries(on_script)[0].text() == "Connecting…")
    assert not entries(on_script)[4].isEnabled()
    assert not entries(on_script)[5].isChecked()
    why = {"detail": "port 11435 is in use."}
    on_script.desktop.state.set_down_words(down_words(ServiceState.GIVEN_UP, why))
    assert entries(on_script)[0].text() == "Service stopped: port 11435 is in use"
    assert on_script.tray.tooltip.endswith("port 11435 is in use")


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (learning(next="2026-11-21T16:40:00+01:00"), "Waiting until you're away (about 16:40)"),
        (learning(next="2026-11-21T13:00:00+01:00"), "Waiting: You are here"),
        (learning(because_code="input-recent"), "Waiting until you're away"),
        (
            learning(
                because="Waiting until you have read the last answer.",
                because_code="answer-new",
                next="2026-11-21T16:40:00+01:00",
            ),
            "Waiting until you have read the last answer",
        ),
        (learning("paused", until="2026-11-21T15:00:00+01:00"), "Paused until 15:00"),
        (learning("paused", until="2026-11-22T08:00:00+01:00"), "Paused until tomorrow 08:00"),
        (learning("paused", until="9999-01-01T00:00:00+00:00"), "Paused until you resume"),
        (learning("off"), "Learning is off"),
        (learning("open"), "Idle: nothing to do"),
        (
            learning(
                "working",
                work=[{"kind": "proof", "text": "Proving a", "progress": 0.25, "left_s": 130}],
            ),
            "Proving a, 25% done, 2 min left",
        ),
    ],
)
def test_the_line_says_what_is(said: dict[str, object], line: str) -> None:
    assert line_of(said, {}, AT) == line


def test_a_suggestion_that_is_tested_now_is_told_while_the_user_is_here(
    on_script: Shown, scripted: Scripted
) -> None:
    tested = {
        "id": "p", "name": "menu-style", "kind": "new", "status": "proving", "sha256": "a",
        "testing": True, "evidence": {"pairs": 4, "most_pairs": 60},
    }  # fmt: skip
    today = on_script.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    assert today.line.text().startswith("Waiting")
    scripted.answers[routes.PROPOSALS] = {"proposals": [tested]}
    scripted.tell("proposal")
    on_script.until(lambda: today.line.text() == "Testing “Menu style”: 4 of at most 60")
    assert "does not wait" in today.because.text()


def test_training_tells_its_steps() -> None:
    work = [{"kind": "step", "text": "Training", "progress": 0.45, "left_s": 720}]
    runs = {"runs": [{"status": "training", "steps": 180, "of": 400}]}
    said = line_of(learning("working", work=work), runs, AT)
    assert said == "Training, step 180 of 400, 12 min left"


def test_a_pause_that_has_ended_is_not_told_as_one() -> None:
    said = learning("paused", until="2026-11-21T15:00:00+01:00")
    assert line_of(said, {}, AT + timedelta(hours=1, seconds=1)) == "The pause is over"


@pytest.mark.parametrize(
    ("more", "proposals", "shape"),
    [
        ({}, 0, TrayShape.IDLE),
        ({}, 2, TrayShape.REVIEW),
        ({"learning": learning("working")}, 2, TrayShape.TRAINING),
        ({"learning": learning("paused")}, 2, TrayShape.PAUSED),
        ({"problems": [{"title": "x"}]}, 2, TrayShape.ERROR),
    ],
)
def test_the_shape_says_it_too(more: dict[str, object], proposals: int, shape: TrayShape) -> None:
    said = status(**more)
    assert shape_of(said, said["learning"], proposals) is shape


def test_runs_are_read_for_the_line(on_script: Shown) -> None:
    on_script.desktop.window.go(PageName.TODAY)
    on_script.until(lambda: on_script.desktop.state.held(Subject.RUNS).value is not None)
