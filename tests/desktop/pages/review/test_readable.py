"""Tests that a skill is shown as what a person wants to know, and its file only on request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.proof.proposal import ProposalKind, ProposalStatus
from lull.core.skills.stated_skill import skill_of
from lull.desktop.pages.review.approval_words import cautions
from lull.desktop.pages.review.evidence import figures_html
from lull.desktop.pages.review.tested_words import (
    confirmation_reason,
    evidence_words,
    odds_words,
)
from lull.desktop.pages.skills.page import SkillsPage
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.widgets.columns import Details
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import LIGHT
from tests.desk import Desk, proved
from tests.desktop.conftest import Shown
from tests.desktop.pages.review.test_review_page import opened

CHECK = '{"check": "max_sentences", "value": 2}'
LONG = "When I ask for recipes, give the quantities in grams and never in cups, and the oven first"
IN_THE_FILE = ("name:", "---", "description:", "metadata:", "max_sentences")
"""What stands in a skill's file for programs alone."""


def stated(said: str, *, asked: str = "") -> dict[str, str]:
    """The texts of a skill of the user's own words."""
    scope = Scope.KIND if asked else Scope.ALL
    made = skill_of(said, scope=scope, kind_of_rule=RuleKind.PREFERENCE, asked=asked)
    return {"name": made.name, "body": made.body, "description": made.description}


def test_a_suggestion_is_shown_in_words_and_its_file_behind_a_button(
    on_desk: Shown, desk: Desk
) -> None:
    desk.propose(check=CHECK, **stated("Two sentences at most", asked="write a note"))  # type: ignore[arg-type]
    view = opened(on_desk, with_=1).view
    assert not view.file.isVisible()
    view.show_view("skill")
    shown = view.text.toPlainText()
    assert view.name.text() == "Two sentences at most"
    for words in ("When it applies", "For requests like: write a note", "What it says",
                  "“Two sentences at most”", "What the model reads", "How its answers are checked",
                  "Where it comes from", "From what you said in a chat."):  # fmt: skip
        assert words in shown, words
    assert not [sign for sign in IN_THE_FILE if sign in shown]
    for beside in (False, True):
        view.show_view("unified")
        view.side.setChecked(beside)
        view.side.clicked.emit()
        shown = view.text.toPlainText()
        assert "“Two sentences at most”" in shown and "For requests like: write a note" in shown
        assert not [sign for sign in IN_THE_FILE if sign in shown]
    for name in ("skill", "unified"):
        view.show_view(name)
        view.file.setChecked(True)
        view.file.clicked.emit()
        assert [sign for sign in IN_THE_FILE if sign in view.text.toPlainText()]


def test_an_edit_is_compared_in_words(on_desk: Shown, desk: Desk) -> None:
    before = stated("Use dashes")
    desk.skill(before["name"], before["body"])
    after = stated("Use long dashes", asked="write a note")
    desk.propose(
        before["name"],
        kind=ProposalKind.EDIT,
        body=after["body"],
        description=after["description"],
    )
    view = opened(on_desk, with_=1).view
    view.show_view("unified")
    lines = view.text.toPlainText()
    assert "“Use dashes”" in lines and "“Use long dashes”" in lines
    assert "When a menu is asked for." in lines and "For requests like: write a note" in lines
    assert "description:" not in lines and "In every answer the user wants" not in lines


def test_only_the_users_words_are_edited_and_not_the_sentence_around_them(
    on_desk: Shown, desk: Desk
) -> None:
    desk.propose(**stated("Use dashes"))  # type: ignore[arg-type]
    page = opened(on_desk, with_=1)
    page.edit.click()
    (dialog,) = page.findChildren(EditDialog)
    assert dialog.text.toPlainText() == "Use dashes"
    dialog.text.setPlainText("Use long dashes")
    dialog.save.click()
    on_desk.until(lambda: page.view.rule.text() == "“Use long dashes”")
    assert page.rows.rows[0]["body"] == stated("Use long dashes")["body"]


def test_a_change_of_the_file_alone_is_said_to_be_one(on_desk: Shown, desk: Desk) -> None:
    desk.skill("menu-style", "Join the words with bars.")
    proposal = desk.propose(kind=ProposalKind.EDIT)
    page = opened(on_desk, with_=1)
    row = {**page.rows.rows[0], "id": f"{proposal.id}x"}
    row["said_before"] = {name: row[name] for name in ("body", "description", "scope", "check")}
    page.view.show_proposal(row)
    page.view.show_view("unified")
    page.view.side.click()
    assert page.view.text.toPlainText() == (
        "Only settings within its file change, none of its words."
    )


