"""Tests of the user as scorer in the window: two answers, keys and buttons, the picks' outcome."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtWidgets import QLabel

from lull.core.chat.picks import Pick
from lull.core.errors import UpstreamDown
from lull.core.proof.proposal import Proposal, ProposalStatus
from lull.desktop.pages.review.compare_dialog import CompareDialog, Waits
from lull.desktop.pages.review.page import ReviewPage
from tests.desk import Desk
from tests.desktop.conftest import Shown
from tests.desktop.pages.review.test_review_page import dialog_of, opened


def waits(desk: Desk, **more: object) -> Proposal:
    return desk.propose(
        status=ProposalStatus.UNPROVED,
        needs_picks=True,
        reason="only you can tell: compare 6 pairs of answers",
        wish="join with bars",
        **more,  # type: ignore[arg-type]
    )


def begun(shown: Shown, page: ReviewPage) -> CompareDialog:
    page.compare.click()
    dialog = dialog_of(page, CompareDialog)
    assert isinstance(dialog, CompareDialog)
    shown.until(dialog.buttons[Pick.A].isEnabled)
    return dialog


def text(dialog: CompareDialog, pick: Pick) -> str:
    return dialog.answers[pick].toPlainText()


def test_only_what_waits_for_picks_offers_to_compare(on_desk: Shown, desk: Desk) -> None:
    desk.propose("other")
    waits(desk)
    page = opened(on_desk, with_=2)
    for line, row in enumerate(page.rows.rows):
        page._go_to(line)
        page._show_current()
        assert page.compare.isVisible() == (row["name"] == "menu-style")
    assert page.view.isVisible()


def test_it_says_in_words_that_only_the_user_can_tell(on_desk: Shown, desk: Desk) -> None:
    waits(desk)
    page = opened(on_desk, with_=1)
    said = page.view.evidence.text()
    assert "6 picks for the skill are enough." in said and "at most 12 at a time" in said
    assert not page.view.flags.isVisible()


def test_six_picks_by_key_prove_it(on_desk: Shown, desk: Desk) -> None:
    proposal = waits(desk)
    page = opened(on_desk, with_=1)
    dialog = begun(on_desk, page)
    assert dialog.request.text() == "write a menu"
    assert dialog.wish.text() == "You had said: join with bars"
    assert (text(dialog, Pick.A), text(dialog, Pick.B)) == ("soup | bread 1", "soup and bread 1")
    assert dialog.doing.text() == "Pair 1 of at most 12 in this sitting."
    assert dialog.goal.text().startswith("6 picks for the skill are enough.")
    said = " ".join(one.text() for one in dialog.findChildren(QLabel))
    assert "“The same” and “Neither” count for neither side" in said
    for number in range(1, 7):
        on_desk.until(lambda n=number: text(dialog, Pick.A) == f"soup | bread {n}")  # type: ignore[misc]
        on_desk.bot.keyClick(dialog, "a")
    on_desk.until(lambda: dialog.doing.text().startswith("Proved: in your comparisons"))
    assert "better in 6 and worse in 0" in dialog.doing.text()
    assert not dialog.buttons[Pick.A].isVisible()
    assert desk.status(proposal) == "proved"
    assert not dialog.answers[Pick.A].isVisible()
    dialog.leave.click()
    on_desk.until(lambda: page.rows.rows[0]["status"] == "proved")
    assert not page.compare.isVisible()


def test_what_the_picks_proved_is_approved_at_their_end(on_desk: Shown, desk: Desk) -> None:
    proposal = waits(desk)
    page = opened(on_desk, with_=1)
    dialog = begun(on_desk, page)
    assert not dialog.next.isVisible()
    for number in range(1, 7):
        on_desk.until(lambda n=number: text(dialog, Pick.A) == f"soup | bread {n}")  # type: ignore[misc]
        assert ("same request" in dialog.doing.text()) is (number > 1)
        on_desk.bot.keyClick(dialog, "a")
    on_desk.until(dialog.next.isVisible)
    assert dialog.next.text() == "Approve"
    dialog.next.click()
    on_desk.until(lambda: desk.status(proposal) == "approved")


def test_the_wait_for_two_answers_is_counted_and_told_once_it_is_known() -> None:
    seconds = [0.0]
    waits_for = Waits(lambda: seconds[0])
    waits_for.begin()
    assert waits_for.words() == "The model writes both answers; your chats go first."
    seconds[0] = 12.4
    assert waits_for.words().endswith("12 s so far.")
    seconds[0] = 21.0
    waits_for.end()
    waits_for.begin()
    seconds[0] = 25.0
    assert waits_for.words().endswith("About 17 s left.")
    seconds[0] = 45.0
    assert waits_for.words().endswith("24 s so far.")


@pytest.mark.parametrize(
    ("key", "scored"), [("b", (1.0, 0.0)), ("s", (1.0, 1.0)), ("n", (0.0, 0.0))]
)
def test_each_key_says_what_it_says(
    on_desk: Shown, desk: Desk, key: str, scored: tuple[float, float]
) -> None:
    proposal = waits(desk)
    dialog = begun(on_desk, opened(on_desk, with_=1))
    on_desk.bot.keyClick(dialog, key)
    on_desk.until(lambda: desk.stores.proposals.pairs(proposal.id))
    (pair,) = desk.stores.proposals.pairs(proposal.id)
    assert (pair.without, pair.with_) == scored


def test_picks_for_the_other_side_end_in_plain_words(on_desk: Shown, desk: Desk) -> None:
    waits(desk)
    dialog = begun(on_desk, opened(on_desk, with_=1))
    for number in range(1, 7):
        on_desk.until(lambda n=number: text(dialog, Pick.A) == f"soup | bread {n}")  # type: ignore[misc]
        dialog.buttons[Pick.B].click()
    on_desk.until(lambda: "not better" in dialog.doing.text())


def test_the_goal_stands_still_and_progress_never_goes_back(on_desk: Shown, desk: Desk) -> None:
    """Each pick against the skill means that more picks for it are wanted; the goal said at the
    beginning holds all the same.
    """
    waits(desk)
    dialog = begun(on_desk, opened(on_desk, with_=1))
    goal, most = dialog.goal.text(), dialog.bar.maximum()
    reached = [dialog.bar.value()]
    for number, pick in enumerate("abaabaabaaba", 1):
        on_desk.until(lambda n=number: text(dialog, Pick.A) == f"soup | bread {n}")  # type: ignore[misc]
        assert dialog.doing.text().startswith(f"Pair {number} of at most 12 in this sitting.")
        assert (dialog.goal.text(), dialog.bar.maximum()) == (goal, most)
        on_desk.bot.keyClick(dialog, pick)
        on_desk.until(lambda n=number: dialog.bar.value() == n)  # type: ignore[misc]
        reached.append(dialog.bar.value())
    assert reached == list(range(13))
    on_desk.until(lambda: dialog.doing.text().startswith("Not decided yet"))
    assert dialog.next.text() == "Compare more"
    dialog.next.click()
    on_desk.until(dialog.buttons[Pick.A].isEnabled)
    assert dialog.doing.text().startswith("Pair 1 of at most 12 in this sitting.")
    assert dialog.goal.text() != goal  # it is a new sitting, of which the goal is said anew


def test_while_the_model_answers_nothing_can_be_picked(on_desk: Shown, desk: Desk) -> None:
    proposal = waits(desk)

    async def hold() -> None:
        desk.compare.held = asyncio.Event()

    desk.do(hold())
    page = opened(on_desk, with_=1)
    page.compare.click()
    dialog = dialog_of(page, CompareDialog)
    assert isinstance(dialog, CompareDialog)
    assert "The model writes both answers" in dialog.doing.text()
    on_desk.until(lambda: "1 s so far" in dialog.doing.text())
    assert dialog.answers[Pick.A].placeholderText() == "Being written…"
    on_desk.bot.keyClick(dialog, "a")
    assert not dialog.buttons[Pick.A].isEnabled()
    assert desk.compare.held is not None
    desk.call(desk.compare.held.set)
    on_desk.until(dialog.buttons[Pick.A].isEnabled)
    assert desk.stores.proposals.pairs(proposal.id) == []


def test_a_model_that_is_away_is_said(on_desk: Shown, desk: Desk) -> None:
    waits(desk)
    desk.compare.error = UpstreamDown("Nobody answers there.")
    page = opened(on_desk, with_=1)
    page.compare.click()
    dialog = dialog_of(page, CompareDialog)
    assert isinstance(dialog, CompareDialog)
    on_desk.until(lambda: "Nobody answers there." in dialog.doing.text())


def test_everything_in_it_has_a_name_for_a_screen_reader(on_desk: Shown, desk: Desk) -> None:
    waits(desk)
    dialog = begun(on_desk, opened(on_desk, with_=1))
    names = [one.accessibleName() for one in (*dialog.buttons.values(), *dialog.answers.values())]
    assert names == [
        "A is better",
        "B is better",
        "Both are the same",
        "Neither is good",
        "Answer A",
        "Answer B",
    ]
