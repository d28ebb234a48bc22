"""Tests of texts without a space on Today: they are broken in a line, the page grows no wider."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QScrollArea

from lull.contract import routes
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.widgets.text.long_text import BREAK, breakable
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import today
from tests.desktop.scripted import Scripted

UNBROKEN = "QmFzZTY0" * 40
TURN = {"id": "turn_5", "request": f"Read {UNBROKEN}", "answer": UNBROKEN}
FAILED = {
    "at": "2026-11-21T12:00:00+00:00",
    "client": "editor",
    "path": "/api/chat",
    "status": 404,
    "why": f"There is no model {UNBROKEN}.",
}
PROBLEM = {"title": "A file is missing", "detail": UNBROKEN, "hint": ""}


def fits(page: TodayPage) -> bool:
    (area,) = (one for one in page.body.findChildren(QScrollArea) if one.isVisible())
    return area.horizontalScrollBar().maximum() == 0


def words(page: TodayPage, part: str) -> QLabel:
    """Return the label that says this; places where a text may be broken are not compared."""
    said = {one.text().replace(BREAK, ""): one for one in page.findChildren(QLabel)}
    return next(one for text, one in said.items() if part in text)


def test_an_unbroken_text_does_not_widen_today(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.TURN.format(id="turn_5")] = TURN
    scripted.answers[routes.RATE.format(id="turn_5")] = {}
    on_script.desktop.window.resize(QSize(900, 600))
    page = today(on_script, scripted, question="turn_5", failed=[FAILED], problems=[PROBLEM])
    on_script.until(page.question.isVisible)
    on_script.until(lambda: fits(page))
    page._rate("bad")
    on_script.until(page.teach.isVisible)
    on_script.until(lambda: fits(page))
    for card in (page.failed, page.teach, page.problems):
        assert card.width() <= page.width()
    line = words(page, "There is no model")
    on_script.until(lambda: line.height() > 3 * line.fontMetrics().height())
    assert UNBROKEN in line.text().replace(BREAK, "")


def test_a_text_is_broken_between_what_is_read_as_characters() -> None:
    assert breakable("As usual, and short.") == "As usual, and short."
    run = "é" * 20 + "🧑‍🧑‍🧒" + "e\N{COMBINING ACUTE ACCENT}" * 20
    parts = breakable(f"see {run} there").removeprefix("see ").removesuffix(" there").split(BREAK)
    assert parts == ["é"] * 20 + ["🧑‍🧑‍🧒"] + ["e\N{COMBINING ACUTE ACCENT}"] * 20


@pytest.mark.usefixtures("qapp")
def test_where_a_text_may_be_broken_takes_no_room() -> None:
    plain, with_breaks = QLabel(UNBROKEN), QLabel(breakable(UNBROKEN))
    assert plain.sizeHint() == with_breaks.sizeHint()