def test_a_skill_in_use_is_shown_in_words_and_its_file_behind_a_button(
    on_desk: Shown, desk: Desk
) -> None:
    made = stated("Two sentences at most")
    desk.skill(made["name"], made["body"])
    page = on_desk.go(PageName.SKILLS)
    assert isinstance(page, SkillsPage)
    on_desk.until(lambda: len(page.rows.rows) == 1)
    view = page.view
    on_desk.until(lambda: "Where it comes from" in view.text.toPlainText())
    shown = view.text.toPlainText()
    for words in ("Two sentences at most", "When a menu is asked for.", "What the model reads",
                  "No exact check", "“Two sentences at most” was added on"):  # fmt: skip
        assert words in shown, words
    assert not [sign for sign in IN_THE_FILE if sign in shown]
    view.file.click()
    on_desk.until(lambda: "description:" in view.text.toPlainText())
    view.file.click()
    assert "description:" not in view.text.toPlainText()


def test_versions_of_a_skill_are_compared_in_words(on_desk: Shown, desk: Desk) -> None:
    from lull.core.skills.skill import SkillKey

    desk.skill("menu-style", "Join the words with bars.")
    desk.do(desk.approve.edit(SkillKey("", "menu-style"), description=None, body="Join by dashes."))
    page = on_desk.go(PageName.SKILLS)
    assert isinstance(page, SkillsPage)
    on_desk.until(lambda: len(page.rows.rows) == 1)
    page.view.show_view("compare")
    on_desk.until(lambda: "Join by dashes." in page.view.text.toPlainText())
    assert "description:" not in page.view.text.toPlainText()
    page.view.file.click()
    assert "description:" in page.view.text.toPlainText()


def evidence(**more: object) -> dict[str, object]:
    found = {"pairs": 11, "requests": 3, "wins": 9, "losses": 1, "e_value": 13.24,
             "harm_e_value": 0.1, "needs_e_value": 20.0, "most_pairs": 60, "wins_wanted": 2,
             "successes_left": 0, "shown_by": None, **more}  # fmt: skip
    return {"kind": "new", "status": "proving", "standing": "untested", "evidence": found}


@pytest.mark.parametrize(
    ("proposal", "said"),
    [
        ({**evidence(shown_by="evidence"), "standing": "proved"}, "clear enough to trust."),
        (evidence(), "not clear enough yet; 2 more good tries are needed."),
        (evidence(wins_wanted=1), "not clear enough yet; 1 more good try is needed."),
        ({**evidence(), "standing": "not-better"}, "not enough to trust it."),
        (
            {**evidence(shown_by="last look"), "standing": "proved"},
            "close, and a final draw accepted it.",
        ),
        (evidence(wins_wanted=70), "not clear enough to trust."),
        (evidence(shown_by="evidence"), "clear enough that it helps; whether it spoils other"),
    ],
)
def test_what_the_tests_say_is_said_in_plain_words_first(
    proposal: dict[str, object], said: str
) -> None:
    words = evidence_words(proposal)
    assert words.startswith(f"Better in 9 of 11 tries, worse in 1: {said}")
    assert "13" not in words and "e =" not in words


def test_while_only_harm_is_still_looked_for_nothing_contradicts_that_it_helps() -> None:
    proposal = evidence(
        **{"shown_by": "evidence", "successes_left": 16, "success_pairs": 4, "pairs": 15},
        **{"e_value": 40.0, "cautions": ["no-past-success"]},
    )
    said = evidence_words(proposal)
    assert said.startswith(
        "It helps. Now checking that it spoils nothing else: 4 of 20. Better in 9 of 11 tries, "
        "worse in 1. Tested on 3 requests"
    )
    assert "clear" not in said
    assert odds_words(proposal) == "" and cautions(proposal) == []
    assert confirmation_reason(proposal).startswith("It helps, but")
    later = {**proposal, "standing": "proved"}
    assert "That is enough" in odds_words(later) and cautions(later)


@pytest.mark.parametrize(
    ("both", "neither", "said"),
    [
        (0, 1, "In 1 try the rule was broken both with and without the skill."),
        (3, 0, "In 3 tries the rule was kept both with and without the skill."),
    ],
)
def test_of_tries_without_a_difference_only_what_there_was_is_said(
    both: int, neither: int, said: str
) -> None:
    kept = {"pairs": 11, "with": both, "without": both, "both": both, "neither": neither}
    words = evidence_words(evidence(kept=kept))
    assert words.endswith(f"without. {said}")


