"""Review, in front of Lull's own control API: what is decided here is decided."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from lull.core.proposal import Proposal, ProposalKind, ProposalStatus, Trace
from lull.desktop.page import PageName
from lull.desktop.pages.proposal_rows import name_words, odds_words, row_words
from lull.desktop.pages.review import Review
from lull.desktop.pages.review_dialogs import EditDialog, RejectDialog
from tests.desk import Desk, proved
from tests.desktop.conftest import Shown


def opened(shown: Shown, *, with_: int) -> Review:
    page = shown.go(PageName.REVIEW)
    assert isinstance(page, Review)
    shown.desktop.state.touch(*page.subjects)
    shown.until(lambda: len(page.rows.rows) == with_)
    page.list.setFocus()
    shown.activate()
    return page


def dialog_of(page: Review, kind: type) -> object:
    found = [one for one in page.findChildren(kind) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def is_(desk: Desk, proposal: Proposal, status: str) -> bool:
    return desk.status(proposal) == status


def test_nothing_to_review_says_when_something_comes(on_desk: Shown) -> None:
    page = on_desk.go(PageName.REVIEW)
    on_desk.until(lambda: page.nothing.head.text() == "All decided")
    assert "correct an answer" in page.nothing.words.text()


def test_a_proposal_is_shown_whole(on_desk: Shown, desk: Desk) -> None:
    desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    assert page.view.name.text() == "menu-style"
    assert "better in" in page.view.evidence.text()
    assert "e-value" in page.view.odds.text()
    assert "Join the words with bars." in page.view.text.toPlainText()
    page.view.show_view("side")
    assert "Join the words with bars." in page.view.text.toPlainText()
    page.view.show_view("rendered")
    assert page.view.text.toPlainText().strip() == "Join the words with bars."
    page.view.show_view("evidence")
    assert "“Join the words with bars.”" in page.view.text.toPlainText()
    assert "you" in page.view.text.toPlainText()


def test_the_key_a_approves_exactly_the_text_that_is_shown(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "a")
    on_desk.until(lambda: is_(desk, proposal, "approved"))
    on_desk.until(lambda: "Approved: menu-style" in on_desk.told)
    assert desk.body() == "Join the words with bars."
    on_desk.until(lambda: page.nothing.head.text() == "All decided")


def test_a_text_that_changed_meanwhile_is_not_approved(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    read = page.rows.rows[0]
    desk.do(desk.review.edit(proposal.id, description=None, body="Join them with dashes."))
    page._approve([read])
    on_desk.until(lambda: on_desk.told)
    assert on_desk.told[0].startswith("Approving menu-style: not done")
    assert not is_(desk, proposal, "approved")


def test_undo_takes_the_decision_back(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "d")
    on_desk.until(lambda: is_(desk, proposal, "deferred"))
    on_desk.until(lambda: "Put off: menu-style" in on_desk.told)
    page.undo.click()
    on_desk.until(lambda: is_(desk, proposal, "screened"))
    on_desk.until(lambda: "Taken back." in on_desk.told)


def test_a_rejection_needs_a_reason(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "r")
    dialog = dialog_of(page, RejectDialog)
    assert isinstance(dialog, RejectDialog)
    assert not dialog.reject_button.isEnabled()
    on_desk.bot.keyClicks(dialog.reason, "too general")
    dialog.reject_button.click()
    on_desk.until(lambda: is_(desk, proposal, "rejected"))
    assert desk.stores.proposals.get(proposal.id).reason == "too general"


def test_an_edit_makes_the_text_the_users_own(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "e")
    dialog = dialog_of(page, EditDialog)
    assert isinstance(dialog, EditDialog)
    dialog.text.setPlainText("Join the words with dashes.")
    dialog.save.click()
    on_desk.until(
        lambda: desk.stores.proposals.get(proposal.id).text.body == "Join the words with dashes."
    )
    on_desk.until(lambda: "dashes" in page.view.text.toPlainText())


def test_j_and_k_go_from_one_to_the_next(on_desk: Shown, desk: Desk) -> None:
    for name in ("a", "b", "c"):
        desk.propose(name)
    page = opened(on_desk, with_=3)
    names = [row["name"] for row in page.rows.rows]
    seen = [page.view.name.text()]
    for key in "jjjkk":
        on_desk.bot.keyClick(page.list, key)
        seen.append(page.view.name.text())
    assert seen == [names[0], names[1], names[2], names[2], names[1], names[0]]


def test_several_are_decided_together(on_desk: Shown, desk: Desk) -> None:
    proposals = [desk.propose(name) for name in ("a", "b", "c")]
    page = opened(on_desk, with_=3)
    page.list.selectAll()
    assert page.approve.text() == "Approve 3  A"
    on_desk.bot.keyClick(page.list, "a")
    on_desk.until(lambda: all(is_(desk, one, "approved") for one in proposals))


def test_what_is_quarantined_is_not_approved_by_a_letter(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(
        status=ProposalStatus.QUARANTINED,
        traces=(Trace(sentence="Join the words with bars.", source="untrusted"),),
        flags=({"kind": "untrusted", "text": "A web page said so.", "quote": "bars"},),
    )
    page = opened(on_desk, with_=1)
    assert "A web page said so." in page.view.flags.text()
    on_desk.bot.keyClick(page.list, "a")
    assert "quarantined" in on_desk.told[-1]
    assert is_(desk, proposal, "quarantined")
    assert page.approve.text() == "Approve all the same"
    page.approve.click()
    on_desk.until(lambda: is_(desk, proposal, "approved"))


def test_a_retirement_shows_what_goes_and_cannot_be_edited(on_desk: Shown, desk: Desk) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    desk.propose(kind=ProposalKind.RETIRE, reason="Nobody needed it for 90 days.")
    page = opened(on_desk, with_=1)
    assert not page.edit.isEnabled()
    assert "Nobody needed it" in page.view.evidence.text()
    assert "−" in page.view.text.toPlainText()


def test_a_decision_elsewhere_leaves_the_place_where_one_reads(on_desk: Shown, desk: Desk) -> None:
    proposals = {name: desk.propose(name) for name in ("a", "b", "c")}
    page = opened(on_desk, with_=3)
    on_desk.bot.keyClick(page.list, "j")
    reading = page.view.name.text()
    other = next(name for name in proposals if name != reading)
    desk.do(desk.reviewing.decide(proposals[other].id, "reject", {"reason": "no"}))
    on_desk.until(lambda: len(page.rows.rows) == 2)
    assert page.view.name.text() == reading


def test_the_letters_work_from_wherever_the_focus_is(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    opened(on_desk, with_=1)
    on_desk.desktop.window._buttons[PageName.REVIEW].setFocus()
    on_desk.bot.keyClick(on_desk.desktop.window, "d")
    on_desk.until(lambda: is_(desk, proposal, "deferred"))


def test_the_letters_do_nothing_on_another_page(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    opened(on_desk, with_=1)
    on_desk.desktop.window.go(PageName.TODAY)
    for letter in "ad":
        on_desk.bot.keyClick(on_desk.desktop.window, letter)
    QApplication.processEvents()
    assert is_(desk, proposal, "screened")
    assert on_desk.told == []


@pytest.mark.parametrize("hostile", ["<img src=x onerror=1>", "a\u202eb", "<script>1</script>"])
def test_a_hostile_text_is_shown_as_what_it_is(on_desk: Shown, desk: Desk, hostile: str) -> None:
    desk.propose(body=f"Say {hostile} often.")
    page = opened(on_desk, with_=1)
    shown = page.view.text.toPlainText()
    assert hostile.replace("\u202e", "\N{REPLACEMENT CHARACTER}") in shown
    page.view.show_view("rendered")
    assert "\u202e" not in page.view.text.toPlainText()


def measured(**more: object) -> dict[str, object]:
    evidence = {
        "pairs": 20, "requests": 3, "wins": 9, "losses": 1, "e_value": 40.0, "harm_e_value": 0.1,
        "needs_e_value": 20.0, "better": {"share": 0.9, "low": 0.55, "high": 0.99, "n": 10}, **more,
    }  # fmt: skip
    return {"kind": "new", "status": "proved", "evidence": evidence}


def test_what_was_measured_is_said_with_its_interval_and_what_luck_could_do() -> None:
    assert odds_words(measured()) == (
        "Where it made a difference it was better in 90%; surely in 55% to 99% of cases (n 10). "
        "If it did nothing, luck would show as much once in 40 at most (e-value). "
        "Asked for is once in 20."
    )
    assert "Luck alone could well" in odds_words(measured(e_value=0.8, better=None))
    assert "Signs of harm: luck would show as much once in 30" in odds_words(
        measured(harm_e_value=30.0)
    )


def test_a_row_says_how_old_it_is_and_what_it_was_warned_of() -> None:
    made = (datetime.now(UTC) - timedelta(days=40)).isoformat()
    proposal = {**measured(), "name": "menu-style", "made": made, "flags": [{"text": "x"}]}
    assert name_words(proposal) == "menu-style  ⚠ 1"
    assert row_words(proposal) == "New skill, proved · 40 d"


def test_a_common_reason_is_put_into_the_line_to_be_said_more_exactly(
    on_desk: Shown, desk: Desk
) -> None:
    proposal = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    page.reject.click()
    dialog = dialog_of(page, RejectDialog)
    assert isinstance(dialog, RejectDialog)
    reason = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Too general")
    reason.click()
    assert dialog.reason.text() == "Too general"
    dialog.reject_button.click()
    on_desk.until(lambda: is_(desk, proposal, "rejected"))
