"""Tests of numbers in sentences: one of something is told in the singular."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from lull.contract import routes
from lull.desktop.pages.learning import meaning
from lull.desktop.pages.learning.words import run_words
from lull.desktop.pages.review.compare_dialog import result_words
from lull.desktop.pages.review.tested_words import evidence_words
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import run
from tests.desktop.pages.test_wiping import conversations, settings, wipe_dialog
from tests.desktop.played.week import skills
from tests.desktop.scripted import Scripted


def test_a_run_of_one_turn() -> None:
    assert " · 1 answer · " in run_words(run(1, turns=1))
    assert " · 30 answers · " in run_words(run(1))


def test_a_skill_that_was_used_once(on_script: Shown, scripted: Scripted) -> None:
    for uses, said in ((1, "used once"), (2, "used 2 times")):
        made = {**skills()[0], "uses": uses}
        scripted.answers[routes.SKILLS] = {"skills": [made], "generation": 3}
        scripted.tell("skills")
        page = on_script.go(PageName.SKILLS)
        on_script.until(lambda: any(said in one.text() for one in page.findChildren(QLabel)))  # noqa: B023


def test_the_only_run_is_told_without_counting_it() -> None:
    better, worse = meaning.runs_sentence([(0.4, 0.5)]), meaning.runs_sentence([(0.5, 0.4)])
    start = "Too few runs to tell: after the only one the practice answers were "
    assert better == f"{start}better than before."
    assert worse == f"{start}not better than before."


def test_one_more_pick_and_one_pair_to_compare() -> None:
    done = {"status": "unproved", "open": True, "wins": 5, "losses": 0, "reason": "", "most": 9}
    assert "1 more pick for the skill would prove it" in result_words({**done, "wanted": 1})
    assert "2 more picks for the skill would prove it" in result_words({**done, "wanted": 2})
    waits = {
        "kind": "new",
        "status": "unproved",
        "needs": "picks",
        "evidence": {"picks": {"wanted": 1}},
    }
    assert "1 pick for the skill is enough." in evidence_words(waits)


def test_one_conversation_that_is_left(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.CONVERSATIONS] = conversations(1)
    scripted.refusing[routes.FORGET] = {"title": "No", "detail": "The disk is full.", "hint": ""}
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    on_script.until(dialog.sure.isEnabled)
    dialog.sure.setChecked(True)
    dialog.wipe.click()
    on_script.until(lambda: any("1 conversation is still there" in text for text in on_script.told))
