"""Tests of the box for which requests a suggestion is, and of its check, on the review page."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from lull.core.chat.picks import Pick
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.proof.proposal import Proposal, ProposalStatus
from lull.core.skills.stated_skill import skill_of
from lull.desktop.pages.review.scope_and_check import ScopeAndCheck
from lull.desktop.pages.review.scope_change import LoseTestsDialog
from tests.desk import Desk, proved
from tests.desktop.conftest import Shown
from tests.desktop.pages.review.test_review_page import confirmed, dialog_of, opened

SAID = "Join the words with bars."


def stated(desk: Desk, scope: Scope, **more: object) -> Proposal:
    text = skill_of(SAID, scope=scope, kind_of_rule=RuleKind.PREFERENCE, asked="write a menu")
    return desk.propose(
        body=text.body,
        description=text.description,
        scope=scope,
        **more,  # type: ignore[arg-type]
    )


def choose(beside: ScopeAndCheck, scope: Scope) -> None:
    at = beside.scope.findData(scope.value)
    beside.scope.setCurrentIndex(at)
    beside.scope.activated.emit(at)


def test_the_scope_is_chosen_before_approving(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    beside = page.view.beside
    assert beside.scope.currentText() == "similar requests"
    assert "Applies to" in [one.text() for one in beside.findChildren(QLabel) if one.isVisible()]
    choose(beside, Scope.ALL)
    on_desk.until(lambda: desk.stores.proposals.get(proposal.id).scope == "all")
    on_desk.until(lambda: page.rows.rows[0]["scope"] == "all")
    page.approve.click()
    confirmed(page)
    on_desk.until(lambda: desk.status(proposal) == "approved")


def test_a_check_is_shown_in_words_and_can_be_removed(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(check='{"kind": "words", "at_most": 60}')
    page = opened(on_desk, with_=1)
    beside = page.view.beside
    assert beside.check.text() == "✓ Its own check: The answer must have at most 60 words."
    beside.remove.click()
    on_desk.until(lambda: desk.stores.proposals.get(proposal.id).check == "")
    on_desk.until(lambda: not beside.check.isVisible())
    on_desk.until(beside.no_check.isVisible)
    note = on_desk.desktop.window.note
    on_desk.until(note.undo.isVisible)
    note.undo.click()
    on_desk.until(lambda: desk.stores.proposals.get(proposal.id).check == proposal.check)
    on_desk.until(beside.check.isVisible)


def test_a_check_that_tested_the_answers_is_not_removed_without_a_word(
    on_desk: Shown, desk: Desk
) -> None:
    proposal = desk.propose(
        check='{"kind": "words", "at_most": 60}', replays=proved(), status=ProposalStatus.PROVED
    )
    page = opened(on_desk, with_=1)
    page.view.beside.remove.click()
    dialog = dialog_of(page, LoseTestsDialog)
    assert isinstance(dialog, LoseTestsDialog)
    assert "tested with its check" in dialog.words.text()
    on_desk.bot.keyClick(dialog, Qt.Key.Key_Return)  # keeps it
    on_desk.until(lambda: not dialog.isVisible())
    assert desk.stores.proposals.get(proposal.id).check == proposal.check


def test_several_checks_are_shown_together_and_that_they_are_not_the_whole(
    on_desk: Shown, desk: Desk
) -> None:
    two = '{"all": [{"kind": "words", "at_most": 60}, {"kind": "no_emoji"}], "only_part": true}'
    desk.propose(check=two)
    beside = opened(on_desk, with_=1).view.beside
    assert beside.check.text() == (
        "✓ Its own check: The answer must have at most 60 words. The answer must have no emoji. "
        "The rest of the rule is not tested."
    )


def test_the_text_follows_the_scope_and_is_tested_again(on_desk: Shown, desk: Desk) -> None:
    proposal = stated(desk, Scope.KIND, replays=proved(), status=ProposalStatus.PROVED)
    page = opened(on_desk, with_=1)
    choose(page.view.beside, Scope.ALL)
    dialog = dialog_of(page, LoseTestsDialog)
    assert isinstance(dialog, LoseTestsDialog)
    assert dialog.words.text().startswith("This suggestion has been tested.")
    dialog.change.click()
    on_desk.until(lambda: "Changed. It will be tested again." in on_desk.told)
    assert desk.stores.proposals.get(proposal.id).text.description == "For every request."
    assert desk.status(proposal) == "screened"
    on_desk.until(lambda: page.rows.rows[0]["status"] == "screened")


def test_a_finished_test_is_kept_unless_the_user_says_otherwise(on_desk: Shown, desk: Desk) -> None:
    proposal = stated(desk, Scope.KIND, replays=proved(), status=ProposalStatus.PROVED)
    page = opened(on_desk, with_=1)
    choose(page.view.beside, Scope.ALL)
    dialog = dialog_of(page, LoseTestsDialog)
    assert isinstance(dialog, LoseTestsDialog)
    on_desk.bot.keyClick(dialog, Qt.Key.Key_Return)  # keeps it
    on_desk.until(lambda: page.view.beside.scope.currentData() == Scope.KIND.value)
    assert desk.status(proposal) == "proved"


def test_of_what_was_not_tested_nothing_is_asked(on_desk: Shown, desk: Desk) -> None:
    proposal = stated(desk, Scope.KIND)
    page = opened(on_desk, with_=1)
    choose(page.view.beside, Scope.ALL)
    on_desk.until(lambda: desk.stores.proposals.get(proposal.id).scope is Scope.ALL)


def test_a_text_without_a_request_keeps_its_proof(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
    page = opened(on_desk, with_=1)
    choose(page.view.beside, Scope.ALL)
    on_desk.until(lambda: "Changed." in on_desk.told)
    assert desk.status(proposal) == "proved"


def test_the_box_goes_back_if_the_scope_cannot_be_changed(on_desk: Shown, desk: Desk) -> None:
    proposal = stated(desk, Scope.ALL)
    page = opened(on_desk, with_=1)
    choose(page.view.beside, Scope.KIND)
    on_desk.until(lambda: any("no longer stored" in text for text in on_desk.told))
    on_desk.until(lambda: page.view.beside.scope.currentData() == Scope.ALL.value)
    assert desk.stores.proposals.get(proposal.id).scope is Scope.ALL


def picked(desk: Desk) -> Proposal:
    proposal = stated(desk, Scope.KIND, status=ProposalStatus.UNPROVED, needs_picks=True)
    for number in (1, 2):
        desk.do(desk.compare.pick(proposal.id, f"pair_{number}", Pick.A))
    return proposal


def test_no_pick_is_lost_by_another_scope_without_a_word(on_desk: Shown, desk: Desk) -> None:
    proposal = picked(desk)
    page = opened(on_desk, with_=1)
    beside = page.view.beside
    choose(beside, Scope.ALL)
    dialog = dialog_of(page, LoseTestsDialog)
    assert isinstance(dialog, LoseTestsDialog)
    assert "compared 2 pairs of answers" in dialog.words.text()
    on_desk.bot.keyClick(dialog, Qt.Key.Key_Return)  # keeps them
    on_desk.until(lambda: beside.scope.currentData() == Scope.KIND.value)
    assert len(desk.stores.proposals.pairs(proposal.id)) == 2
    choose(beside, Scope.ALL)
    on_desk.until(lambda: any(one.isVisible() for one in page.findChildren(LoseTestsDialog)))
    again = dialog_of(page, LoseTestsDialog)
    assert isinstance(again, LoseTestsDialog)
    again.change.click()
    on_desk.until(lambda: desk.stores.proposals.get(proposal.id).scope is Scope.ALL)
    assert desk.stores.proposals.pairs(proposal.id) == []
