"""Tests of leaving one part of the user's words out of a skill."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton

from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.stated_skill import skill_of, words_of
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.widgets.text.word_parts import parts_of, without
from tests.desk import Desk
from tests.desktop.conftest import Shown
from tests.desktop.pages.review.test_review_page import dialog_of, opened

SCOLDED = "How often do I have to tell you, end my mails with 'Cheers, Ida'."


@pytest.mark.parametrize(
    ("text", "number", "left"),
    [
        (SCOLDED, 0, "end my mails with 'Cheers, Ida'."),
        ("Ich bitte dich! Schreib kürzer.", 0, "Schreib kürzer."),
        ("Use bars, as I said before.", 1, "Use bars"),
        ("Write 3.5 litres - please - and no more.", 1, "Write 3.5 litres - and no more."),
        ("Short.\nNo emojis!", 1, "Short."),
    ],
)
def test_what_is_left_reads_well(text: str, number: int, left: str) -> None:
    begin, end = without(text, parts_of(text)[number])
    assert text[:begin] + text[end:] == left


def test_a_complaint_is_left_out_with_one_click(on_desk: Shown, desk: Desk) -> None:
    text = skill_of(
        SCOLDED, scope=Scope.KIND, kind_of_rule=RuleKind.PREFERENCE, asked="write a mail"
    )
    proposal = desk.propose(body=text.body, description=text.description, scope=Scope.KIND)
    page = opened(on_desk, with_=1)
    page.edit.click()
    dialog = dialog_of(page, EditDialog)
    assert isinstance(dialog, EditDialog) and dialog.leave_out is not None
    on_desk.until(dialog.leave_out.isVisible)
    first = dialog.leave_out.findChildren(QPushButton)[0]
    assert first.accessibleName() == "Leave out “How often do I have to tell you,”"
    first.click()
    assert dialog.text.toPlainText() == "end my mails with 'Cheers, Ida'."
    dialog.text.undo()
    assert dialog.text.toPlainText() == SCOLDED
    dialog.text.redo()
    dialog.save.click()
    on_desk.until(
        lambda: words_of(desk.stores.proposals.get(proposal.id).text.body).startswith("end my")
    )


def test_a_text_that_is_not_the_users_words_is_edited_by_hand(on_desk: Shown, desk: Desk) -> None:
    desk.propose(body="Join the words with bars, please.")
    page = opened(on_desk, with_=1)
    page.edit.click()
    dialog = dialog_of(page, EditDialog)
    assert isinstance(dialog, EditDialog) and dialog.leave_out is None
