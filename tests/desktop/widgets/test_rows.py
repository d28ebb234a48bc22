"""Tests that tables highlight the whole row under the mouse, whatever cell the mouse is on."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QTableView

from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import LIGHT
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import learned
from tests.desktop.scripted import Scripted

ROW = 1
"""Row that the mouse is on; the first may be selected."""


def backgrounds(table: QTableView) -> list[str]:
    """Return the colour behind each cell of the row, in a corner that no letter reaches."""
    picture = table.viewport().grab().toImage()
    ratio = picture.devicePixelRatio()
    found = []
    for column in range(table.model().columnCount()):
        at = table.visualRect(table.model().index(ROW, column)).topLeft() + QPoint(3, 3)
        found.append(picture.pixelColor(round(at.x() * ratio), round(at.y() * ratio)).name())
    return found


def test_a_row_is_hovered_as_a_whole(on_script: Shown, scripted: Scripted) -> None:
    table = learned(on_script, scripted).runs
    on_script.until(lambda: table.model().rowCount() > ROW and table.isVisible())
    before = backgrounds(table)
    assert LIGHT.hover not in before

    def hovered() -> bool:
        # again at each look: the page may still be laid out, and the row not be where it was
        cell = table.visualRect(table.model().index(ROW, 0)).center()
        on_script.bot.mouseMove(table.viewport(), QPoint(cell.x() - 1, cell.y()))
        on_script.bot.mouseMove(table.viewport(), cell)
        return backgrounds(table) == [LIGHT.hover] * len(before)

    on_script.until(hovered)


@pytest.mark.parametrize("name", [PageName.LEARNING, PageName.SCHEDULE])
def test_no_table_hovers_single_cells(on_script: Shown, name: PageName) -> None:
    page = on_script.go(name)
    tables = page.findChildren(QTableView)
    assert tables
    assert [one.accessibleName() for one in tables if not hasattr(one, "hovered")] == []
