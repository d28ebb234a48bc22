"""Tests of the first run: shown once to new users, each step skippable, nothing asked twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QScrollArea

from lull.contract import routes
from lull.desktop.language.language_choice import LANGUAGES, apply_language
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.service.state import Subject
from lull.desktop.shared.connect.dialogs import ConnectDialog
from lull.desktop.welcome.page import DONE, FirstRun
from lull.desktop.welcome.steps import AwayStep, ConnectStep, StartStep
from lull.desktop.widgets.page import PageName
from tests.desktop.accessible import tab_stops, upwards
from tests.desktop.conftest import Shown, live
from tests.desktop.played.clients import clients
from tests.desktop.scripted import Scripted, status
from tests.desktop.small import cut_off_at_rest
from tests.desktop.widgets.test_small_window import SMALL
from tests.service.scripted_upstream import ScriptedUpstream

NOTHING = {"turns": 0, "conversations": 0, "skills": {"active": 0, "proposals": 0}}
MODELS = {
    "models": [
        {"name": "pocket", "can_learn": True, "why_not": "", "chosen": True},
        {"name": "qwen3:4b", "can_learn": True, "why_not": "", "chosen": False},
        {"name": "mixtral", "can_learn": False, "why_not": "Its shape is unknown."},
    ],
    "chosen": "pocket",
    "choosing": None,
}


@pytest.fixture
def new_here(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> Iterator[tuple[Shown, Scripted]]:
    scripted.answers[routes.STATUS] = status(**NOTHING)
    scripted.answers[routes.MODELS] = MODELS
    shown = show(home)
    shown.desktop.offer_first_run()
    yield live(shown), scripted


def steps_of(shown: Shown) -> list[FirstRun]:
    return [one for one in shown.desktop.window.findChildren(FirstRun) if one.isVisible()]


def opened(shown: Shown) -> FirstRun:
    shown.until(lambda: steps_of(shown))
    (found,) = steps_of(shown)
    return found


def test_who_has_nothing_yet_is_shown_three_steps(new_here: tuple[Shown, Scripted]) -> None:
    steps = opened(new_here[0])
    titles = [steps.title.text()]
    while steps.next.text() != "Done":
        steps.next.click()
        titles.append(steps.title.text())
    assert len(titles) == 3 and len(set(titles)) == 3
    steps.next.click()
    new_here[0].until(lambda: not steps_of(new_here[0]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_chats_after_reading_for_half_a_minute(
    new_here: tuple[Shown, Scripted], language: str
) -> None:
    """At 200 words a minute, and with no decision but where to chat."""
    shown, scripted = new_here
    away = {"kind": "builtin", "address": "http://127.0.0.1:11434", "ok": False, "version": None}
    scripted.answers[routes.STATUS] = status(**NOTHING, upstream=away)
    opened(shown).close()
    apply_language(QApplication.instance(), language)
    steps = shown.desktop.show_first_run()
    shown.desktop.state.touch(Subject.STATUS)
    shown.until(lambda: not shown.desktop.client.busy)
    shown.until(lambda: steps.steps[0].findChildren(QLabel)[-1].property("kind") == "warn")
    read = [one for one in steps.findChildren(QLabel) if one.isVisible()]
    buttons = [one for one in steps.findChildren(QAbstractButton) if one.isVisible()]
    words = " ".join(one.text() for one in (*read, *buttons)).split()
    assert 60 < len(words) <= 100, words
    shown.bot.keyClick(steps, Qt.Key.Key_Return)
    assert shown.desktop.window.shows(PageName.CHAT)
    shown.until(lambda: not steps_of(shown))


def test_no_more_is_promised_than_is_true(new_here: tuple[Shown, Scripted]) -> None:
    """A model on trial answers without the user being asked; only skills wait for approval."""
    shown, _ = new_here
    step = opened(shown).findChildren(StartStep)[0]
    today = shown.desktop.window.page(PageName.TODAY)
    assert isinstance(today, TodayPage)
    for place in (step, today.checklist):
        said = " ".join(one.text() for one in place.findChildren(QLabel))
        assert "othing changes" not in said
        assert "No skill is used until you approve it" in said
        assert "trained model is tested first, then tried on a few" in said
        assert "you can go back at any time" in said


def test_finish_later_is_remembered(new_here: tuple[Shown, Scripted]) -> None:
    shown, _ = new_here
    steps = opened(shown)
    steps.next.click()
    shown.bot.mouseClick(steps.later, Qt.MouseButton.LeftButton)
    assert shown.desktop.preferences.value(DONE, False, type=bool) is True
    shown.desktop.offer_first_run()
    shown.desktop.state.changed.emit("status")
    assert not [one for one in steps_of(shown) if one.isVisible()]


def test_escape_leaves_it_too(new_here: tuple[Shown, Scripted]) -> None:
    shown, _ = new_here
    shown.bot.keyClick(opened(shown), Qt.Key.Key_Escape)
    shown.until(lambda: not steps_of(shown))
    assert shown.desktop.preferences.value(DONE, False, type=bool) is True


def test_who_has_conversations_is_not_bothered(on_script: Shown) -> None:
    on_script.desktop.offer_first_run()
    on_script.desktop.state.changed.emit("status")
    assert steps_of(on_script) == []
    on_script.desktop.show_first_run()  # but may ask for it
    assert len(steps_of(on_script)) == 1


def test_a_model_that_cannot_learn_says_why_and_one_that_can_is_chosen(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    scripted.answers[routes.MODELS_CHOOSE] = {"choosing": None}
    steps = opened(shown)
    steps.go(2)
    step = steps.steps[2]
    assert isinstance(step, AwayStep)
    shown.until(lambda: step.choice.models.count() == 3)
    assert "Its shape is unknown." in step.choice.why.text()
    item = step.choice.models.model().item(2)  # type: ignore[attr-defined]
    assert not item.isEnabled()
    step.choice.models.setCurrentIndex(1)
    step.choice.models.activated.emit(1)
    shown.until(lambda: scripted.posts(routes.MODELS_CHOOSE))
    assert scripted.posts(routes.MODELS_CHOOSE) == [{"name": "qwen3:4b"}]


def test_without_an_ollama_the_built_in_model_is_made_ready_while_one_reads(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    away = {"kind": "builtin", "address": "http://127.0.0.1:11434", "ok": False, "version": None}
    built_in = {"name": "lull-mini", "ready": False, "progress": None, "problem": ""}
    scripted.answers[routes.STATUS] = status(**NOTHING, upstream=away, built_in=built_in)
    scripted.answers[routes.MODELS] = MODELS
    scripted.answers[routes.MODELS_BUILT_IN] = {**built_in, "progress": 0.1}
    shown = live(show(home))
    shown.desktop.offer_first_run()
    steps = opened(shown)
    step = steps.steps[0]
    assert isinstance(step, StartStep)
    shown.until(lambda: scripted.posts(routes.MODELS_BUILT_IN))
    making = {**built_in, "progress": 0.4}
    scripted.answers[routes.STATUS] = status(**NOTHING, upstream=away, built_in=making)
    shown.desktop.state.touch(Subject.STATUS)
    shown.until(lambda: "40%" in step.behind.text())
    assert "small built-in model" in step.behind.text()
    failed = {**built_in, "problem": "The disk is full. Make room."}
    scripted.answers[routes.STATUS] = status(**NOTHING, upstream=away, built_in=failed)
    shown.desktop.state.touch(Subject.STATUS)
    shown.until(lambda: "The disk is full. Make room." in step.behind.text())
    assert scripted.posts(routes.MODELS_BUILT_IN) == [{}]


def test_sleep_hours_are_set_once_they_were_typed(new_here: tuple[Shown, Scripted]) -> None:
    shown, scripted = new_here
    steps = opened(shown)
    steps.go(2)
    step = steps.steps[2]
    assert isinstance(step, AwayStep)
    type_in(shown, step.sleep, "23:00-07:00")
    shown.until(lambda: scripted.posts(routes.SETTINGS))
    assert scripted.posts(routes.SETTINGS) == [{"key": "idle.sleep_hours", "value": "23:00-07:00"}]


def test_hours_that_cannot_be_read_are_told_beside_them_and_keep_the_step(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    steps = opened(shown)
    steps.go(2)
    step = steps.steps[2]
    assert isinstance(step, AwayStep)
    type_in(shown, step.sleep, "11pm to 7am")
    assert step.wrong.isVisible()
    assert "11pm to 7am" in step.wrong.text() and "23:00-07:00" in step.wrong.text()
    steps.next.click()
    assert steps.isVisible()
    assert scripted.posts(routes.SETTINGS) == [] and shown.told == []
    step.sleep.clear()
    type_in(shown, step.sleep, "23:00-07:00, sat-sun 00:00-09:00")
    assert not step.wrong.isVisible()
    steps.next.click()
    assert not steps.isVisible()
    shown.until(lambda: scripted.posts(routes.SETTINGS))


def test_hours_that_are_taken_back_before_they_are_saved_are_not_said_to_be_saved(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    steps = opened(shown)
    steps.go(2)
    step = steps.steps[2]
    assert isinstance(step, AwayStep)
    type_in(shown, step.sleep, "11pm to 7am")
    step.sleep.selectAll()
    shown.bot.keyClick(step.sleep, Qt.Key.Key_Backspace)
    shown.bot.keyClick(step.sleep, Qt.Key.Key_Return)
    assert not step.sleep.isModified() and not step.wrong.isVisible()
    assert scripted.posts(routes.SETTINGS) == [] and shown.told == []


def test_chat_apps_that_are_installed_are_connected_from_here(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    scripted.answers[routes.CLIENTS] = clients()
    plan = {"file": "/home/me/.config/zed/settings.json", "existed": True, "changes": True}
    more = {"diff": "+http://127.0.0.1:11435", "sha256": "a", "note": ""}
    route = routes.CLIENT_DO.format(name="zed", action="plan")
    scripted.answers[route] = {**plan, **more}
    steps = opened(shown)
    steps.go(1)
    step = steps.steps[1]
    assert isinstance(step, ConnectStep)
    shown.until(lambda: "zed" in step.apps.rows)
    assert step.apps.isVisible() and "codex" not in step.apps.rows
    assert step.by_hand.text().startswith("In any other chat app")
    assert upwards([one for one in tab_stops(steps) if step.isAncestorOf(one)]) == []
    connect = step.apps.rows["zed"].findChild(QAbstractButton)
    assert connect is not None and connect.accessibleName() == "Zed: Connect…"
    connect.click()
    dialog = step.apps.findChild(ConnectDialog)
    assert dialog is not None
    shown.until(dialog.do.isEnabled)
    dialog.close_it.click()


def test_a_chat_app_that_is_installed_meanwhile_is_found(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    steps = opened(shown)
    shown.until(lambda: ("GET", routes.CLIENTS, {}) in scripted.asked)
    shown.until(lambda: not shown.desktop.client.busy)
    scripted.answers[routes.CLIENTS] = clients()
    steps.go(1)
    step = steps.steps[1]
    assert isinstance(step, ConnectStep)
    before = len(scripted.asked)
    shown.until(lambda: len(scripted.asked) > before)
    assert ("GET", routes.CLIENTS, {}) in scripted.asked[before:]
    shown.until(lambda: "zed" in step.apps.rows)


def test_where_no_chat_app_is_found_the_address_stands_alone(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    steps = opened(shown)
    steps.go(1)
    step = steps.steps[1]
    assert isinstance(step, ConnectStep)
    shown.until(lambda: ("GET", routes.CLIENTS, {}) in scripted.asked)
    assert not step.apps.isVisible()
    assert step.by_hand.text().startswith("In your chat app")


@pytest.mark.parametrize("percent", [100, 200])
def test_every_step_is_whole_on_a_screen_of_900_by_600(
    new_here: tuple[Shown, Scripted], percent: int
) -> None:
    shown, scripted = new_here
    scripted.answers[routes.CLIENTS] = clients()
    opened(shown).close()
    shown.desktop.look.size_text(percent)
    steps = shown.desktop.show_first_run()
    for number in range(len(steps.steps)):
        steps.go(number)
        shown.until(lambda: not shown.desktop.client.busy)
        assert cut_off_at_rest(steps, shown.bot.wait) == [], number
        assert steps.width() <= SMALL.width() and steps.height() <= SMALL.height()
    shown.desktop.look.size_text(100)


def test_a_long_step_is_scrolled_by_keys_from_any_button(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    scripted.answers[routes.CLIENTS] = clients()
    steps = opened(shown)
    steps.go(1)
    area = steps.pages.currentWidget()
    assert isinstance(area, QScrollArea)
    shown.until(lambda: area.verticalScrollBar().maximum() > 0)
    shown.bot.keyClick(steps.next, Qt.Key.Key_PageDown)
    assert area.verticalScrollBar().value() > 0
    shown.bot.keyClick(steps.next, Qt.Key.Key_PageUp)
    assert area.verticalScrollBar().value() == 0


def test_the_last_step_asks_no_keychain(new_here: tuple[Shown, Scripted]) -> None:
    shown, scripted = new_here
    steps = opened(shown)
    steps.go(2)
    shown.desktop.state.touch(Subject.STATUS)
    before = len(scripted.asked)
    shown.until(lambda: len(scripted.asked) > before)
    assert routes.DOCTOR not in [path for _, path, _ in scripted.asked]


def type_in(shown: Shown, line: QLineEdit, text: str) -> None:
    shown.bot.keyClicks(line, text)
    shown.bot.keyClick(line, Qt.Key.Key_Return)


def test_the_sample_request_goes_to_the_address_and_its_answer_is_shown(
    new_here: tuple[Shown, Scripted],
) -> None:
    shown, scripted = new_here
    with ScriptedUpstream() as upstream:
        scripted.answers[routes.STATUS] = status(**NOTHING, address=upstream.address)
        scripted.tell("turn-recorded")
        steps = opened(shown)
        steps.go(1)
        step = steps.steps[1]
        assert isinstance(step, ConnectStep)
        shown.until(lambda: step.address.text() == upstream.address)
        assert step.line.toPlainText() == step.kit.place.ask
        shown.until(lambda: step.line.document().size().height() <= step.line.height())
        step.try_it.click()
        shown.desktop.state.changed.emit("status")
        assert not step.try_it.isEnabled(), "one at a time, whatever else is news"
        shown.until(step.try_it.isEnabled)
        assert upstream.last("/api/chat").header("X-Lull-Record") == "no"
        assert step.answer.text().startswith("Works. Lull answered: ")


def test_without_an_answer_it_says_why(new_here: tuple[Shown, Scripted]) -> None:
    shown, scripted = new_here
    scripted.answers[routes.STATUS] = status(**NOTHING, address="http://127.0.0.1:1")
    scripted.tell("turn-recorded")
    steps = opened(shown)
    steps.go(1)
    step = steps.steps[1]
    assert isinstance(step, ConnectStep)
    shown.until(lambda: step.address.text() == "http://127.0.0.1:1")
    step.try_it.click()
    shown.until(lambda: step.answer.text().startswith("No answer: "))
