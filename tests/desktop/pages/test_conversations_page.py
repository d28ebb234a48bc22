"""Tests of the conversations page: read a page at a time, searched, rated, forgotten."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.feedback.reward import Source
from lull.core.feedback.signals import Signal, SignalKind
from lull.desktop.language.words import short_date
from lull.desktop.pages.chat.conversation_rows import PAGE
from lull.desktop.pages.chat.denied_dialog import DeniedDialog
from lull.desktop.pages.chat.forget_dialog import ForgetDialog, forget_words
from lull.desktop.pages.chat.page import ConversationsPage
from lull.desktop.pages.chat.score_words import score_words
from lull.desktop.service.state import Subject
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.text.long_text import LongText
from lull.loops.feedback.verify import wish_text
from lull.service.chat.views import signal_text_view
from tests.desktop.conftest import Shown
from tests.desktop.scripted import Scripted, status


def conversation(number: int) -> Json:
    return {
        "id": f"conv_{number}",
        "client": "editor",
        "model": "qwen3:4b",
        "turns": 2,
        "started": "2026-11-21T10:00:00+00:00",
        "last": "2026-11-21T10:05:00+00:00",
        "generation": 3,
        "skills": [],
    }


def turn(number: int, **more: Any) -> Json:
    return {
        "id": f"turn_{number}",
        "number": number,
        "at": "2026-11-21T10:05:00+00:00",
        "policy": {"model": "qwen3:4b", "base": "", "adapter": None, "generation": 3},
        "request": f"Question {number}?",
        "messages": [{"role": "user", "text": f"Question {number}?"}],
        "complete": True,
        "answer": f"Answer {number}.",
        "tool_calls": [],
        "label": None,
        "note": None,
        "reward": {"value": 1, "p_good": 0.9, "source": "explicit"},
        "signals": [],
        "eligible": True,
        "why_not": None,
        **more,
    }


def opened(shown: Shown, scripted: Scripted, count: int) -> ConversationsPage:
    def page_behind(query: Json) -> Json:
        first = int(query["after"].removeprefix("conv_")) + 1 if query.get("after") else 0
        behind = min(first + PAGE, count)
        following = f"conv_{behind - 1}" if behind < count else None
        return {
            "conversations": [conversation(n) for n in range(first, behind)],
            "next": following,
        }

    scripted.answers[routes.CONVERSATIONS] = page_behind
    for n in range(min(count, 3)):
        scripted.answers[f"/v1/conversations/conv_{n}"] = {
            **conversation(n),
            "turns": [turn(10 * n), turn(10 * n + 1)],
        }
    page = shown.go(PageName.CONVERSATIONS)
    assert isinstance(page, ConversationsPage)
    # A list that is not laid out yet may ask for more at once.
    shown.until(lambda: len(page.rows.rows) >= min(count, PAGE) and not page.rows.reading)
    shown.until(lambda: count < PAGE or page.list.verticalScrollBar().maximum() > 0)
    return page


def words(page: ConversationsPage) -> str:
    from PySide6.QtWidgets import QLabel

    return "\n".join(label.text() for label in page.view.findChildren(QLabel))


def test_before_the_first_one_the_address_is_shown(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.STATUS] = status(conversations=0)
    scripted.tell("lull")
    page = on_script.go(PageName.CONVERSATIONS)
    on_script.until(lambda: page.nothing.head.text() == "No conversations yet")
    assert "http://127.0.0.1:11435" in page.nothing.words.text()
    offered = [one.text() for one in page.nothing.findChildren(QPushButton) if one.isVisible()]
    assert offered == ["Copy address", "Connect a chat app", "Chat here"]


def test_the_newest_is_open_and_can_be_read(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 3)
    on_script.until(lambda: "Answer 1." in words(page))
    assert "You rated it good" in words(page)


def test_no_title_is_taken_for_the_markup_of_a_tooltip(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    page.rows.rows[0]["title"] = 'see <img src="/dev/zero">'
    tip = page.rows.data(page.rows.index(0), Qt.ItemDataRole.ToolTipRole)
    assert "see &lt;img src=" in tip and "<img" not in tip


def test_the_open_one_is_copied_as_markdown(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 3)
    on_script.until(lambda: "Answer 1." in words(page))
    page.copy.click()
    assert on_script.told[-1] == "Copied the conversation."
    text = QGuiApplication.clipboard().text()
    at = short_date("2026-11-21T10:05:00+00:00")
    assert text.startswith(f"# Conversation with qwen3:4b\n\neditor, conv_0\n\n## User, {at}\n")
    assert f"\n\nQuestion 1?\n\n## Assistant, {at}\n\nAnswer 1.\n" in text


def test_more_are_read_when_one_scrolls(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 100_000)
    before = len(page.rows.rows)
    assert before < 10 * PAGE, "what nobody scrolled to is not read"
    page.list.scrollToBottom()
    on_script.until(lambda: len(page.rows.rows) > before)
    assert [row["id"] for row in page.rows.rows] == [
        f"conv_{n}" for n in range(page.rows.rowCount())
    ]
    asked = [query for _, path, query in scripted.asked if path == routes.CONVERSATIONS]
    assert f"conv_{before - 1}" in [query.get("after") for query in asked]


def test_who_comes_to_the_end_while_a_page_is_read_gets_more(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 100_000)
    before = len(page.rows.rows)
    page.rows.reload()
    assert page.rows.reading
    page.list.scrollToBottom()
    on_script.until(lambda: len(page.rows.rows) > before)


@pytest.mark.slow
def test_a_hundred_thousand_scroll_smoothly(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 3)

    def usual_s(count: int) -> float:
        """Return the median time of this thread's own that a step through so many rows took."""
        page.rows.beginResetModel()
        page.rows.rows = [conversation(n) for n in range(count)]
        page.rows.endResetModel()
        bar = page.list.verticalScrollBar()
        took_s = []
        for step in range(40):
            began_s = time.thread_time()
            bar.setValue(bar.maximum() * step // 40)
            page.list.viewport().repaint()
            took_s.append(time.thread_time() - began_s)
        return sorted(took_s)[len(took_s) // 2]

    few_s = usual_s(100)
    assert usual_s(100_000) < 10 * few_s  # work on each row would take a thousand times as long


def test_a_search_asks_the_service(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 3)
    page.filter.search.setText("menu")
    on_script.until(lambda: any(query.get("search") == "menu" for _, _, query in scripted.asked))
    scripted.answers[routes.CONVERSATIONS] = {"conversations": [], "next": None}
    page.filter.client.addItem("nobody", "nobody")
    page.filter.client.setCurrentIndex(1)
    page.filter.client.activated.emit(1)
    on_script.until(lambda: page.none.text() == "Nothing found.")


def test_a_turn_is_rated_and_the_rating_taken_back(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    on_script.until(lambda: "Answer 1." in words(page))
    path = routes.RATE.format(id="turn_1")
    scripted.answers[path] = {}
    page.kit.actions.rate("turn_1", "good")
    on_script.until(lambda: scripted.posts(path) == [{"label": "good"}])
    on_script.until(lambda: "Rated good." in on_script.told)
    on_script.desktop.window.note.undo.click()
    on_script.until(lambda: scripted.posts(path)[-1] == {"label": "clear"})


def test_forgetting_says_what_goes_and_asks_first(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    scripted.answers[routes.FORGET] = {
        "done": False,
        "removed": {"turns": 2, "skills": 1, "runs": 0, "adapters": 0, "proposals": 1},
        "skills": ["menu-style"],
    }
    on_script.until(page.forget.isEnabled)
    page.forget.click()
    on_script.until(lambda: page.findChildren(ForgetDialog))
    dialog = page.findChildren(ForgetDialog)[0]
    assert "2 answers, 1 suggestion, 1 skill" in dialog.words.text()
    assert "“Menu style”" in dialog.words.text()
    assert not any(body.get("yes") for body in scripted.posts(routes.FORGET))
    dialog.yes.click()
    on_script.until(lambda: scripted.posts(routes.FORGET)[-1].get("yes") is True)


def test_what_was_opened_while_another_is_forgotten_stays_open(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 2)
    scripted.answers[routes.FORGET] = {"done": True, "removed": {}, "skills": []}
    on_script.until(page.forget.isEnabled)
    page.forget.click()
    on_script.until(lambda: page.findChildren(ForgetDialog))
    may_end = scripted.held[routes.FORGET] = threading.Event()
    page.findChildren(ForgetDialog)[0].yes.click()
    on_script.until(lambda: scripted.posts(routes.FORGET)[-1].get("yes") is True)
    page.list.setCurrentIndex(page.rows.index(1, 0))
    on_script.until(lambda: "Answer 11." in words(page))
    may_end.set()
    on_script.until(lambda: any("Forgotten" in text for text in on_script.told))
    assert "Answer 11." in words(page) and page.forget.isEnabled()


def test_a_conversation_of_which_nothing_was_made_says_so() -> None:
    assert forget_words({"removed": {}}) == "Nothing was made from it."


def test_a_skill_that_goes_as_well_is_called_as_on_every_page() -> None:
    found = {"removed": {"skills": 2}, "skills": ["end-with-cheers", "menu-style"]}
    assert forget_words(found).endswith("Skills: “End with cheers”, “Menu style”.")


def test_a_turn_that_may_not_train_says_why() -> None:
    said = score_words(turn(1, reward=None, eligible=False, why_not="it is kept for the gate"))
    assert said == "Not scored yet · not used for training: it is kept for the gate"
    unscored = turn(1, reward=None, eligible=False, why_not="not scored yet")
    assert score_words(unscored) == "Not scored yet"


RULE = "The answer must have at most 25 words."


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            1.0,
            "It keeps your rule: The answer must have at most 25 words. Only this was checked, "
            "nothing else of the answer · may be used for training",
        ),
        (
            -1.0,
            "It breaks your rule: The answer must have at most 25 words · may be used for training",
        ),
    ],
)
def test_a_rule_that_is_kept_is_not_told_as_a_good_answer(value: float, said: str) -> None:
    reward = {"value": value, "p_good": 0.97 if value > 0 else 0.03, "source": "verifiable"}
    check = {"kind": "check", "source": "verifiable", "value": value, "text": RULE}
    assert score_words(turn(1, reward=reward, signals=[check], eligible=True)) == said


def test_beside_a_rating_a_rule_is_said_to_be_kept_or_broken() -> None:
    reward = {"value": 1.0, "p_good": 0.97, "source": "explicit"}
    for value, said in ((1.0, "a rule was kept"), (-1.0, "a rule was broken")):
        check = {"kind": "check", "source": "verifiable", "value": value, "text": RULE}
        words = score_words(turn(1, reward=reward, signals=[check], eligible=True))
        assert words == f"You rated it good · {said}: {RULE[:-1]} · may be used for training"


def test_a_broken_rule_is_told_and_not_one_that_was_kept_beside_it() -> None:
    reward = {"value": -1.0, "p_good": 0.03, "source": "verifiable"}
    kept = {"kind": "check", "source": "verifiable", "value": 1.0, "text": "It is short."}
    broken = {"kind": "check", "source": "verifiable", "value": -1.0, "text": RULE}
    said = score_words(turn(1, reward=reward, signals=[kept, broken], eligible=True))
    assert RULE.removesuffix(".") in said and "short" not in said


def test_a_rule_in_the_users_words_is_quoted() -> None:
    reward = {"value": -1.0, "p_good": 0.03, "source": "verifiable"}
    by = Source.VERIFIABLE
    text = wish_text("Be brief.")
    wish = Signal(kind=SignalKind.CHECK, source=by, value=-1.0, text=text)
    told = {"kind": "check", "value": -1.0, **signal_text_view(wish)}
    said = score_words(turn(1, reward=reward, signals=[told], eligible=True))
    assert said.startswith("It breaks your rule: “Be brief” · ")


def test_what_the_next_message_says_is_not_repeated_above_it() -> None:
    reward = {"value": -1.0, "p_good": 0.03, "source": "verifiable"}
    rule = {"kind": "check", "value": -1.0, "text": "you said: no, use dashes"}
    rule |= {"code": "signal-wish", "values": ["no, use dashes"]}
    corrects = {"kind": "correction", "value": -1.0, "text": "no, use dashes"}
    thanks = {"kind": "thanks", "value": 0.5, "text": "thank you, no, use dashes"}
    said = score_words(turn(1, reward=reward, signals=[rule, rule, corrects], eligible=True))
    assert said == (
        "It breaks your rule: “no, use dashes” · Lull read your next message as a correction · "
        "may be used for training"
    )
    again = {"kind": "regeneration", "value": -0.5, "text": "write a note with dashes"}
    assert "dashes" not in score_words(turn(1, reward=None, signals=[corrects, thanks, again]))


def test_what_comes_of_denied_words_is_kept_or_disabled_in_place(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    skills = on_script.desktop.state.value(Subject.SKILLS)
    shown = {**(skills.get("skills") or [{}])[0], "name": "use-dashes", "status": "active"}
    skills["skills"] = [{**shown, "body": "use dashes"}, {**shown, "name": "b", "body": "b"}]
    corrects = {"kind": "correction", "value": -1.0, "text": "No, use dashes."}
    wish = {"kind": "check", "value": -1.0, "text": "you said", "code": "signal-wish"}
    wish |= {"values": ["No, use dashes."]}
    one = turn(0, signals=[corrects, wish], eligible=True)
    path = routes.TURN_DENY.format(id=one["id"])
    scripted.answers |= {path: {"denied": True}, routes.SKILLS_CHANGE: {"generation": 3}}

    def denied() -> DeniedDialog:
        page.view.show_conversation({**conversation(0), "turns": [one]})
        for made in page.view.findChildren(QPushButton):
            if made.text() == "That was no correction":
                made.click()
                break
        window = on_script.desktop.window
        on_script.until(lambda: bool(window.findChildren(DeniedDialog)))
        return window.findChildren(DeniedDialog)[-1]

    dialog = denied()
    assert "“Use dashes”" in " ".join(one.text() for one in dialog.findChildren(QLabel))
    assert dialog.keep.isDefault() and not dialog.disable.autoDefault()
    dialog.keep.click()
    on_script.until(lambda: not on_script.desktop.window.findChildren(DeniedDialog))
    assert not scripted.posts(routes.SKILLS_CHANGE)
    denied().disable.click()
    wanted = {"do": "disable", "name": "use-dashes", "client": ""}
    on_script.until(lambda: scripted.posts(routes.SKILLS_CHANGE) == [wanted])
    on_script.until(lambda: "Disabled: “Use dashes”" in on_script.told)
    on_script.desktop.window.note.undo.click()
    on_script.until(lambda: scripted.posts(routes.SKILLS_CHANGE)[-1]["do"] == "enable")


def test_what_lull_read_as_a_correction_can_be_denied_in_place(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    corrects = {"kind": "correction", "value": -1.0, "text": "and the desserts?"}
    one = turn(0, signals=[corrects], eligible=True)
    page.view.show_conversation({**conversation(0), "turns": [one]})
    assert "Lull read your next message as a correction" in words(page)
    bad = {**one, "label": "bad"}
    page.view.show_conversation({**conversation(0), "turns": [bad]})
    assert "That was no correction" in [b.text() for b in page.view.findChildren(QPushButton)]
    page.view.show_conversation({**conversation(0), "turns": [one]})
    denied = [
        b for b in page.view.findChildren(QPushButton) if b.text() == "That was no correction"
    ]
    on_script.desktop.window.resize(700, 520)
    assert page.view.horizontalScrollBar().maximum() == 0
    path = routes.TURN_DENY.format(id=one["id"])
    scripted.answers[path] = {"denied": True}
    denied[-1].click()
    on_script.until(lambda: scripted.posts(path) == [{"denied": True}])
    # It says nothing about whether the answer was good.
    assert not scripted.posts(routes.RATE.format(id=one["id"]))
    on_script.until(lambda: "Not read as a correction any more." in on_script.told)
    on_script.desktop.window.note.undo.click()
    on_script.until(lambda: scripted.posts(path)[-1] == {"denied": False})
    page.view.show_conversation({**conversation(0), "turns": [{**one, "signals": []}]})
    on_script.until(
        lambda: not [b for b in page.view.findChildren(QPushButton) if "wasn't" in b.text()]
    )


def test_a_button_names_the_answer_below_which_it_stands(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    said = {**turn(0), "id": "turn_4", "corrects": True, "request": "Join them.", "answer": ""}
    numbered = [turn(0), said, turn(1), turn(2)]
    # The service counts a conversation's turns from 1.
    turns = [{**one, "number": one["number"] + 1} for one in numbered]
    scripted.answers["/v1/conversations/conv_0"] = {**conversation(0), "turns": turns}
    page._reload()

    def named() -> list[str]:
        names = [one.accessibleName() for one in page.view.findChildren(QPushButton)]
        return [name for name in names if name.startswith("Rate")]

    wanted = [f"Rate answer {n}: {words}" for n in (1, 2, 3) for words in ("Good", "Bad")]
    on_script.until(lambda: named() == wanted)
    assert "in Lull's window about the answer above\nJoin them.\n" in words(page)


def test_a_wish_that_became_a_skill_is_told_once(on_script: Shown, scripted: Scripted) -> None:
    wish = "When I ask what something is, answer in at most 25 words"
    check = {"kind": "check", "source": "verifiable", "value": 1.0, "text": RULE}
    quoted = {"kind": "check", "source": "verifiable", "value": 1.0, "text": f"you said: {wish}"}
    quoted |= {"code": "signal-wish", "values": [wish]}
    reward = {"value": 1.0, "p_good": 0.97, "source": "explicit"}
    one = turn(0, reward=reward, signals=[check, quoted], eligible=True)
    one["skills"] = [{"name": "25-words", "version": 1}]
    told = f"a rule was kept: “{wish}”"  # it may have been said at another answer
    assert told in score_words(one)
    assert told in score_words({**one, "signals": [{**check, "value": -1.0}, quoted]}, [wish])
    skill = {"name": "25-words", "status": "active", "description": "", "version": 1, "uses": 0}
    scripted.answers[routes.SKILLS] = {
        "generation": 9,
        "skills": [{**skill, "body": f"{wish}.", "sha256": "a" * 64}],
    }
    scripted.answers["/v1/conversations/conv_0"] = {**conversation(0), "turns": [one]}
    scripted.answers[routes.CONVERSATIONS] = {"conversations": [conversation(0)], "next": None}
    state = on_script.desktop.state
    state.touch(Subject.SKILLS)
    on_script.until(lambda: state.value(Subject.SKILLS).get("skills"))
    page = on_script.go(PageName.CONVERSATIONS)
    assert isinstance(page, ConversationsPage)
    on_script.until(lambda: "You rated it good" in words(page))
    assert RULE.removesuffix(".") in words(page) and told not in words(page)


def test_a_tool_that_worked_is_no_rule() -> None:
    reward = {"value": 1.0, "p_good": 0.97, "source": "verifiable"}
    ran = {"kind": "test-result", "source": "verifiable", "value": 1.0, "text": "3 passed"}
    said = score_words(turn(1, reward=reward, signals=[ran], eligible=True))
    assert said == "What it did worked · 3 passed · may be used for training"


def test_a_search_keeps_to_what_was_chosen(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.CONVERSATION_KINDS] = {"clients": ["editor"], "models": ["qwen3:4b"]}
    skill = {"name": "menu-style", "status": "active", "description": "", "version": 1, "uses": 0}
    scripted.answers[routes.SKILLS] = {"generation": 9, "skills": [skill]}
    page = opened(on_script, scripted, 3)
    on_script.until(lambda: page.filter.client.count() == 2)
    for box, value in (
        (page.filter.client, "editor"),
        (page.filter.model, "qwen3:4b"),
        (page.filter.label, "bad"),
        (page.filter.excluded, "no"),
    ):
        box.setCurrentIndex(box.findData(value))
    completer = page.filter.skill.completer()
    on_script.until(lambda: completer.model().rowCount() == 1)
    completer.setCompletionPrefix("menu")
    assert completer.currentCompletion() == "Menu style"
    page.filter.skill.setText(completer.currentCompletion())
    wanted = {"client": "editor", "model": "qwen3:4b", "label": "bad", "skill": "menu-style"}
    wanted |= {"excluded": "no"}
    on_script.until(lambda: any(wanted.items() <= query.items() for _, _, query in scripted.asked))
    page.filter.set_options(["curl"], [])
    assert page.filter.client.currentData() == "editor"


def test_one_is_kept_out_of_learning_and_let_in_again(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    path = routes.CONVERSATION_EXCLUDE.format(id="conv_0")
    on_script.until(lambda: "Answer 1." in words(page))
    kept = {**conversation(0), "excluded": True, "turns": [turn(0)]}
    scripted.answers[path] = scripted.answers["/v1/conversations/conv_0"] = kept
    page.exclude.click()
    on_script.until(lambda: scripted.posts(path) == [{"excluded": True}])
    on_script.until(lambda: "You excluded it from learning." in words(page))
    assert page.exclude.text() == "Include in learning again"
    on_script.desktop.window.note.undo.click()
    on_script.until(lambda: scripted.posts(path)[-1] == {"excluded": False})


def test_a_row_says_what_it_is_about_and_what_you_said_of_it(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    row = {**conversation(0), "title": "A menu?", "label": "bad", "excluded": True, "p_good": 0.2}
    scripted.answers[routes.CONVERSATIONS] = {"conversations": [row], "next": None}
    page._look_for()
    index = page.rows.index(0)
    on_script.until(lambda: page.rows.data(index).startswith("A menu?\n"))
    assert page.rows.data(index).partition("\n")[2].startswith("rated bad · excluded · editor · ")


def test_what_was_blacked_out_is_marked_and_told(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    hidden = turn(1, request="My key is ⟨secret:openai-key:1⟩, <b>yes</b>.")
    page.view.show_conversation({**conversation(0), "turns": [hidden]})
    said = words(page)
    assert "Removed before saving: OpenAI key" in said
    assert "&lt;b&gt;yes" in said
    assert "<b>⟨OpenAI key 1⟩</b>" in said


def test_end_goes_to_the_last_of_all(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 3 * PAGE + 7)
    page.list.setFocus()
    on_script.bot.keyClick(page.list, Qt.Key.Key_End)
    on_script.until(lambda: page.list.currentIndex().row() == 3 * PAGE + 6)


def test_a_long_address_is_broken_instead_of_widening_the_page(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    address = "https://example.org/" + "a" * 3000
    secret = f"{'b' * 400} ⟨secret:openai-key:1⟩"
    turns = [turn(1, request=f"See {address} please.", answer=secret)]
    page.view.show_conversation({**conversation(0), "turns": turns})
    on_script.until(lambda: len(page.view.findChildren(LongText)) == 2)
    on_script.until(lambda: page.view.horizontalScrollBar().maximum() == 0)
    first, second = page.view.findChildren(LongText)
    assert first.toPlainText() == turns[0]["request"]
    on_script.until(lambda: first.height() > 4 * first.fontMetrics().height())
    assert "⟨OpenAI key 1⟩" in second.toPlainText()


def test_what_was_recorded_while_another_page_was_shown_is_there_on_coming_back(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    on_script.desktop.window.go(PageName.TODAY)
    scripted.answers[routes.CONVERSATIONS] = {
        "conversations": [conversation(1), conversation(0)],
        "next": None,
    }
    heard: list[str] = []
    on_script.desktop.state.changed.connect(heard.append)
    scripted.tell("turn-recorded", turn="turn_9")
    on_script.until(lambda: "conversations" in heard)
    on_script.desktop.window.go(PageName.CONVERSATIONS)
    on_script.until(lambda: len(page.rows.rows) == 2)


def test_the_open_conversation_shows_a_new_score(on_script: Shown, scripted: Scripted) -> None:
    page = opened(on_script, scripted, 1)
    on_script.until(lambda: page.view.shown is not None)
    scored = turn(0, reward={"value": 0, "p_good": 0.03, "source": "implicit"})
    scripted.answers["/v1/conversations/conv_0"] = {**conversation(0), "turns": [scored]}
    scripted.tell("scored")
    on_script.until(lambda: (page.view.shown or {}).get("turns") == [scored])


def test_what_is_recorded_while_the_list_is_read_is_not_missed(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 1)
    reading, go_on = threading.Event(), threading.Event()

    def slow(_: Json) -> Json:
        reading.set()
        go_on.wait(600)
        return {"conversations": [conversation(0)], "next": None}

    scripted.answers[routes.CONVERSATIONS] = slow
    page.rows.reload()
    on_script.until(reading.is_set)
    page.rows.reload()
    newer = {"conversations": [conversation(1), conversation(0)], "next": None}
    scripted.answers[routes.CONVERSATIONS] = newer
    go_on.set()
    on_script.until(lambda: len(page.rows.rows) == 2)


def test_what_is_new_in_the_list_moves_neither_its_place_nor_its_current_row(
    on_script: Shown, scripted: Scripted
) -> None:
    page = opened(on_script, scripted, 60)
    page.list.setCurrentIndex(page.rows.index(2))
    bar = page.list.verticalScrollBar()
    on_script.until(lambda: bar.maximum() > 0)
    on_script.draw(page.list)  # what is drawn first may change how much there is to scroll
    bar.setValue(bar.maximum())
    on_script.draw(page.list)
    at = bar.value()
    newest = [{**conversation(0), "id": "conv_new"}, *(conversation(n) for n in range(60))]
    scripted.answers[routes.CONVERSATIONS] = {"conversations": newest, "next": None}
    page.rows.reload()
    on_script.until(lambda: len(page.rows.rows) == 61 and not page.rows.reading)
    on_script.draw(page.list)
    assert page.list.currentIndex().row() == 3, "the same conversation, a row further down"
    assert page.rows.rows[page.list.currentIndex().row()]["id"] == "conv_2"
    assert bar.value() == at
