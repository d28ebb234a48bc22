"""Tests of the review page in front of Lull's own control API: decisions there take effect."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton

from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.proof.pairs import BY_CHECK, BY_USER, Pair
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus, Trace
from lull.core.proof.review_state import CAUTION_WORDS
from lull.core.skills.stated_skill import skill_of
from lull.desktop.language.catalogue import read_catalogue
from lull.desktop.language.words import ago, now, set_language
from lull.desktop.pages.review import proposal_rows, proposal_view
from lull.desktop.pages.review.approval_words import status_chip
from lull.desktop.pages.review.approve_dialog import ApproveDialog
from lull.desktop.pages.review.evidence import scorer_words, sources_html
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.pages.review.proposal_rows import name_words, row_words, status_words
from lull.desktop.pages.review.reject_dialog import RejectDialog
from lull.desktop.pages.review.tested_words import (
    confirmation_reason,
    evidence_words,
    odds_words,
    why_not_better,
)
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.service.state import Subject
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import LIGHT
from lull.resources import languages_dir
from tests.desk import Desk, pairs, proved
from tests.desktop.conftest import Shown
from tests.desktop.scripted import status as service_status

ROW_MARGIN = 14
"""Room at each side of a row that has no words."""


def opened(shown: Shown, *, with_: int) -> ReviewPage:
    page = shown.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    shown.desktop.state.touch(*page.subjects)
    shown.until(lambda: len(page.rows.rows) == with_)
    page.list.setFocus()
    shown.activate()
    return page


def dialog_of(page: ReviewPage, kind: type) -> object:
    found = [one for one in page.findChildren(kind) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def confirmed(page: ReviewPage) -> ApproveDialog:
    """Confirm an approval in its dialog, and return the dialog."""
    dialog = dialog_of(page, ApproveDialog)
    assert isinstance(dialog, ApproveDialog)
    dialog.approve.click()
    return dialog


def is_(desk: Desk, proposal: Proposal, status: str) -> bool:
    return desk.status(proposal) == status


def test_nothing_to_review_says_when_something_comes(on_desk: Shown, desk: Desk) -> None:
    page = on_desk.go(PageName.REVIEW)
    on_desk.until(lambda: page.nothing.head.text() == "Nothing to review")
    assert "correct an answer" in page.nothing.words.text()

    def offered() -> list[str]:
        buttons = page.nothing.findChildren(QPushButton)
        return [one.text() for one in buttons if one.isVisible()]

    on_desk.until(lambda: offered() == ["Chat here", "View active skills"])
    desk.reported.document = service_status(skills={"active": 0})
    on_desk.desktop.state.touch(Subject.STATUS)
    on_desk.until(lambda: on_desk.desktop.state.status["skills"]["active"] == 0)
    page.refresh()
    assert offered() == ["Chat here"]  # there is nothing to view


def test_a_proposal_is_shown_whole(on_desk: Shown, desk: Desk) -> None:
    desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    assert page.view.name.text() == "Menu style"
    assert "Better " in page.view.evidence.text()
    assert "luck" in page.view.odds.text()
    assert page.view.rule.text() == "Join the words with bars."
    for machine in ("name:", "---", "description:"):  # what is for programs is not what one sees
        assert machine not in page.view.text.toPlainText()
    page.view.show_view("unified")
    assert "Join the words with bars." in page.view.text.toPlainText()
    page.view.side.click()
    assert "Join the words with bars." in page.view.text.toPlainText()
    page.view.show_view("skill")
    assert "Join the words with bars." in page.view.text.toPlainText()
    page.view.show_view("evidence")
    assert "“Join the words with bars.”" in page.view.text.toPlainText()
    assert "Written by Lull from your words" in page.view.text.toPlainText()


def test_the_key_a_approves_exactly_the_text_that_is_shown(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "a")
    on_desk.until(lambda: is_(desk, proposal, "approved"))
    on_desk.until(lambda: "Approved: Menu style. Used from your next message on." in on_desk.told)
    assert desk.body() == "Join the words with bars."
    on_desk.until(lambda: page.nothing.head.text() == "Nothing to review")


def test_a_text_that_changed_meanwhile_is_not_approved(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    read = page.rows.rows[0]
    desk.do(desk.review.edit(proposal.id, description=None, body="Join them with dashes."))
    page._approve([read])
    confirmed(page)
    on_desk.until(lambda: on_desk.told)
    assert on_desk.told[0].startswith("Approving Menu style: not done")
    assert not is_(desk, proposal, "approved")


def test_undo_takes_the_decision_back(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "d")
    on_desk.until(lambda: is_(desk, proposal, "deferred"))
    on_desk.until(lambda: "Snoozed: Menu style" in on_desk.told)
    on_desk.until(page.undo.isEnabled)
    page.undo.click()
    on_desk.until(lambda: is_(desk, proposal, "screened"))
    on_desk.until(lambda: "Undone: Menu style." in on_desk.told)


def test_no_button_moves_when_undo_comes(on_desk: Shown, desk: Desk) -> None:
    for name in ("first", "second"):
        desk.propose(name)
    page = opened(on_desk, with_=2)
    on_desk.desktop.window.resize(1100, 720)
    on_desk.draw(page)
    parts = (page.approve, page.reject, page.prove)
    before = [page.mapFromGlobal(one.mapToGlobal(one.rect().topLeft())) for one in parts]
    page.decisions.send("defer", page.selected(), {"until": "2099-01-01T08:00:00+00:00"})
    on_desk.until(lambda: page.undo.isVisible() and page.snoozed.isVisible())
    on_desk.until(lambda: len(page.rows.rows) == 1 and page.prove.isVisible())
    on_desk.draw(page)
    after = [page.mapFromGlobal(one.mapToGlobal(one.rect().topLeft())) for one in parts]
    assert after == before
    lowest = page.mapFromGlobal(page.undo.mapToGlobal(page.undo.rect().bottomLeft())).y()
    assert lowest < before[0].y()


def test_undo_is_the_last_stop_of_tab(on_desk: Shown, desk: Desk) -> None:
    desk.propose("done")
    desk.propose("left")
    page = opened(on_desk, with_=2)
    page.decisions.send("defer", page.selected(), {"until": "2099-01-01T08:00:00+00:00"})
    on_desk.until(lambda: page.undo.isVisible() and page.snoozed.isVisible())
    stops, one = [], page.list.nextInFocusChain()
    while one is not page.list:
        if page.isAncestorOf(one) and one.isVisible():
            stops += [one] if one.focusPolicy() & Qt.FocusPolicy.TabFocus else []
        one = one.nextInFocusChain()
    assert stops[-2:] == [page.snoozed, page.undo]
    assert stops.index(page.approve) < stops.index(page.reject) < stops.index(page.prove)


def test_a_rejection_keeps_its_reason(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose()
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "r")
    dialog = dialog_of(page, RejectDialog)
    assert isinstance(dialog, RejectDialog)
    assert "Why not “Menu style”?" in [one.text() for one in dialog.findChildren(QLabel)]
    on_desk.bot.keyClicks(dialog.reason, "too general")
    dialog.reject_button.click()
    on_desk.until(lambda: is_(desk, proposal, "rejected"))
    assert desk.stores.proposals.get(proposal.id).reason == "too general"


def test_a_rejection_needs_no_reason_and_says_what_follows(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(reason="a reason of its tests")
    page = opened(on_desk, with_=1)
    page.reject.click()
    dialog = dialog_of(page, RejectDialog)
    assert isinstance(dialog, RejectDialog)
    said = " ".join(one.text() for one in dialog.findChildren(QLabel))
    assert "won't suggest this again" in said and "Undo brings it back" in said
    dialog.reject_button.click()
    on_desk.until(lambda: is_(desk, proposal, "rejected"))
    assert desk.stores.proposals.get(proposal.id).reason == "no reason given"


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
    on_desk.until(lambda: "dashes" in page.view.rule.text())


def test_j_and_k_go_from_one_to_the_next(on_desk: Shown, desk: Desk) -> None:
    for name in ("a", "b", "c"):
        desk.propose(name)
    page = opened(on_desk, with_=3)
    names = [row["name"] for row in page.rows.rows]
    seen = [page.view.name.text().lower()]
    for key in "jjjkk":
        on_desk.bot.keyClick(page.list, key)
        seen.append(page.view.name.text().lower())
    assert seen == [names[0], names[1], names[2], names[2], names[1], names[0]]


def test_several_are_decided_together(on_desk: Shown, desk: Desk) -> None:
    proposals = [
        desk.propose(name, status=ProposalStatus.PROVED, replays=proved()) for name in "abc"
    ]
    page = opened(on_desk, with_=3)
    page.list.selectAll()
    assert page.approve.text() == "Approve 3…  A"
    on_desk.bot.keyClick(page.list, "a")
    confirmed(page)
    on_desk.until(lambda: all(is_(desk, one, "approved") for one in proposals))


def test_what_is_quarantined_is_not_approved_by_a_letter(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(
        status=ProposalStatus.QUARANTINED,
        traces=(Trace(sentence="Join the words with bars.", source="untrusted"),),
        flags=(
            {
                "kind": "untrusted",
                "severity": "quarantine",
                "text": "A web page said so.",
                "quote": "bars",
            },
        ),
    )
    page = opened(on_desk, with_=1)
    assert "A web page said so." in page.view.flags.text()
    on_desk.bot.keyClick(page.list, "a")
    assert "quarantined" in on_desk.told[-1]
    assert is_(desk, proposal, "quarantined")
    assert page.approve.text() == "Approve anyway…"
    page.approve.click()
    confirmed(page)
    on_desk.until(lambda: is_(desk, proposal, "approved"))


def test_a_retirement_shows_what_goes_and_cannot_be_edited(on_desk: Shown, desk: Desk) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    desk.propose(kind=ProposalKind.RETIRE, reason="Nobody needed it for 90 days.")
    page = opened(on_desk, with_=1)
    assert not page.edit.isEnabled()
    assert "Nobody needed it" in page.view.evidence.text()
    assert page.view.rule.text() == "Join the words with bars."
    page.view.show_view("unified")
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
    seen = hostile.replace("\u202e", "\N{REPLACEMENT CHARACTER}")
    assert seen in page.view.rule.text()
    assert page.view.rule.textFormat() is Qt.TextFormat.PlainText
    for view in ("evidence", "skill", "unified"):
        page.view.show_view(view)
        assert "\u202e" not in page.view.text.toPlainText()
    assert seen in page.view.text.toPlainText()
    page.view.show_view("skill")
    assert seen in page.view.text.toPlainText()
    page.view.file.click()
    assert "\u202e" not in page.view.text.toPlainText()


def measured(**more: object) -> dict[str, object]:
    evidence = {
        "pairs": 20, "requests": 3, "wins": 9, "losses": 1, "e_value": 40.0, "harm_e_value": 0.1,
        "needs_e_value": 20.0, "better": {"share": 0.9, "above": 0.53, "n": 10}, **more,
    }  # fmt: skip
    return {"kind": "new", "status": "proved", "standing": "proved", "evidence": evidence}


def test_what_was_measured_is_said_in_figures_only_once_luck_does_not_explain_it() -> None:
    assert odds_words(measured()) == (
        "That is enough: a skill that does not help gets this far by luck at most once in 20 "
        "times. "
        "With the same certainty (95%), it is better in more than 53% of the tests that differ; "
        "luck alone gives 50%. (10 tests differed.)"
    )
    assert "at most once in 10 times" in odds_words(measured(needs_e_value=10.0))
    for weak in (0.8, 1.43, 4.0):
        said = odds_words(measured(e_value=weak))
        assert said == "So far this could well be luck."
    assert "not yet enough to be sure" in odds_words(measured(e_value=12.0))
    for harm, words in ((0.5, ""), (1.43, ""), (3.0, "that is not certain"), (30.0, "It makes")):
        said = odds_words(measured(harm_e_value=harm))
        assert words in said and ("worse" in said) is bool(words)


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        ({"wins": 0, "losses": 0}, "the same as without it"),
        ({"wins": 2, "losses": 5}, "got worse at least as often as better"),
        ({"wins": 5, "losses": 2}, "so seldom that it can be luck"),
        ({"shown_by": "evidence", "harm_e_value": 3.0}, "may get worse with it"),
        ({"shown_by": "evidence"}, "too few requests that went well before"),
    ],
)
def test_no_benefit_is_said_with_the_reason(evidence: dict[str, object], why: str) -> None:
    proposal = {**measured(**evidence), "status": "unproved", "standing": "not-better"}
    assert why in why_not_better(proposal)
    assert odds_words(proposal) == ""


@pytest.mark.parametrize("replays", [0, 5])
def test_what_was_not_better_or_cannot_be_tested_says_what_one_can_do(
    on_desk: Shown, desk: Desk, replays: int
) -> None:
    desk.propose(status=ProposalStatus.UNPROVED, replays=pairs(0, replays), reason="no benefit")
    page = opened(on_desk, with_=1)
    said = page.view.checklist.now.text()
    assert page.view.checklist.now.isVisible()
    for step in ("try it on a request", "edit its text", "reject it", "snooze it"):
        assert step in said
    if replays:
        assert "worse in 5: not enough to trust it." in page.view.evidence.text()
        assert said.startswith("With the skill answers got worse")


def test_a_skill_of_the_users_words_is_shown_as_these_words_and_where_they_hold(
    on_desk: Shown, desk: Desk
) -> None:
    text = skill_of(
        "Use dashes", scope=Scope.KIND, kind_of_rule=RuleKind.PREFERENCE, asked="Write a note."
    )
    desk.propose(body=text.body, description=text.description)
    page = opened(on_desk, with_=1)
    assert page.view.rule.text() == "“Use dashes”"
    assert page.view.description.text() == "For requests like: Write a note."


def test_an_edit_shows_what_the_skill_asks_for_until_now(on_desk: Shown, desk: Desk) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    desk.propose(kind=ProposalKind.EDIT, body="Join the words with dashes.")
    page = opened(on_desk, with_=1)
    assert page.view.rule.text() == "Join the words with dashes."
    assert "Join the words with bars." in page.view.text.toPlainText()


def test_a_rule_that_is_cut_above_stands_whole_below(on_desk: Shown, desk: Desk) -> None:
    desk.propose(body="Begin with bars. " + "And so on. " * 40 + "End with sugar.")
    page = opened(on_desk, with_=1)
    assert "End with sugar." not in page.view.rule.text()
    assert "End with sugar." in page.view.text.toPlainText()


@pytest.mark.parametrize(
    ("kind", "severity", "label"),
    [
        ("untrusted-source", "quarantine", "flags"),
        ("untrusted-source", "warning", "cautions"),
        ("perhaps-quoted", "warning", "notes"),
        ("strangers-near", "note", "notes"),
        ("link", "note", "notes"),
    ],
)
def test_only_what_is_a_danger_is_red(
    on_desk: Shown, desk: Desk, kind: str, severity: str, label: str
) -> None:
    flag = {"kind": kind, "severity": severity, "text": "Look at it.", "quote": "bars"}
    desk.propose(flags=(flag,))
    page = opened(on_desk, with_=1)
    view = page.view
    shown = {name: getattr(view, name) for name in ("flags", "cautions", "notes")}
    assert [name for name, one in shown.items() if "Look at it." in one.text()] == [label]
    kinds = {"flags": "bad", "cautions": "warn", "notes": "muted"}
    assert shown[label].property("kind") == kinds[label]
    assert ("⚠" in name_words(page.rows.rows[0])) is (label != "notes")


def test_what_the_last_look_accepted_is_not_called_proved_without_saying_so() -> None:
    look = {"after": 120, "chance": 0.37, "coin": 0.2, "seed": "s", "accepted": True}
    accepted = measured(e_value=7.4, shown_by="last look", last_look=look)
    assert status_words(accepted) == "New skill, accepted by a random draw"
    assert status_chip(accepted) == ("Accepted by a random draw", "good")
    assert "a final draw, with a 37% chance of accepting it, accepted it" in odds_words(accepted)
    assert "once in 20 times, this draw included" in odds_words(accepted)
    assert "not yet enough" not in odds_words(accepted)
    refused = measured(e_value=7.4, last_look={**look, "accepted": False})
    assert "a final draw, with a 37% chance of accepting it, went against it" in odds_words(refused)
    assert status_chip(measured(shown_by="evidence")) == ("Proved", "good")


def test_a_proof_that_may_go_on_says_how_far() -> None:
    proposal = {**measured(most_pairs=60, most_pairs_if_open=120), "status": "proving"}
    assert (
        status_words(proposal)
        == "New skill, being tested: 20 of at most 60 (up to 120 if still undecided by then)"
    )


def test_it_is_said_how_often_the_rule_was_kept_with_and_without_the_skill() -> None:
    kept = {"pairs": 16, "with": 9, "without": 3, "both": 2, "neither": 6}
    said = evidence_words(measured(pairs=16, wins=7, losses=1, kept=kept))
    assert said == (
        "Better in 7 of 16 tries, worse in 1: clear enough to trust. Tested on 3 requests, each "
        "time answered with and without the skill. Your rule was kept in 9 of 16 answers with the "
        "skill, and in 3 of 16 without. In 2 tries the rule was kept both with and without the "
        "skill. In 6 tries the rule was broken both with and without the skill."
    )


def by_picks(wins: int) -> list[Pair]:
    return [replace(pair, scored_by=BY_USER) for pair in pairs(wins)]


def by_check(wins: int) -> list[Pair]:
    return [replace(pair, scored_by=BY_CHECK) for pair in pairs(wins)]


@pytest.mark.parametrize("replays", [by_picks(6), by_check(8)])
def test_what_is_proved_by_picks_and_by_checks_has_the_same_odds(
    on_desk: Shown, desk: Desk, replays: list[Pair]
) -> None:
    desk.propose(status=ProposalStatus.PROVED, replays=replays)
    page = opened(on_desk, with_=1)
    said = page.view.odds.text()
    assert "at most once in 20 times" in said and "once in 30" not in said
    figure = said.partition("more than ")[2].partition("%")[0]
    assert not figure or float(figure) > 50, "what luck gives is no figure of its own"


@pytest.mark.parametrize("language", [None, "de"])
def test_each_row_of_the_list_is_whole(on_desk: Shown, desk: Desk, language: str | None) -> None:
    desk.propose("proving", status=ProposalStatus.PROVING, replays=pairs(4))
    desk.propose("quarantined", status=ProposalStatus.QUARANTINED)
    desk.propose("unproved", status=ProposalStatus.UNPROVED, replays=pairs(0, 5))
    desk.propose("no-judge", status=ProposalStatus.UNPROVED)
    look = {"after": 120, "chance": 0.37, "coin": 0.2, "seed": "s", "accepted": True}
    page = opened(on_desk, with_=4)
    drawn = measured(shown_by="last look", last_look=look)
    if language:
        set_language(read_catalogue(languages_dir() / f"{language}.po"), QLocale(language))
    for row in (*page.rows.rows, drawn):
        for made in (datetime.now(UTC), datetime.now(UTC) - timedelta(days=23)):
            words = row_words({**row, "made": made.isoformat()})
            room = page.list.viewport().width() - 2 * ROW_MARGIN
            for line in words.split("\n"):
                assert page.list.fontMetrics().horizontalAdvance(line) <= room, line


def test_what_is_half_tested_is_not_called_untested(on_desk: Shown, desk: Desk) -> None:
    desk.propose(status=ProposalStatus.PROVING, replays=pairs(3, 0, 13))
    page = opened(on_desk, with_=1)
    assert page.approve.text() == "Approve before it is decided…  A"
    page.approve.click()
    dialog = dialog_of(page, ApproveDialog)
    assert isinstance(dialog, ApproveDialog)
    assert "tests are not finished" in dialog.words.text()


@pytest.mark.parametrize(
    ("description", "scope", "said"),
    [
        ("For every request.", "all", ["For every request."]),
        ("For requests like: a menu", "kind", ["For requests like: a menu"]),
        ("Menus", "kind", ["Menus", "For similar requests."]),
    ],
)
def test_the_dialog_says_once_what_it_is_for(
    on_desk: Shown, description: str, scope: str, said: list[str]
) -> None:
    page = opened(on_desk, with_=0)
    proposal = {
        **measured(), "name": "menu-style", "body": "Use bars.", "description": description,
        "scope": scope, "reason": "only you can tell: 7 more to compare", "standing": "untestable",
    }  # fmt: skip
    lines = ApproveDialog([proposal], page).text.toPlainText().splitlines()
    assert lines == [
        "Menu style", "Use bars.", lines[2], *said, "Only you can tell: 7 more to compare"
    ]  # fmt: skip


def test_a_row_says_how_old_it_is_and_what_it_was_warned_of() -> None:
    made = (datetime.now(UTC) - timedelta(days=40)).isoformat()
    proposal = {**measured(), "name": "menu-style", "made": made, "flags": [{"text": "x"}]}
    assert name_words(proposal) == "Menu style  ⚠ 1"
    assert row_words(proposal) == "Proved\nNew skill · 40 d ago"


def test_the_list_and_the_chip_say_the_same_age() -> None:
    made = datetime.now(UTC) - timedelta(seconds=20)
    proposal = {**measured(), "name": "menu-style", "made": made.isoformat()}
    assert row_words(proposal).endswith(f" · {ago(proposal['made'], now())}")
    assert row_words(proposal).endswith("just now")


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


# The button says what is known


@pytest.mark.parametrize(
    ("status", "replays", "words"),
    [
        (ProposalStatus.SCREENED, 0, "Approve untested…  A"),
        (ProposalStatus.UNPROVED, 0, "Approve anyway…  A"),
        (ProposalStatus.UNPROVED, 5, "Approve anyway…  A"),
    ],
)
def test_nothing_unproved_is_approved_by_keys_alone(
    on_desk: Shown, desk: Desk, status: ProposalStatus, replays: int, words: str
) -> None:
    proposal = desk.propose(status=status, replays=pairs(0, replays), reason="no benefit")
    page = opened(on_desk, with_=1)
    assert page.approve.text() == words
    assert not page.approve.property("main")
    on_desk.bot.keyClick(page.list, "a")
    dialog = dialog_of(page, ApproveDialog)
    assert isinstance(dialog, ApproveDialog)
    assert "Join the words with bars." in dialog.text.toPlainText()
    on_desk.bot.keyClick(dialog, "a")
    on_desk.bot.keyClick(dialog, Qt.Key.Key_Return)
    on_desk.until(lambda: not dialog_open(page))
    assert is_(desk, proposal, status.value)
    page.approve.click()
    confirmed(page)
    on_desk.until(lambda: is_(desk, proposal, "approved"))


def dialog_open(page: ReviewPage) -> bool:
    return any(one.isVisible() for one in page.findChildren(ApproveDialog))


def test_what_is_proved_shows_the_cautions_of_the_command_line_and_is_not_green(
    on_desk: Shown, desk: Desk
) -> None:
    answers = ("soup and bread and fish, " * 5, "soup")
    replays = [replace(p, answers=answers) for p in proved() if p.part == "failure"]
    desk.propose(status=ProposalStatus.PROVED, replays=replays)
    page = opened(on_desk, with_=1)
    for words in CAUTION_WORDS.values():
        assert f"○ {words}" in page.view.notes.text(), "no warning: it is proved"
    assert "⚠" not in name_words(page.rows.rows[0]) and not page.view.cautions.isVisible()
    assert status_chip(page.rows.rows[0]) == ("Proved on 1 request", "plain")
    assert page.approve.property("main")


def test_what_cannot_be_tested_says_so_once_and_offers_a_judge(on_desk: Shown, desk: Desk) -> None:
    reason = "neither a verifier nor a judge can score its replays"
    desk.propose(status=ProposalStatus.UNPROVED, reason=reason)
    page = opened(on_desk, with_=1)
    assert page.view.evidence.text().startswith("Can't be tested automatically")
    assert not page.view.flags.isVisible()
    assert page.judge.isVisible()
    page.judge.click()
    settings = on_desk.desktop.window.page()
    assert isinstance(settings, SettingsPage)
    assert settings.search.text() == "judge"


def test_what_is_not_tested_yet_offers_no_judge(on_desk: Shown, desk: Desk) -> None:
    desk.propose()
    page = opened(on_desk, with_=1)
    assert page.view.evidence.text().startswith("Not tested yet")
    assert not page.judge.isVisible()


# Batches and undo


def test_a_batch_shows_every_text_is_told_once_and_undone_as_one(
    on_desk: Shown, desk: Desk
) -> None:
    made = [
        desk.propose(name, body=f"Say {name}.", status=ProposalStatus.PROVED, replays=proved())
        for name in ("first", "second")
    ]
    page = opened(on_desk, with_=2)
    page.list.selectAll()
    on_desk.bot.keyClick(page.list, "a")
    dialog = confirmed(page)
    for name in ("first", "second"):
        assert f"Say {name}." in dialog.text.toPlainText()
    on_desk.until(lambda: all(is_(desk, one, "approved") for one in made))
    on_desk.until(lambda: any(text.startswith("Approved 2 skills: ") for text in on_desk.told))
    assert len([text for text in on_desk.told if text.startswith("Approved")]) == 1
    on_desk.desktop.window.note.undo.click()
    on_desk.until(lambda: all(is_(desk, one, "proved") for one in made))
    on_desk.until(lambda: any(text.startswith("Undone: ") for text in on_desk.told))


@pytest.mark.parametrize("by_key", [False, True])
def test_the_pages_undo_takes_back_a_whole_batch_too(
    on_desk: Shown, desk: Desk, by_key: bool
) -> None:
    made = [desk.propose(name, body=f"Say {name}.") for name in ("first", "second", "third")]
    alone, *both = made
    page = opened(on_desk, with_=3)
    until = (desk.clock.now() + timedelta(hours=4)).isoformat()
    wanted = {"sha256": alone.sha256, "until": until}
    desk.do(desk.reviewing.decide(alone.id, "defer", wanted))
    on_desk.desktop.state.touch(*page.subjects)
    on_desk.until(lambda: len(page.rows.rows) == 2)
    page.list.selectAll()
    on_desk.bot.keyClick(page.list, "d")
    on_desk.until(lambda: all(is_(desk, one, "deferred") for one in both))
    on_desk.until(lambda: page.undo.text() == "Undo snoozing 2 suggestions")
    on_desk.desktop.window.note.hide()
    if by_key:
        on_desk.activate()
        on_desk.bot.keyClick(page, "z", Qt.KeyboardModifier.ControlModifier)
    else:
        page.undo.click()
    on_desk.until(lambda: all(is_(desk, one, "screened") for one in both))
    assert is_(desk, alone, "deferred")
    on_desk.until(lambda: page.undo.text() == "Undo snoozing “First”")


def test_the_list_and_the_shown_suggestion_agree_on_its_age(
    on_desk: Shown, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.propose()
    page = opened(on_desk, with_=1)
    later = now() + timedelta(hours=2)
    monkeypatch.setattr(proposal_view, "now", lambda: later)
    monkeypatch.setattr(proposal_rows, "now", lambda: later)
    page.ages.timeout.emit()
    chips = [one.text() for one in page.view.findChildren(QLabel) if one.property("chip")]
    row = page.rows.data(page.rows.index(0))
    assert any(one.endswith("ago") and row.endswith(one) for one in chips), (row, chips)


def test_the_undo_of_a_note_takes_back_what_it_names_and_not_what_came_after(
    on_desk: Shown, desk: Desk
) -> None:
    first = desk.propose("first", status=ProposalStatus.PROVED, replays=proved())
    second = desk.propose("second", status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=2)
    page._approve([row for row in page.rows.rows if row["id"] == first.id])
    on_desk.until(lambda: "Approved: First. Used from your next message on." in on_desk.told)
    desk.do(desk.reviewing.decide(second.id, "approve", {"sha256": second.sha256}))
    on_desk.desktop.window.note.undo.click()
    on_desk.until(lambda: is_(desk, first, "proved"))
    assert is_(desk, second, "approved")


def test_opening_review_by_its_key_lands_on_the_list_and_space_undoes_nothing(
    on_desk: Shown, desk: Desk
) -> None:
    done = desk.propose("done", status=ProposalStatus.PROVED, replays=proved())
    desk.propose("open")
    desk.do(desk.reviewing.decide(done.id, "approve", {"sha256": done.sha256}))
    window = on_desk.desktop.window
    page = opened(on_desk, with_=1)
    on_desk.activate()
    window.go(PageName.TODAY)
    today = window.page(PageName.TODAY)
    on_desk.until(lambda: [b for b in today.findChildren(QPushButton) if b.isVisible()])
    next(b for b in today.findChildren(QPushButton) if b.isVisible()).setFocus()
    on_desk.bot.keyClick(window, "2", Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is page.list
    on_desk.bot.keyClick(page.list, Qt.Key.Key_Space)
    QApplication.processEvents()
    assert is_(desk, done, "approved")
    on_desk.until(lambda: page.undo.text() == "Undo approving “Done”")


def test_after_approving_the_last_one_goes_on_in_chat(on_desk: Shown, desk: Desk) -> None:
    desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    on_desk.bot.keyClick(page.list, "a")
    on_desk.until(lambda: not page.showing_body)

    def offered() -> list[QPushButton]:
        return [one for one in page.nothing.findChildren(QPushButton) if one.isVisible()]

    wanted = ["Ask again in Chat", "View active skills"]
    on_desk.until(lambda: [one.text() for one in offered()] == wanted)
    assert offered()[0].property("main")
    offered()[0].click()
    assert on_desk.desktop.window.windowTitle() == "Lull: Chat"


def test_without_a_decision_there_is_nothing_to_undo(on_desk: Shown, desk: Desk) -> None:
    desk.propose()
    page = opened(on_desk, with_=1)
    assert not page.undo.isEnabled()
    assert page.undo.text() == "Nothing to undo"


def test_the_head_counts_what_is_left_down_to_none(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    assert page.count.text() == "1 suggestion"
    on_desk.bot.keyClick(page.list, "a")
    on_desk.until(lambda: is_(desk, proposal, "approved"))
    on_desk.until(lambda: page.count.text() == "0 suggestions")
    assert not page.showing_body


# Snoozed


def test_what_is_snoozed_is_out_of_sight_keeps_its_proof_and_comes_back(
    on_desk: Shown, desk: Desk
) -> None:
    proposal = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    until = desk.clock.now() + timedelta(hours=4)
    page._snooze(until)
    on_desk.until(lambda: page.snoozed.text() == "1 snoozed" and not page.showing_body)
    assert desk.reviewing.list()["proposals"] == []
    page.snoozed.click()
    on_desk.until(lambda: page.rows.rows and page.showing_body)
    assert status_chip(page.rows.rows[0])[0].startswith("Proved")
    assert not page.defer.isEnabled()
    assert not page.prove.isVisible()
    desk.clock.advance(4 * 3600 + 1)
    assert [p["status"] for p in desk.reviewing.list()["proposals"]] == ["proved"]
    assert [p.id for p in desk.do(desk.review.end_postponements())] == [proposal.id]
    assert is_(desk, proposal, "proved")


# What a decision is about


def test_the_letters_do_nothing_once_nothing_is_shown(on_desk: Shown, desk: Desk) -> None:
    proposal = desk.propose(status=ProposalStatus.PROVED, replays=proved())
    page = opened(on_desk, with_=1)
    desk.do(desk.reviewing.decide(proposal.id, "reject", {"reason": "no"}))
    on_desk.until(lambda: not page.showing_body)
    assert page.rows.rows == []
    for letter in "ared":
        on_desk.bot.keyClick(on_desk.desktop.window, letter)
    QApplication.processEvents()
    assert on_desk.told == []
    assert not [d for d in page.findChildren(QDialog) if d.isVisible()]
    assert is_(desk, proposal, "rejected")


def test_a_decision_is_about_the_one_that_is_shown(on_desk: Shown, desk: Desk) -> None:
    made = {
        name: desk.propose(name, status=ProposalStatus.PROVED, replays=proved()) for name in "ab"
    }
    page = opened(on_desk, with_=2)
    on_desk.bot.keyClick(page.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    shown = page.view.name.text().lower()
    assert [row["name"] for row in page._highlighted()] != [shown]
    on_desk.bot.keyClick(page.list, "a")
    dialog = dialog_of(page, ApproveDialog)
    assert isinstance(dialog, ApproveDialog)
    assert f"“{shown.upper()}”" in " ".join(one.text() for one in dialog.findChildren(QLabel))
    dialog.cancel.click()
    on_desk.bot.keyClick(page.list, "d")
    on_desk.until(lambda: is_(desk, made[shown], "deferred"))
    assert [one.key.name for one in made.values() if is_(desk, one, "proved")] == [
        name for name in made if name != shown
    ]


def test_all_that_is_approved_is_shown_and_nothing_quarantined_in_a_batch(
    on_desk: Shown, desk: Desk
) -> None:
    plain = desk.propose("plain", check='{"kind": "words", "at_most": 60}', reason="No luck.")
    bad = desk.propose(
        "bad",
        status=ProposalStatus.QUARANTINED,
        flags=({"kind": "untrusted", "text": "A page said so.", "quote": "bars"},),
        reason="It was read on a page",
    )
    page = opened(on_desk, with_=2)
    page.list.selectAll()
    assert page.approve.text() == "Approve 1…  A"
    on_desk.bot.keyClick(page.list, "a")
    dialog = confirmed(page)
    assert "1 quarantined suggestion is left out" in dialog.left_out.text()
    said = dialog.text.toPlainText()
    for words in (
        "When a menu is asked for.", "For similar requests",
        "Its own check: The answer must have at most 60 words", "No luck.",
    ):  # fmt: skip
        assert words in said
    on_desk.until(lambda: is_(desk, plain, "approved"))
    assert is_(desk, bad, "quarantined")
    alone = ApproveDialog([next(row for row in desk.reviewing.list()["proposals"])], page)
    assert "A page said so. “bars”" in alone.text.toPlainText()
    assert "It was read on a page" in alone.text.toPlainText()


def test_a_selection_grows_by_nothing_when_the_list_is_read_again(
    on_desk: Shown, desk: Desk
) -> None:
    for name in "abc":
        desk.propose(name)
    page = opened(on_desk, with_=3)
    on_desk.bot.keyClick(page.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    on_desk.bot.keyClick(page.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    before = [row["name"] for row in page.selected()]
    assert len(before) == 2
    desk.propose("d")
    on_desk.desktop.state.touch(*page.subjects)
    on_desk.until(lambda: len(page.rows.rows) == 4)
    assert {row["name"] for row in page.selected()} == set(before)


def test_what_waits_for_picks_is_not_said_to_have_shown_no_benefit() -> None:
    waiting = {
        **measured(), "status": "unproved", "standing": "not-better", "needs": "picks",
        "reason": "only you can tell: compare 6 pairs of answers (`lull review compare prop_1`)",
    }  # fmt: skip
    for status in ("unproved", "deferred"):
        said = confirmation_reason({**waiting, "status": status})
        assert said.startswith("Only you can tell whether it helps")


def test_a_check_that_could_not_tell_is_not_said_to_be_missing() -> None:
    waiting = {
        **measured(pairs=0), "status": "unproved", "standing": "untestable", "needs": "picks",
    }  # fmt: skip
    assert "No check and no model" in evidence_words({**waiting, "check": None})
    said = evidence_words({**waiting, "check": "The answer must end with the text “cheers”."})
    assert said == (
        "Its check could not tell whether it helps; you can, by comparing answers. 6 picks for the "
        "skill are enough."
    )


def test_the_keyboard_stays_on_the_page_when_a_test_begins(on_desk: Shown, desk: Desk) -> None:
    desk.propose()
    page = opened(on_desk, with_=1)
    page.prove.setFocus()
    on_desk.bot.keyClick(page.prove, Qt.Key.Key_Space)
    on_desk.until(lambda: on_desk.told)
    assert on_desk.told == ["Sent to be tested; you can go on."]
    assert page.list.hasFocus()


def test_a_reason_names_the_window_s_places_and_no_commands() -> None:
    known = {**measured(), "reason": "look at `lull skills list` first."}
    quarantined = confirmation_reason({**known, "standing": "quarantined"})
    assert quarantined.endswith(": look at the Skills page first.")
    retired = {**known, "kind": "retire"}
    assert evidence_words(retired) == "look at the Skills page first."


# Evidence


def test_a_check_of_its_own_is_not_named_by_a_word_of_the_code() -> None:
    assert scorer_words(BY_CHECK) == "Scored by its own check"
    assert scorer_words("verifier:language") == "Scored by a check: language"


def test_a_wish_that_is_the_suggestions_one_sentence_is_not_shown_twice() -> None:
    trace = {"sentence": "Use bars.", "whose": "yours", "quoted": []}
    both = {"provenance": [trace], "wish": "Use bars."}
    assert sources_html(both, LIGHT).count("Use bars.") == 1
    other = {"provenance": [trace], "wish": "use bars, please"}
    assert "use bars, please" in sources_html(other, LIGHT)


def test_every_replayed_pair_can_be_read_with_who_scored_it(on_desk: Shown, desk: Desk) -> None:
    read = [
        replace(pair, answers=(f"without {n}", f"with {n}")) for n, pair in enumerate(pairs(2, 1))
    ]
    old = replace(pairs(4)[3], seed=99, scored_by="judge:qwen3:4b")
    desk.propose(status=ProposalStatus.PROVING, replays=[*read, old])
    page = opened(on_desk, with_=1)
    page.view.show_view("answers")
    shown = page.view.text
    on_desk.until(lambda: "Test 4" in shown.toPlainText())
    assert shown.toHtml().count("<table") == 3, "both answers of each test stand side by side"
    said = shown.toPlainText()
    for words in ("with 0", "without 2", "Test 1: better with the skill", "Scored by a check"):
        assert words in said
    assert "Test 3: worse with the skill" in said
    assert "Scored by a judge model: qwen3:4b" in said
    assert "The answers of this test were not kept." in said


def test_nobody_is_said_to_have_said_what_they_did_not_type(on_desk: Shown, desk: Desk) -> None:
    derived = "When you write a note, always answer in German."
    desk.propose(
        body=derived,
        traces=(
            Trace(sentence="When the user asks for a note.", source="model"),
            Trace(sentence=derived, source="user", quoted=("always answer in German",)),
            Trace(sentence="Be brief.", source="user", quoted=("Be brief",)),
        ),
    )
    page = opened(on_desk, with_=1)
    page.view.show_view("evidence")
    said = page.view.text.toPlainText()
    by = dict(zip(said.split("\n"), said.split("\n")[1:], strict=False))
    assert by["“When the user asks for a note.”"] == "Written by Lull"
    assert by[f"“{derived}”"].startswith("Written by Lull from your words")
    assert by["“Be brief.”"] == "Your words"
    assert "<span" in page.view.text.toHtml()
    assert "always answer in German" in page.view.text.toHtml()


def test_the_keyboard_goes_on_to_the_next_after_a_decision(on_desk: Shown, desk: Desk) -> None:
    first, second = (
        desk.propose(name, status=ProposalStatus.PROVED, replays=proved())
        for name in ("menu-style", "date-style")
    )
    page = opened(on_desk, with_=2)
    page.list.setCurrentIndex(page.rows.index(0))
    shown = page.current()
    assert shown is not None
    page.approve.setFocus()
    on_desk.bot.keyClick(page.approve, Qt.Key.Key_Space)
    on_desk.until(lambda: "approved" in (desk.status(first), desk.status(second)))
    on_desk.until(lambda: len(page.rows.rows) == 1)
    assert page.list.hasFocus()
    assert page.current() is not None and page.current() != shown
    on_desk.bot.keyClick(page.list, "a")
    on_desk.until(lambda: {desk.status(first), desk.status(second)} == {"approved"})


def test_a_correction_is_not_called_a_request() -> None:
    wish = {"provenance": [], "wish": "No, use dashes."}
    said = sources_html({"kind": "new", **wish}, LIGHT)
    assert "What you want, as read by Lull" in said and "Your request" not in said
