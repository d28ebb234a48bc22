"""Tests of what the window says and offers while a suggestion is tested, waits, or was stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from lull.core.proof.proposal import Proposal, ProposalStatus
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.pages.review.proposal_rows import row_words, status_words
from lull.desktop.pages.review.tested_words import evidence_words, why_not_better
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.service.state import Subject
from lull.desktop.widgets.page import PageName
from tests.desk import Desk, proved
from tests.desktop.conftest import Shown


def opened(shown: Shown, *, with_: int) -> ReviewPage:
    page = shown.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    shown.desktop.state.touch(*page.subjects)
    shown.until(lambda: len(page.rows.rows) == with_)
    return page


def seen(on_desk: Shown, page: ReviewPage, look: Any) -> None:
    on_desk.desktop.state.touch(*page.subjects)
    on_desk.until(look)


def test_a_test_under_way_is_stopped_by_its_button(on_desk: Shown, desk: Desk) -> None:
    made = desk.propose()
    page = opened(on_desk, with_=1)
    assert page.prove.isVisible() and not page.stop.isVisible()
    desk.proofs.before = {made.id: 0}
    seen(on_desk, page, page.stop.isVisible)
    assert not page.prove.isVisible() and page.stop.text() == "Stop testing"
    assert page.view.evidence.text() == "It is being tested now."
    page.stop.click()
    on_desk.until(lambda: desk.proofs.stopped == [made.id])
    on_desk.until(
        lambda: on_desk.told == ["Stopped. Its tests so far are kept; “Test now” goes on."]
    )


def test_one_that_waits_says_for_how_many_and_is_taken_back(on_desk: Shown, desk: Desk) -> None:
    made = desk.propose()
    desk.proofs.before = {made.id: 1}
    page = opened(on_desk, with_=1)
    on_desk.until(page.stop.isVisible)
    assert page.stop.text() == page.stop.accessibleName() == "Don't test now"
    assert row_words(page.rows.rows[0]).startswith("Waits for 1 other test")
    page.stop.click()
    on_desk.until(lambda: desk.proofs.stopped == [made.id])
    on_desk.until(lambda: on_desk.told and on_desk.told[0].startswith("Taken back."))


def test_one_that_was_stopped_says_so_and_can_go_on(on_desk: Shown, desk: Desk) -> None:
    desk.propose(replays=proved()[:3], status=ProposalStatus.PROVING, stopped=True)
    page = opened(on_desk, with_=1)
    assert row_words(page.rows.rows[0]).startswith("Stopped by you")
    assert status_words(page.rows.rows[0]) == "New skill, stopped by you"
    assert page.view.evidence.text().startswith("You stopped its test; “Test now” goes on. Better")
    assert page.prove.isVisible() and not page.stop.isVisible()


def test_today_stops_the_test_that_it_tells_of(on_desk: Shown, desk: Desk) -> None:
    made = desk.propose()
    today = on_desk.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    assert not today.stop.isVisible()
    desk.proofs.before = {made.id: 0}
    on_desk.desktop.state.touch(*ReviewPage.subjects)
    on_desk.until(today.stop.isVisible)
    today.stop.click()
    on_desk.until(lambda: desk.proofs.stopped == [made.id])


def end(desk: Desk, made: Proposal, status: ProposalStatus, reason: str = "") -> None:
    for pair in proved():
        desk.do(desk.stores.proposals.advance(made, pair))
    desk.do(desk.stores.proposals.advance(replace(made, status=status, reason=reason)))
    desk.proofs.before = {}


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (ProposalStatus.PROVED, "“Menu style” was tested: it helps."),
        (ProposalStatus.UNPROVED, "“Menu style” was tested: it did not help."),
    ],
)
def test_a_test_that_was_asked_for_tells_its_end_once_on_any_page(
    on_desk: Shown, desk: Desk, status: ProposalStatus, said: str
) -> None:
    made = desk.propose()
    desk.proofs.before = {made.id: 0}
    page = on_desk.go(PageName.TODAY)
    on_desk.until(lambda: [one for one in on_desk.desktop.state.proposals if one.get("asked")])
    end(desk, made, status)
    seen(on_desk, page, lambda: said in on_desk.told)
    for _ in range(2):
        before = on_desk.desktop.state.held(Subject.PROPOSALS)
        desk.propose(f"other-{_}")
        on_desk.desktop.state.touch(Subject.PROPOSALS)
        on_desk.until(lambda was=before: on_desk.desktop.state.held(Subject.PROPOSALS) != was)  # type: ignore[misc]
    assert on_desk.told == [said]


@pytest.mark.parametrize("asked", [True, False])
def test_what_its_test_turned_down_is_told_and_stays_on_today(
    on_desk: Shown, desk: Desk, asked: bool
) -> None:
    made = desk.propose()
    desk.proofs.before = {made.id: 0} if asked else {}
    today = on_desk.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    on_desk.until(lambda: len(on_desk.desktop.state.proposals) == 1)
    why = "it did harm: 8 of 24 past successes got worse"
    end(desk, made, ProposalStatus.REJECTED, why)
    harm = "turned down by its test: it did harm: 8 of 24 good earlier answers"

    def listed() -> bool:
        words = [one.text() for one in today.changes.findChildren(QLabel) if one.isVisible()]
        return any(one.startswith(f"“Menu style” was {harm}") for one in words)

    seen(on_desk, today, listed)
    if asked:
        on_desk.until(lambda: len(on_desk.told) == 1)
        assert on_desk.told[0].startswith("“Menu style” was turned down by its tests")
    else:
        assert on_desk.told == []


def test_what_the_user_turned_down_is_not_told_as_their_tests_doing(
    on_desk: Shown, desk: Desk
) -> None:
    made = desk.propose()
    desk.do(desk.reviewing.decide(made.id, "reject", {"reason": "it did harm"}))
    today = on_desk.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    held = on_desk.desktop.state
    on_desk.until(lambda: held.value(Subject.PROPOSALS).get("turned_down") == [])
    assert not today.changes.isVisible()


def kept(**more: Any) -> Any:
    evidence = {
        **{"pairs": 12, "success_pairs": 0, "requests": 1, "wins": 0, "losses": 0},
        **{"e_value": 1.0, "harm_e_value": 1.0, "needs_e_value": 20.0, "most_pairs": 60},
        "kept": {"pairs": 12, "with": 0, "without": 0, "both": 0, "neither": 12, **more},
    }
    return {"kind": "new", "status": "unproved", "standing": "not-better", "evidence": evidence}


def test_a_rule_that_the_model_cannot_keep_is_called_that() -> None:
    assert why_not_better(kept()) == (
        "Your model did not keep this rule in any of 12 tries, so the test ended. Another model "
        "may follow it."
    )
    anyway = {"with": 12, "without": 12, "both": 12, "neither": 0}
    assert why_not_better(kept(**anyway)) == "Your model keeps this rule without the skill, too."


@pytest.mark.parametrize("of", [12, 0])
def test_of_a_rule_with_and_each_part_says_how_often_it_was_kept(of: int) -> None:
    parts = [
        {"check": "The answer must be in French.", "kept": 9, "of": of},
        {"check": "The answer must have at most 2 sentences.", "kept": 0, "of": 12},
    ]
    said = evidence_words(kept(parts=parts))
    assert ("“The answer must be in French.”: 9 of 12 with the skill." in said) is (of == 12)
    assert "“The answer must have at most 2 sentences.”: 0 of 12 with the skill." in said