def test_the_figure_by_which_it_is_decided_is_explained_where_it_stands(
    on_desk: Shown, desk: Desk
) -> None:
    desk.propose(status=ProposalStatus.PROVED, replays=proved())
    view = opened(on_desk, with_=1).view
    view.show_view("answers")
    on_desk.until(lambda: "Strength of the evidence: " in view.text.toPlainText())
    assert "This is an e-value." in view.text.toPlainText()
    assert "13.2." in figures_html(evidence(), LIGHT)
    assert figures_html({**evidence(), "evidence": {"pairs": 0}}, LIGHT) == ""


def test_a_long_rule_is_called_by_a_whole_clause_everywhere(on_desk: Shown, desk: Desk) -> None:
    title = "Give the quantities in grams and never in cups …"
    proposal = desk.propose(status=ProposalStatus.PROVED, replays=proved(), **stated(LONG))  # type: ignore[arg-type]
    page = opened(on_desk, with_=1)
    assert page.view.name.text() == title
    index = page.rows.index(0)
    assert page.rows.data(index).startswith(title)
    assert LONG in page.rows.data(index, 3)  # the tooltip
    on_desk.bot.keyClick(page.list, "a")
    on_desk.until(lambda: desk.status(proposal) == "approved")
    on_desk.until(lambda: f"Approved: {title} Used from your next message on." in on_desk.told)
    skills = on_desk.go(PageName.SKILLS)
    assert isinstance(skills, SkillsPage)
    on_desk.until(lambda: skills.view.name.text() == title)


def test_a_title_shows_no_json(on_desk: Shown, desk: Desk) -> None:
    desk.propose(**stated('{"tool": "notes", "rule": "dashes"}'))  # type: ignore[arg-type]
    page = opened(on_desk, with_=1)
    assert page.view.name.text() == "An answer in JSON …"


def test_what_its_tests_turn_down_does_not_go_without_a_word(on_desk: Shown, desk: Desk) -> None:
    """Somebody pressed “Test now”, and the suggestion that they look at is gone."""
    proposal = desk.propose(**stated("Use dashes"))  # type: ignore[arg-type]
    other, third = desk.propose("other"), desk.propose("third")
    desk.reviewing._deciding.replayed_now = proposal.id  # type: ignore[misc]
    page = opened(on_desk, with_=3)
    on_desk.until(lambda: any(row["testing"] for row in page.rows.rows))
    why = "it did harm: 8 of 24 past successes got worse"
    gone = replace(proposal, status=ProposalStatus.REJECTED, reason=why)
    desk.do(desk.stores.proposals.advance(gone))
    on_desk.desktop.state.touch(*page.subjects)
    said = "“Use dashes” was turned down by its tests: it did harm: 8 of 24 good earlier answers"
    on_desk.until(lambda: any(told.startswith(said) for told in on_desk.told))
    desk.reviewing._deciding.replayed_now = other.id  # type: ignore[misc]
    on_desk.desktop.state.touch(*page.subjects)
    on_desk.until(lambda: any(row["testing"] for row in page.rows.rows))
    on_desk.told.clear()
    desk.do(desk.reviewing.decide(other.id, "reject", {"reason": "no"}))
    desk.do(desk.reviewing.decide(third.id, "reject", {"reason": "no"}))
    on_desk.desktop.state.touch(*page.subjects)
    on_desk.until(lambda: page.nothing.head.text() == "Nothing to review")
    on_desk.bot.wait(300)
    assert not on_desk.told  # that was the user, in another window


def test_in_large_text_the_page_scrolls_and_nothing_within_it(on_desk: Shown, desk: Desk) -> None:
    desk.propose(check=CHECK, **stated("Two sentences at most", asked="write a note"))  # type: ignore[arg-type]
    page = opened(on_desk, with_=1)
    (details,) = page.findChildren(Details)
    try:
        on_desk.desktop.window.resize(900, 600)
        on_desk.desktop.look.size_text(200)
        on_desk.until(lambda: page.height() < page.view.height())
        on_desk.until(lambda: details.verticalScrollBar().maximum() == 0)
        # The check is read in the whole width, and not beside its button.
        beside = page.view.beside
        assert beside.check.width() > 0.9 * beside.width()
    finally:
        on_desk.desktop.look.size_text(100)
