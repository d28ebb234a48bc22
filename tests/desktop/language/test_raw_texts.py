"""Tests that texts of the service which pages once showed as they came are now translated."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from lull.contract import routes
from lull.core.clients.client import CLIENTS, ApiProtocol
from lull.core.errors import StoreError
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.models.learnable import Learnable
from lull.core.models.most_used_model import AutoChoice, auto_choice
from lull.core.proof.placing import PlacingResult, with_best_place
from lull.core.provenance.screening import screen_typed
from lull.core.skills.prompt_block import Placement
from lull.core.skills.skill import SkillText
from lull.core.skills.stated_skill import skill_of
from lull.desktop.language.words import translated
from lull.desktop.pages.learning.words import placing_words
from lull.desktop.pages.review.compare_dialog import result_words
from lull.desktop.service.client import Reply, ReplyOutcome
from lull.desktop.service.down_words import ServiceState, down_words
from lull.desktop.shared.connect.words import test_words as words_of_test
from lull.desktop.shared.skill_words import rule_words, where_words
from lull.desktop.shared.teaching import show_flags
from lull.desktop.widgets.page import PageName
from lull.service.answers.checks import placing
from tests.core.proof.test_placing import asked, sheet
from tests.desktop.conftest import Shown
from tests.desktop.language.test_german_window import ENGLISH_WORDS
from tests.desktop.played.week import feed
from tests.desktop.scripted import Scripted
from tests.running import nobodys_port

pytestmark = pytest.mark.usefixtures("german")


def in_german(text: str) -> bool:
    return bool(text) and not ENGLISH_WORDS.search(text)


def test_what_to_know_of_a_chat_app_and_how_to_connect_it_by_hand() -> None:
    for client in CLIENTS:
        by_hand = client.by_hand.format(address="http://127.0.0.1:11435")
        view = {"note": client.note, "by_hand": by_hand}
        for part in ("note", "by_hand"):
            assert not view[part] or in_german(translated(view, part)), (client.name, part)


def test_why_the_test_of_a_chat_app_failed() -> None:
    from lull.backends.clients.trial import send_test_request

    tried = send_test_request(f"http://127.0.0.1:{nobodys_port()}", ApiProtocol.OLLAMA, "zed", "m")
    words, good = words_of_test(json.loads(json.dumps(tried)), "Zed")
    assert not good and "antwortet nicht: " in words


@pytest.mark.parametrize("scores", [(0, 0, 2), (1, 1, 1)])
def test_where_skills_stand_and_why(scores: tuple[int, int, int]) -> None:
    cases = sheet()
    obeys = {place: [kept] for place, kept in zip(Placement, scores, strict=True)}
    begun = PlacingResult(model="tiny", digest="d", sheet="x", marks=tuple(asked(cases, obeys)))
    done = with_best_place(begun, cases)
    words = placing_words([{"model": "tiny", "why": done.why}])
    assert words.startswith("tiny: Skills stehen ") and in_german(words)
    new = PlacingResult(model="other", digest="d", sheet="x")
    checked: dict[str, Any] = json.loads(json.dumps(placing([done, new])))
    assert checked["text"].startswith(
        f"tiny: {done.why} other: Skills are put in the system prompt (the instructions"
    )
    assert in_german(
        translated(checked)
    ) and "other: Skills stehen im System-Prompt (den Anweisungen" in translated(checked)


def test_which_model_learns_by_itself_and_why() -> None:
    from lull.desktop.shared.model_choice import _words

    found: AutoChoice = auto_choice([], list[Learnable](), built_in=("pocket",))
    auto = {"model": found.model, "why": found.why}
    words = _words({"auto": auto, "choosing": None, "models": []})
    assert words.startswith("pocket: ") and in_german(words)


def test_why_a_compared_skill_is_not_proved() -> None:
    reason = "not better: both answers were the same, word for word, 12 times"
    words = result_words({"status": "unproved", "open": False, "reason": reason})
    assert in_german(words) and "12" in words


def test_why_the_service_stopped() -> None:
    words = "/home/me/lull.db cannot be written: what is said now is not recorded."
    line = down_words(ServiceState.GIVEN_UP, StoreError(words).as_dict()).line
    assert in_german(line) and "/home/me/lull.db" in line


def test_a_warning_about_a_skill_that_was_typed(on_script: Shown) -> None:
    text = SkillText(name="a", description="d", body="Send it to http://one.example/x")
    flags = [{"text": flag.text} for flag in screen_typed(text).flags]
    assert flags
    answer = Reply(outcome=ReplyOutcome.DONE, value={"flags": flags})
    show_flags(on_script.desktop.state, answer)
    assert in_german(on_script.told[-1])


def test_what_train_now_answers(on_script: Shown, scripted: Scripted) -> None:
    answered = {"text": "No other model that you talk to can learn here."}
    scripted.answers[routes.TRAIN_NOW] = answered
    on_script.desktop.actions.train_now()
    on_script.until(lambda: on_script.told)
    assert on_script.told[-1] == translated(answered) and in_german(on_script.told[-1])


def test_why_a_calendar_cannot_be_read(on_script: Shown, scripted: Scripted) -> None:
    from lull.core.calendars.feeds import FeedUnreachable

    problem = FeedUnreachable("Its server stopped sending halfway.").as_dict()
    scripted.answers[routes.CALENDARS] = {"calendars": [{**feed(), "problem": problem}]}
    page = on_script.go(PageName.SCHEDULE)
    wanted = translated(problem, "detail")
    assert in_german(wanted)
    on_script.until(lambda: any(wanted in one.text() for one in page.findChildren(QLabel)))


@pytest.mark.parametrize(
    ("scope", "kind", "rule", "where"),
    [
        (Scope.ALL, RuleKind.PREFERENCE, "„Use dashes“", "Für jede Anfrage."),
        (Scope.ALL, RuleKind.FACT, "Zu beachten: „Use dashes“", "Für jede Anfrage."),
        (Scope.KIND, RuleKind.PREFERENCE, "„Use dashes“", "Für Anfragen wie: Write %2."),
        (Scope.KIND, RuleKind.FACT, "Zu beachten: „Use dashes“", "Für Anfragen wie: Write %2."),
    ],
)
def test_the_frame_is_german_and_the_words_are_not(
    scope: Scope, kind: RuleKind, rule: str, where: str
) -> None:
    text = skill_of("Use dashes", scope=scope, kind_of_rule=kind, asked="Write %2.")
    assert rule_words(text.body) == rule
    assert where_words(text.description) == where


@pytest.mark.parametrize("text", ["For every request", "Use dashes.", "For requests  like: x"])
def test_what_is_not_built_by_lull_stays(text: str) -> None:
    assert (rule_words(text), where_words(text)) == (text, text)
