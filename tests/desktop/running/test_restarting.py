"""Tests that the window can be restarted, for another language, while the service goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lull.config.paths import Paths
from lull.contract import routes
from lull.contract.chat_headers import WINDOW_CLIENT
from lull.desktop.language.language_choice import ENGLISH, apply_language
from lull.desktop.main import Desktop, DesktopInForce
from lull.desktop.pages.chat.page import ConversationsPage
from lull.desktop.pages.chat.talk import ChatPage
from lull.desktop.pages.schedule.page import SchedulePage
from lull.desktop.pages.settings.editors import FieldEdit
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.service.state import OutcomeMessage
from lull.desktop.shared.new_skill import NewSkillDialog
from lull.desktop.widgets.chat.correction_box import CorrectionBox
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown, live, place_of
from tests.desktop.pages.settings.test_everyday import whole
from tests.desktop.pages.test_conversations_page import conversation, opened, turn
from tests.desktop.scripted import Scripted
from tests.desktop.tray.fake_tray import FakeTray


class Started:
    """A service that the window started."""

    def __init__(self) -> None:
        self.ended = False

    def poll(self) -> int | None:
        return 0 if self.ended else None

    def terminate(self) -> None:
        self.ended = True


@pytest.fixture
def service() -> Started:
    return Started()


@pytest.fixture
def in_force(
    scripted: Scripted, home: Path, service: Started, qapp: QApplication
) -> Iterator[DesktopInForce]:
    assert scripted
    paths = Paths.from_environment(os.environ, "linux", home=str(home))
    paths.prepare()
    place = place_of(paths, running=lambda: service.poll() is None)

    def make(restart: Callable[[], None]) -> Desktop:
        return Desktop(qapp, place, backend=FakeTray(), spawn=lambda _: service, restart=restart)

    made = DesktopInForce(make, qapp)
    made.desktop.process._child = service
    made.desktop.begin()
    yield made
    made.desktop.end()
    made.desktop.window.deleteLater()
    apply_language(qapp, ENGLISH)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_chosen_language_is_there_after_one_click_and_the_service_goes_on(
    in_force: DesktopInForce, service: Started, qtbot: QtBot
) -> None:
    old = in_force.desktop
    shown = live(Shown(old, FakeTray(), qtbot))
    old.window.resize(1000, 700)
    chat = shown.go(PageName.CHAT)
    assert isinstance(chat, ChatPage)
    chat.text.setPlainText("a long letter that is\nnot sent yet")
    page = shown.go(PageName.SETTINGS)
    assert isinstance(page, SettingsPage)
    page.window_card._choose_language("de")
    qtbot.mouseClick(old.window.note.undo, Qt.MouseButton.LeftButton)
    shown.until(lambda: in_force.desktop is not old)
    new = live(Shown(in_force.desktop, FakeTray(), qtbot))
    assert not service.ended and new.desktop.process.started_here
    window = new.desktop.window
    assert window.shows(PageName.SETTINGS) and window.isVisible()
    assert window.windowTitle() == "Lull: Einstellungen"
    chat = window.page(PageName.CHAT)
    assert isinstance(chat, ChatPage)
    assert chat.text.toPlainText() == "a long letter that is\nnot sent yet"
    assert (window.width(), window.height()) == (1000, 700)
    in_force.desktop.quit()
    assert service.ended


def test_what_was_begun_on_other_pages_is_there_after_a_restart(
    in_force: DesktopInForce, scripted: Scripted, qtbot: QtBot
) -> None:
    shown = live(Shown(in_force.desktop, FakeTray(), qtbot))
    conversations = opened(shown, scripted, 1)
    talk = {**conversation(0), "turns": [turn(0, label="bad"), turn(1)]}
    scripted.answers["/v1/conversations/conv_0"] = talk
    conversations._reload()
    shown.until(lambda: conversations.view.shown == talk)
    conversations.view.correcting.ask("turn_0")
    shown.until(lambda: conversations.view.findChildren(CorrectionBox))
    conversations.view.findChildren(CorrectionBox)[-1].text.setPlainText("Say it in French.")
    today = shown.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    today.teach.ask(turn(5))
    today.teach.asked.text.setPlainText("Say it in Greek.")
    schedule = shown.go(PageName.SCHEDULE)
    assert isinstance(schedule, SchedulePage)
    schedule.hours["sleep_hours"].setText("11pm to")
    schedule.hours["sleep_hours"].setModified(True)
    in_force.restart()
    new = live(Shown(in_force.desktop, FakeTray(), qtbot))
    schedule = new.go(PageName.SCHEDULE)
    assert isinstance(schedule, SchedulePage)
    new.until(lambda: schedule.showing_body)
    assert schedule.hours["sleep_hours"].text() == "11pm to"
    today = new.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    new.until(today.teach.isVisible)
    assert today.teach.asked.words == "Say it in Greek."
    assert today.teach._turn["id"] == "turn_5"
    conversations = new.go(PageName.CONVERSATIONS)
    assert isinstance(conversations, ConversationsPage)
    new.until(lambda: conversations.view.findChildren(CorrectionBox))
    assert conversations.view.findChildren(CorrectionBox)[-1].words == "Say it in French."


def test_the_conversation_on_the_chat_page_goes_on_after_a_restart(
    in_force: DesktopInForce, scripted: Scripted, qtbot: QtBot
) -> None:
    shown = live(Shown(in_force.desktop, FakeTray(), qtbot))
    talk = {**conversation(0), "client": WINDOW_CLIENT, "turns": [turn(0), turn(1, label="bad")]}
    scripted.answers["/v1/conversations/conv_0"] = talk
    chat = shown.go(PageName.CHAT)
    assert isinstance(chat, ChatPage)
    said = ("Question 0?", "Answer 0.", "Question 1?", "Answer 1.")
    roles = ("user", "assistant") * 2
    chat._messages = [{"role": role, "content": one} for role, one in zip(roles, said, strict=True)]
    chat._conversation = "conv_0"
    chat._read()
    shown.until(lambda: chat.turns.shown == talk)
    chat.turns.correcting.ask("turn_1")
    shown.until(lambda: chat.findChildren(CorrectionBox))
    chat.findChildren(CorrectionBox)[-1].text.setPlainText("In French, please.")
    session, messages = chat._session, chat._messages
    in_force.restart()
    new = live(Shown(in_force.desktop, FakeTray(), qtbot))
    chat = new.go(PageName.CHAT)
    assert isinstance(chat, ChatPage)
    new.until(lambda: chat.turns.shown == talk)
    assert (chat._session, chat._messages) == (session, messages)
    new.until(lambda: chat.findChildren(CorrectionBox))
    assert chat.findChildren(CorrectionBox)[-1].words == "In French, please."


def test_a_setting_that_is_being_typed_is_set_before_the_window_goes(
    in_force: DesktopInForce, scripted: Scripted, qtbot: QtBot
) -> None:
    shown = live(Shown(in_force.desktop, FakeTray(), qtbot))
    page = whole(shown, scripted)
    field = page.lines["records.keep_days"].editor
    assert isinstance(field, FieldEdit)
    shown.activate()
    field.setFocus()
    shown.until(field.hasFocus)
    field.selectAll()
    qtbot.keyClicks(field, "30")
    in_force.restart()
    key = "records.keep_days"
    shown.until(lambda: {"key": key, "value": "30"} in scripted.posts(routes.SETTINGS))


def test_no_dialog_is_lost_because_the_window_waits_for_it(
    in_force: DesktopInForce, qtbot: QtBot
) -> None:
    window = in_force.desktop.window
    shown = live(Shown(in_force.desktop, FakeTray(), qtbot))
    page = shown.go(PageName.SKILLS)
    did: list[bool] = []
    again = OutcomeMessage(text="In German.", undo=lambda: did.append(True), button="Restart now")
    in_force.desktop.state.told.emit(again)
    shown.until(window.note.undo.isVisible)
    at = window.note.undo.mapTo(window, window.note.undo.rect().center())

    def click() -> None:
        QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=at)

    dialog = NewSkillDialog(page)
    dialog.open()
    shown.until(dialog.isVisible)
    dialog.text.setPlainText("half a skill")
    click()
    assert did == [] and dialog.isVisible()
    dialog.accept()
    shown.until(lambda: not page.findChildren(NewSkillDialog))
    click()
    assert did == [True]


def test_a_service_that_was_stopped_stays_stopped(
    in_force: DesktopInForce, service: Started, qtbot: QtBot
) -> None:
    old = in_force.desktop
    shown = live(Shown(old, FakeTray(), qtbot))
    old.process.expect_stop()
    service.ended = True
    old.process.check_service()
    in_force.restart()
    assert in_force.desktop.process.state is old.process.state
    assert not in_force.desktop.process.started_here
    shown.until(lambda: not old.window.isVisible())
