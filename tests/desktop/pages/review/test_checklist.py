"""Tests of a proposed skill's checklist: whether it was tested, and whose words it is in."""

from __future__ import annotations

from typing import Any

import pytest

from lull.contract.json_object import Json
from lull.desktop.pages.review.checklist import Checklist, Mark, author_line, mark_of_tests


def proposal(*whose: str, **more: Any) -> Json:
    traces = [{"sentence": "x", "whose": one} for one in whose]
    return {"kind": "new", "status": "proposed", "provenance": traces, **more}


@pytest.mark.parametrize(
    ("whose", "mark", "words"),
    [
        (("yours",), Mark.SETTLED, "In your own words."),
        (("yours", "derived"), Mark.SETTLED, "Written by Lull from your words"),
        (("lull", "lull"), Mark.OPEN, "Written by Lull"),
        (("yours", "lull", "derived"), Mark.OPEN, "1 of 3 sentences were written by Lull"),
        (("yours", "others"), Mark.CAUTION, "1 of 2 sentences come from someone else's text"),
    ],
)
def test_whose_words_it_is_in(whose: tuple[str, ...], mark: Mark, words: str) -> None:
    said = author_line(proposal(*whose))
    assert said[0] is mark and said[1].startswith(words)


def test_a_removal_has_nobodys_words() -> None:
    assert author_line(proposal("yours", kind="retire"))[1] == ""
    assert author_line(proposal())[1] == ""


@pytest.mark.parametrize(
    ("standing", "cautions", "mark"),
    [
        ("proved", [], Mark.SETTLED),
        ("proved", ["one-request"], Mark.SETTLED),
        ("untested", [], Mark.OPEN),
        ("not-better", [], Mark.CAUTION),
        ("quarantined", [], Mark.CAUTION),
    ],
)
def test_what_is_proved_is_settled_and_what_is_not_is_marked(
    standing: str, cautions: list[str], mark: Mark
) -> None:
    assert mark_of_tests(proposal(standing=standing, evidence={"cautions": cautions})) is mark


def test_each_line_is_seen_with_its_mark(qtbot: Any) -> None:
    shown = Checklist()
    qtbot.addWidget(shown)
    shown.show_proposal(proposal("others", standing="untested", evidence={}))
    assert shown.marks[shown.tested].text() == "○"
    assert shown.marks[shown.whose].accessibleName() == "Caution"
    shown.show_proposal(proposal(standing="untested", evidence={}))
    assert shown.whose.isHidden() and shown.marks[shown.whose].isHidden()
