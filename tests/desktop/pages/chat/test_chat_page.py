"""Tests of the Chat page's text box and scrolling, in front of a scripted service."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from lull.contract import routes
from lull.contract.chat_headers import WINDOW_CLIENT
from lull.contract.json_object import Json
from lull.desktop.pages.chat.talk import ChatPage
from lull.desktop.service.client import Reply, ReplyOutcome
from lull.desktop.widgets.chat.answer_view import AnswerView
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_conversations_page import turn
from tests.desktop.scripted import Scripted

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def page(on_script: Shown, scripted: Scripted) -> ChatPage:
    scripted.answers[routes.MODELS] = {
        "models": [{"name": "any:latest", "can_learn": False}],
        "chosen": "any:latest",
    }
    made = on_script.desktop.window.page(PageName.CHAT)
    assert isinstance(made, ChatPage)
    return made


def opened(shown: Shown, page: ChatPage) -> ChatPage:
    shown.go(PageName.CHAT)
    shown.until(lambda: page.showing_body and page.models.chosen)
    return page


def focused() -> object:
    return QApplication.focusWidget()


@pytest.mark.parametrize("by", ["mouse", "key", "program"])
def test_one_can_write_as_soon_as_the_page_is_open(
    on_script: Shown, page: ChatPage, by: str
) -> None:
    window = on_script.desktop.window
    on_script.activate()
    if by == "mouse":
        on_script.bot.mouseClick(window._buttons[PageName.CHAT], Qt.MouseButton.LeftButton)
    elif by == "key":
        window._buttons[PageName.TODAY].setFocus()
        on_script.bot.keyClick(window, "7", CTRL)
    else:
        window.go(PageName.CHAT)
    on_script.until(lambda: page.showing_body and focused() is page.text)


def test_arrows_go_on_through_the_list_of_pages(on_script: Shown, page: ChatPage) -> None:
    window = on_script.desktop.window
    on_script.activate()
    window.go(PageName.CONVERSATIONS)
    window._buttons[PageName.CONVERSATIONS].setFocus()
    for name in (PageName.CHAT, PageName.CONNECT, PageName.SETTINGS):
        on_script.bot.keyClick(focused(), Qt.Key.Key_Down)
        assert window.page() is window.page(name)
        assert focused() is window._buttons[name]


def test_enter_sends_and_shift_enter_begins_a_line(
    on_script: Shown, page: ChatPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(on_script, page)
    assert "Enter sends" in page.text.placeholderText()
    sent: list[str] = []
    monkeypatch.setattr(page._chat, "send", lambda to, route, body: sent.append(body))
    on_script.bot.keyClicks(page.text, "one")
    on_script.bot.keyClick(page.text, Qt.Key.Key_Return, SHIFT)
    on_script.bot.keyClicks(page.text, "two")
    assert page.text.toPlainText() == "one\ntwo" and not page._messages
    on_script.bot.keyClick(page.text, Qt.Key.Key_Return)
    assert page._messages == [{"role": "user", "content": "one\ntwo"}]
    assert page.text.toPlainText() == ""
    on_script.bot.keyClick(page.text, Qt.Key.Key_Return)  # with nothing to send it does nothing
    assert page.text.toPlainText() == "" and len(page._messages) == 1
    on_script.until(lambda: sent)


def test_the_end_of_a_growing_answer_is_in_view_unless_one_scrolled_up(on_script: Shown) -> None:
    view = AnswerView("The answer")
    on_script.bot.addWidget(view)
    view.resize(400, 300)
    view.show()
    bar = view.text.verticalScrollBar()
    view.begin()
    for number in range(60):
        view.grow(f"line {number}\n")
    on_script.until(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 2)
    reads, before = bar.value(), bar.maximum()
    view.grow("more\n" * 20)
    on_script.until(lambda: bar.maximum() > before)
    on_script.draw(view.text.viewport())
    assert bar.value() == reads
    bar.setValue(bar.maximum())
    view.grow("more\n" * 20)
    on_script.until(lambda: bar.value() == bar.maximum())


def conversation(turns: int) -> Json:
    return {
        "id": "conv_1",
        "client": WINDOW_CLIENT,
        "model": "any:latest",
        "skills": [],
        "turns": [turn(n, answer="An answer. " * 60) for n in range(turns)],
    }


def test_a_recorded_answer_comes_into_view_unless_one_reads_an_earlier_one(
    on_script: Shown, page: ChatPage
) -> None:
    opened(on_script, page)
    page._messages = [{"role": "user", "content": turn(0)["request"]}]
    bar = page.turns.verticalScrollBar()

    def recorded(number: int) -> None:
        answer = Reply(outcome=ReplyOutcome.DONE, value=conversation(number))
        page._take(page._session, answer)

    recorded(4)
    on_script.until(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    recorded(6)
    on_script.until(lambda: bar.value() == bar.maximum())
    bar.triggerAction(bar.SliderAction.SliderPageStepSub)
    reads, before = bar.value(), bar.maximum()
    assert 0 < reads < before
    recorded(8)
    on_script.until(lambda: bar.maximum() > before and bar.value() == reads)
