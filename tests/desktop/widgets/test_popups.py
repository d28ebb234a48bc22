"""Tests that the list which a box opens shows its entries whole, up to ten of them."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from lull.desktop.widgets.choice import Choice
from tests.desktop.conftest import Shown

MOST = 10


def opened(bot: QtBot, window: QWidget, entries: int) -> Choice:
    made = Choice()
    for number in range(1, entries + 1):
        made.addItem(f"Entry number {number}")
    box = window.layout()
    assert box is not None
    box.addWidget(made)
    made.setFocus()
    bot.wait(1)
    made.showPopup()
    return made


@pytest.mark.parametrize("percent", [100, 200])
def test_a_list_is_as_high_as_its_entries(on_script: Shown, percent: int) -> None:
    on_script.desktop.look.size_text(percent)
    window = QWidget()
    QVBoxLayout(window)
    on_script.bot.addWidget(window)
    window.show()
    for entries in (1, 2, 3, 5, 10, 24):
        box = opened(on_script.bot, window, entries)
        seen = box.view()
        last = box.model().index(min(entries, MOST) - 1, 0)
        room, place = seen.viewport().rect(), seen.visualRect(last)
        assert place.top() >= 0 and place.bottom() <= room.bottom(), entries
        assert (seen.verticalScrollBar().maximum() > 0) is (entries > MOST), entries
        words = QFontMetrics(seen.font()).horizontalAdvance(box.itemText(entries - 1))
        assert words <= place.width(), entries
        box.hidePopup()
        box.deleteLater()
