"""Tests of chatting in the window, with a real service and a fake Ollama."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from lull.desktop.pages.chat.page import ConversationsPage
from lull.desktop.pages.chat.talk import ChatPage
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.widgets.chat.message_edit import MessageEdit
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import WAIT_MS, Shown, live
from tests.eventually import PATIENCE_S
from tests.service.lulls import Before, lull_before
from tests.service.scripted_upstream import Asked, ScriptedUpstream, last_line, line, reply_natively

pytestmark = pytest.mark.full
SKILL = "Be kind."


@pytest.fixture(scope="module")
def _upstream() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream() as made:
        yield made


@pytest.fixture(scope="module")
def _lull(_upstream: ScriptedUpstream) -> Iterator[Before]:
    with (
        tempfile.TemporaryDirectory(prefix="lull-") as folder,
        lull_before(_upstream.address, Path(folder) / "home") as made,
    ):
        made.add_skill("kindness", SKILL)
        yield made


@pytest.fixture
def lull(_lull: Before, _upstream: ScriptedUpstream) -> Before:
    _upstream.script = reply_natively
    _upstream.asked.clear()
    return _lull


@pytest.fixture
def shown(lull: Before, show: Callable[..., Shown]) -> Shown:
    made = show(lull.home)
    made.patience_s = PATIENCE_S
    return live(made)


@pytest.fixture
def page(shown: Shown) -> ChatPage:
    made = shown.go(PageName.CHAT)
    assert isinstance(made, ChatPage)
    shown.until(lambda: made.models.findData("any:latest") >= 0)
    made.models.setCurrentIndex(made.models.findData("any:latest"))
    made.models._keep()
    return made


def says(page: ChatPage) -> list[str]:
    return [one.text() for one in page.turns.findChildren(QLabel) if one.isVisible()]


def said(shown: Shown, page: ChatPage, text: str) -> None:
    before = page._recorded
    page.text.setPlainText(text)
    shown.until(page.send.isEnabled)
    page.send.click()
    shown.until(lambda: page._recorded == before + 1 and not page.answer.isVisible())


def test_a_conversation_is_recorded_with_its_skills_and_can_be_rated(
    shown: Shown, page: ChatPage, lull: Before, _upstream: ScriptedUpstream
) -> None:
    before = len(lull.turns())
    said(shown, page, "hello")
    said(shown, page, "and again")
    asked = _upstream.last("/api/chat").json["messages"]
    assert [one["content"] for one in asked[1:]] == ["hello", "well said", "and again"]
    assert SKILL in asked[0]["content"]
    turns = lull.new_turns(before, 2)
    assert len({turn["trajectory"] for turn in turns}) == 1
    # A label in a page that is shown is seen only in Qt's next turn.
    shown.until(lambda: "any:latest · Skills: Kindness" in says(page))
    head = "Written in this window, answered by any"
    assert any(text.startswith(head) for text in says(page))
    assert not page.how.isVisible()
    bad = [b for b in page.turns.findChildren(QPushButton) if b.text() == "Bad"][-1]
    bad.click()
    shown.until(lambda: "What should it have said?" in says(page))


def test_a_bad_answer_is_corrected_in_place_in_the_users_own_words(
    shown: Shown, page: ChatPage, lull: Before, _upstream: ScriptedUpstream
) -> None:
    said(shown, page, "hello")
    shown.activate()
    page.text.setPlainText("a draft")

    def offers(words: str) -> list[QPushButton]:
        made = page.turns.findChildren(QPushButton)
        return [one for one in made if one.isVisible() and one.text() == words]

    shown.until(lambda: offers("Bad"))
    (bad,) = offers("Bad")
    bad.setFocus()
    bad.click()

    def asked() -> list[MessageEdit]:
        return [one for one in page.turns.findChildren(MessageEdit) if one.isVisible()]

    shown.until(lambda: len(asked()) == 1 and asked()[0].hasFocus())
    words = "No, use dashes, never commas."
    shown.bot.keyClicks(asked()[0], words)
    page.turns._again()  # as when the service tells of a score
    shown.until(lambda: len(asked()) == 1 and asked()[0].hasFocus())
    assert asked()[0].toPlainText() == words
    (send,) = offers("Send")
    send.click()
    shown.until(lambda: page._recorded == 2 and not page.answer.isVisible())
    assert not asked() and page.text.toPlainText() == "a draft"
    assert _upstream.last("/api/chat").json["messages"][-1]["content"] == words
    page.start_anew()


def test_the_score_of_an_answer_is_shown_as_soon_as_it_is_known(
    shown: Shown, page: ChatPage
) -> None:
    said(shown, page, "Say hello to my cat.")
    said(shown, page, "Thanks, perfect!")
    shown.until(lambda: any("judging by what you did next" in text for text in says(page)))


def test_a_suggestion_that_was_made_of_it_is_offered_at_once(shown: Shown, page: ChatPage) -> None:
    said(shown, page, "Give me three ideas for a picnic.")
    assert not page.suggested.isVisible()
    said(shown, page, "No, from now on always answer in lower case.")
    shown.until(page.suggested.isVisible)
    page.suggested.click()
    assert shown.desktop.window.page() is shown.desktop.window.page(PageName.REVIEW)
    page = shown.go(PageName.CHAT)  # type: ignore[assignment]
    page.start_anew()
    assert not page.suggested.isVisible()


def test_the_link_opens_the_suggestion_that_this_conversation_made(
    shown: Shown, page: ChatPage
) -> None:
    review = shown.desktop.window.page(PageName.REVIEW)
    assert isinstance(review, ReviewPage)
    for number, (asked, wish) in enumerate(
        (
            ("Tell me about the weather in Rome.", "No, from now on always answer with bullets."),
            ("Write a letter to the bank.", "No, from now on always sign letters with Ada."),
        )
    ):
        if number:
            page.start_anew()
        said(shown, page, asked)
        said(shown, page, wish)
        shown.until(page.suggested.isVisible)
        page.suggested.click()
        shown.until(review.isVisible)
        (current,) = review.selected()
        assert wish.split("always ")[1].rstrip(".") in current["text"], current["text"]
        shown.go(PageName.CHAT)
    listed = shown.go(PageName.CONVERSATIONS)
    assert isinstance(listed, ConversationsPage)
    shown.until(listed.suggested.isVisible)
    review._go_to(1 - review.rows.line_of(current["id"]))
    listed.suggested.click()
    assert review.selected()[0]["id"] == current["id"]


def test_without_skills_none_comes_along_and_switching_starts_anew(
    shown: Shown, page: ChatPage, lull: Before, _upstream: ScriptedUpstream
) -> None:
    said(shown, page, "hello")
    page.with_skills.click()
    assert says(page) == []
    assert page.how.isVisible() and "say so in your next message" in page.how.text()
    before = len(lull.turns())
    said(shown, page, "hello without")
    assert _upstream.last("/api/chat").json["messages"] == [
        {"role": "user", "content": "hello without"}
    ]
    assert not any("Kindness" in text for text in says(page))
    assert len(lull.new_turns(before)) == 1


def test_a_first_answer_is_written_where_it_stays(
    shown: Shown, page: ChatPage, _upstream: ScriptedUpstream
) -> None:
    go_on = threading.Event()

    def script(asked: Asked) -> None:
        asked.begin()
        asked.say(line("bread"))
        go_on.wait(WAIT_MS / 1000)
        asked.say(last_line())
        asked.end()

    def top_of(part: QWidget) -> int:
        return part.mapTo(page, QPoint()).y()

    _upstream.script = script
    page.text.setPlainText("what can I bake?")
    shown.until(page.send.isEnabled)
    page.send.click()
    shown.until(lambda: page.answer.text.toPlainText() == "bread")
    written = top_of(page.answer)
    go_on.set()
    shown.until(lambda: not page.answer.isVisible())
    assert page.turns.isVisible()
    assert abs(top_of(page.turns) - written) < 2 * page.fontMetrics().lineSpacing()


def test_stop_stops_the_model_and_keeps_what_was_said(
    shown: Shown, page: ChatPage, _upstream: ScriptedUpstream
) -> None:
    left = threading.Event()

    def script(asked: Asked) -> None:
        asked.begin()
        asked.say(line("and so on"))
        if asked.wait_until_left():
            left.set()

    _upstream.script = script
    page.text.setPlainText("go on")
    shown.until(page.send.isEnabled)
    page.send.click()
    shown.until(lambda: page.answer.text.toPlainText() == "and so on")
    page.halt.click()
    shown.until(left.is_set)
    assert page._messages[-1] == {"role": "assistant", "content": "and so on"}
    assert page.answer.standing.text() == "Stopped."


def test_an_error_is_told_and_the_message_is_given_back(
    shown: Shown, page: ChatPage, _upstream: ScriptedUpstream
) -> None:
    _upstream.script = lambda asked: asked.answer(500, {"error": "out of memory"})
    page.text.setPlainText("hello")
    shown.until(page.send.isEnabled)
    shown.bot.keyClick(page.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    if not page.answer.isVisible():  # an inactive window has no shortcuts
        page.send.click()
    shown.until(lambda: page.answer.standing.text().startswith("No answer: out of memory."))
    assert page.text.toPlainText() == "hello"
    assert page._messages == []
