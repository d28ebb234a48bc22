"""Tests that another theme or text size is put on in one go, however much the window shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from bench.window.command import fill_with_many
from lull.desktop.pages.skills.page import SkillsPage
from lull.desktop.pages.skills.skill_rows import SkillRows
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import DARK, LIGHT
from tests.desktop.conftest import Shown, live
from tests.desktop.played.week import play
from tests.desktop.scripted import Scripted

STYLED_MOST = 4
"""Most times that one widget is styled: without a sheet and with one, and some within Qt's own."""
READ_MOST = 5_000
"""Most cells that are read meanwhile; the table has 4,000, and Qt measured it ten times."""


class Styled(QObject):
    """Counts how often each widget is styled."""

    def __init__(self) -> None:
        super().__init__()
        self.times: Counter[QObject] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.StyleChange:
            self.times[watched] += 1
        return False


@pytest.fixture
def many(scripted: Scripted, home: Path, show: Callable[..., Shown]) -> Shown:
    """A window with 1,000 skills that has made all of its pages."""
    play(scripted, home / "logs")
    fill_with_many(scripted)
    shown = live(show(home))
    for name in PageName:
        shown.go(name)
    page = shown.go(PageName.SKILLS)
    assert isinstance(page, SkillsPage)
    shown.until(lambda: page.filter.rowCount() == 1000)
    shown.go(PageName.TODAY)
    return shown


def test_no_widget_is_styled_once_for_each_one_around_it(many: Shown, qapp: QApplication) -> None:
    styled = Styled()
    qapp.installEventFilter(styled)
    many.desktop.look.set_theme(DARK)
    qapp.removeEventFilter(styled)
    many.desktop.look.set_theme(LIGHT)
    assert len(styled.times) > 300
    assert max(styled.times.values()) <= STYLED_MOST


def test_a_hidden_table_is_not_measured_to_its_end(
    many: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0
    whole = SkillRows.data

    def data(*asked: object) -> object:
        nonlocal read
        read += 1
        return whole(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(SkillRows, "data", data)
    many.desktop.look.set_theme(DARK)
    many.desktop.look.set_theme(LIGHT)
    assert read <= READ_MOST


def test_every_widget_has_its_font_and_colours_back(many: Shown) -> None:
    window = many.desktop.window

    def looks() -> dict[QWidget, tuple[str, str, str]]:
        return {
            one: (
                one.font().toString(),
                one.palette().windowText().color().name(),
                one.palette().button().color().name(),
            )
            for one in window.findChildren(QWidget)
        }

    before = looks()
    many.desktop.look.set_theme(DARK)
    dark = looks()
    many.desktop.look.set_theme(LIGHT)
    after = looks()
    same = before.keys() & after.keys()
    assert len(same) > 300
    assert [one for one in same if after[one] != before[one]] == []
    assert sum(dark[one] != before[one] for one in same & dark.keys()) > 300
