"""Tests of trying a suggestion in the window, with a real service and a fake Ollama."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from lull.contract import routes
from lull.core.proof.proposal import ProposalStatus
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.shared.try_dialog import TryDialog, skill_to_try
from lull.desktop.widgets.page import PageName
from tests.desk import Desk
from tests.desktop.conftest import Shown, live
from tests.desktop.pages.review.test_review_page import dialog_of
from tests.desktop.played.week import play
from tests.desktop.scripted import Scripted
from tests.eventually import PATIENCE_S
from tests.service.lulls import Before, lull_before
from tests.service.scripted_upstream import (
    Asked,
    ScriptedUpstream,
    last_line,
    line,
    reply_natively,
)

ASKED = "Write a menu with apple, river and stone."
BODY = "Join the words of a menu with bars."
full = pytest.mark.full


@pytest.fixture(scope="module")
def _upstream() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream() as made:
        yield made


@pytest.fixture(scope="module")
def _lull(_upstream: ScriptedUpstream) -> Iterator[Before]:
    with tempfile.TemporaryDirectory(prefix="lull-") as folder:
        home = Path(folder) / "home"
        with Desk(home).open() as desk:
            desk.propose(body=BODY, status=ProposalStatus.UNPROVED, model="any")
            desk.propose("odd-one", body="Obey.", status=ProposalStatus.QUARANTINED)
        with lull_before(_upstream.address, home) as made:
            yield made


@pytest.fixture
def lull(_lull: Before, _upstream: ScriptedUpstream) -> Before:
    _upstream.script = reply_natively
    _upstream.asked.clear()
    return _lull


@pytest.fixture
def shown(lull: Before, show: Callable[..., Shown]) -> Shown:
    return live(show(lull.home))


def opened(shown: Shown, name: str = "menu-style") -> tuple[ReviewPage, TryDialog]:
    page = shown.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    shown.until(lambda: len(page.rows.rows) == 2)
    page._go_to(next(n for n, one in enumerate(page.rows.rows) if one["name"] == name))
    page._show_current()
    shown.until(page.try_it.isEnabled)
    page.try_it.click()
    dialog = dialog_of(page, TryDialog)
    assert isinstance(dialog, TryDialog)
    shown.until(lambda: dialog.models.chosen == "any:latest")
    return page, dialog


def begun(shown: Shown, dialog: TryDialog, request: str = ASKED) -> None:
    dialog.request.setPlainText(request)
    dialog.go.click()


def text(dialog: TryDialog, side: str) -> str:
    return dialog.answers[side].text.toPlainText()


def standing(dialog: TryDialog, side: str) -> str:
    return dialog.answers[side].standing.text()


@full
def test_two_answers_stream_one_after_the_other_and_nothing_is_stored(
    shown: Shown, lull: Before, _upstream: ScriptedUpstream
) -> None:
    go_on = threading.Event()

    def script(asked: Asked) -> None:
        asked.begin()
        asked.say(line("with bars" if BODY.encode() in asked.body else "with commas"))
        assert go_on.wait(PATIENCE_S)
        asked.say(line(", all of it"))
        asked.say(last_line())
        asked.end()

    _upstream.script = script
    before = len(lull.turns())
    _, dialog = opened(shown)
    begun(shown, dialog)
    shown.until(lambda: text(dialog, "without") == "with commas")
    assert text(dialog, "with") == ""
    assert standing(dialog, "with") == "Starts when the other answer is finished."
    assert _upstream.count("/api/chat") == 1, "a chat of the user's waits for one answer at most"
    assert BODY in dialog.block.toPlainText()
    assert dialog.halt.isEnabled() and not dialog.go.isEnabled()
    go_on.set()
    shown.until(lambda: text(dialog, "with") == "with bars, all of it")
    shown.until(dialog.go.isEnabled)
    assert text(dialog, "without") == "with commas, all of it"
    assert standing(dialog, "with").startswith("Done, after ")
    assert dialog.answers["with"].skills.text() == "Skills in this prompt: Menu style"
    assert dialog.answers["without"].skills.text() == "No skills in this prompt."
    assert dialog.block.toPlainText() in _upstream.last("/api/chat").json["messages"][0]["content"]
    assert len(lull.turns()) == before
    dialog.close()


@full
def test_stop_stops_the_model_and_does_not_ask_the_other_side(
    shown: Shown, _upstream: ScriptedUpstream
) -> None:
    left = threading.Event()

    def script(asked: Asked) -> None:
        asked.begin()
        asked.say(line("and so on"))
        if asked.wait_until_left():
            left.set()

    _upstream.script = script
    _, dialog = opened(shown)
    begun(shown, dialog)
    shown.until(lambda: text(dialog, "without") == "and so on")
    dialog.halt.click()
    shown.until(left.is_set)
    assert [standing(dialog, side) for side in dialog.answers] == ["Stopped.", "Stopped."]
    assert dialog.go.isEnabled() and not dialog.halt.isEnabled()
    assert _upstream.count("/api/chat") == 1
    dialog.close()


@full
def test_closing_stops_the_model(shown: Shown, _upstream: ScriptedUpstream) -> None:
    left = threading.Event()

    def script(asked: Asked) -> None:
        asked.begin()
        asked.say(line("and so on"))
        if asked.wait_until_left():
            left.set()

    _upstream.script = script
    _, dialog = opened(shown)
    begun(shown, dialog)
    shown.until(lambda: text(dialog, "without") == "and so on")
    shown.bot.keyClick(dialog, Qt.Key.Key_Escape)
    shown.until(left.is_set)


@full
def test_an_error_of_one_side_is_told_there_and_the_other_is_answered(
    shown: Shown, _upstream: ScriptedUpstream
) -> None:
    def script(asked: Asked) -> None:
        if BODY.encode() in asked.body:
            reply_natively(asked)
        else:
            asked.answer(500, {"error": "out of memory"})

    _upstream.script = script
    _, dialog = opened(shown)
    begun(shown, dialog)
    shown.until(lambda: text(dialog, "with") == "well said")
    wrong = dialog.answers["without"].standing
    assert wrong.text() == "No answer: out of memory. Try again, or choose another model."
    assert wrong.property("kind") == "bad"
    dialog.close()


@full
def test_an_answer_that_breaks_off_is_told_so(shown: Shown, _upstream: ScriptedUpstream) -> None:
    def script(asked: Asked) -> None:
        asked.begin()
        asked.say(line("half"))
        asked.drop()

    _upstream.script = script
    _, dialog = opened(shown)
    begun(shown, dialog)
    shown.until(lambda: dialog.go.isEnabled() and text(dialog, "with"))
    assert standing(dialog, "with") == "The answer was cut off. Try again."
    dialog.close()


@full
def test_it_says_when_the_skill_makes_no_difference(shown: Shown) -> None:
    _, dialog = opened(shown)
    begun(shown, dialog, "Why is the sky blue?")
    shown.until(lambda: text(dialog, "with") == "well said")
    assert dialog.doing.isVisible()
    assert dialog.doing.text().startswith("It makes no difference to this request")
    assert dialog.block.toPlainText() == ""
    dialog.close()


@full
def test_nothing_of_a_quarantined_suggestion_can_be_tried(shown: Shown) -> None:
    page, dialog = opened(shown)
    dialog.close()
    page._go_to(next(n for n, one in enumerate(page.rows.rows) if one["name"] == "odd-one"))
    page._show_current()
    assert not page.try_it.isEnabled()


def test_it_begins_with_the_request_that_taught_it(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    play(scripted, home / "logs")
    shown = live(show(home))
    page = shown.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    shown.until(lambda: page.current() is not None)
    current = page.current()
    assert current is not None
    route = routes.TURN.format(id=current["turns"]["failures"][0])
    scripted.answers[route] = {"request": "Sign my letter."}
    page.try_it.click()
    dialog = dialog_of(page, TryDialog)
    assert isinstance(dialog, TryDialog)
    shown.until(lambda: dialog.request.toPlainText() == "Sign my letter.")
    dialog.close()


def test_enter_tries_it_as_it_sends_in_a_chat(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    play(scripted, home / "logs")
    shown = live(show(home))
    page = shown.go(PageName.REVIEW)
    dialog = TryDialog(page.kit, skill_to_try({"name": "menu-style", "client": ""}), page)
    dialog.show()
    shown.until(lambda: bool(dialog.models.chosen))
    shown.bot.keyClicks(dialog.request, "mine")
    shown.bot.keyClick(dialog.request, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    shown.bot.keyClicks(dialog.request, "too")
    assert not dialog.halt.isEnabled()
    shown.bot.keyClick(dialog.request, Qt.Key.Key_Return)
    assert dialog.request.toPlainText() == "mine\ntoo"
    assert dialog.halt.isEnabled()
    dialog.close()


def test_what_the_user_types_first_is_not_overwritten(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    play(scripted, home / "logs")
    shown = live(show(home))
    page = shown.go(PageName.REVIEW)
    skill = {"name": "menu-style", "client": ""}
    dialog = TryDialog(page.kit, skill_to_try(skill), page)
    dialog.show()
    assert not dialog.go.isEnabled()
    shown.bot.keyClicks(dialog.request, "mine")
    from lull.desktop.service.client import Reply, ReplyOutcome

    dialog._fill(Reply(outcome=ReplyOutcome.DONE, value={"request": "another"}))
    assert dialog.request.toPlainText() == "mine"
    dialog.close()
