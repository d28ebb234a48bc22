"""Tests that what has the keyboard focus is seen to have it, and that one begins at the top."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from lull.desktop.pages.settings.wipe_dialog import WipeDialog
from lull.desktop.pages.skills.generations_dialog import GenerationsDialog
from lull.desktop.shared.edit_dialog import EditDialog
from lull.desktop.shared.new_skill import NewSkillDialog
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.text.long_text import LongText, WholeText
from lull.desktop.widgets.tokens import LIGHT
from lull.desktop.widgets.wrapped_check import WrappedCheck, WrappedRadio
from tests.desktop.conftest import Shown


def whole_text() -> QWidget:
    made = WholeText()
    made.setPlainText("Some words.")
    return made


@pytest.mark.parametrize(
    "make",
    [
        whole_text,
        lambda: LongText("lull ask hello"),
        lambda: WrappedRadio("One"),
        lambda: WrappedCheck("One"),
    ],
)
def test_a_stop_of_tab_is_framed_in_the_accent(
    on_script: Shown, make: Callable[[], QWidget]
) -> None:
    window = QWidget()
    box = QVBoxLayout(window)
    before, shown = QPushButton("Before"), make()
    for one in (before, shown):
        box.addWidget(one)
    on_script.bot.addWidget(window)
    window.show()
    with on_script.bot.waitActive(window):
        window.activateWindow()
    before.setFocus()
    without = framed(shown)
    on_script.bot.keyClick(before, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is shown
    on_script.until(lambda: framed(shown) and not without)
    assert shown.height() < 60


def framed(shown: QWidget) -> bool:
    """Whether an edge of the widget has the colour of the focus."""
    picture: QImage = shown.grab().toImage()
    middle = picture.height() // 2
    return LIGHT.accent in {picture.pixelColor(x, middle).name() for x in range(3)}


def test_tab_from_outside_scrolls_to_what_it_reaches(on_script: Shown) -> None:
    page = on_script.go(PageName.SCHEDULE)
    on_script.until(lambda: page.showing_body)
    on_script.desktop.window.resize(900, 600)
    on_script.activate()
    kind = page.kind  # type: ignore[attr-defined]
    last = page.findChildren(QPushButton)[-1]
    last.setFocus()
    on_script.until(lambda: kind.visibleRegion().isEmpty())
    on_script.desktop.window.setFocus()
    kind.setFocus(Qt.FocusReason.TabFocusReason)
    on_script.until(lambda: not kind.visibleRegion().isEmpty())


def stops(dialog: QWidget) -> list[QWidget]:
    found, one = [], dialog.nextInFocusChain()
    while one is not dialog:
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.isVisible():
            found.append(one)
        one = one.nextInFocusChain()
    return found


def test_editing_a_skill_begins_in_its_first_field(on_script: Shown) -> None:
    shown = {"name": "menu-style", "description": "When a menu is asked for. " * 9, "body": "Dash."}
    dialog = EditDialog(shown, on_script.desktop.window)
    dialog.show()
    assert dialog.focusWidget() is dialog.description
    assert dialog.description.cursorPosition() == 0
    assert stops(dialog) == [dialog.description, dialog.text, dialog.cancel, dialog.save]
    dialog.close()


def test_a_long_beginning_of_a_new_skill_is_seen_from_its_start(on_script: Shown) -> None:
    start = {"name": "menu", "description": "When asked something like “a menu” " * 5}
    dialog = NewSkillDialog(on_script.desktop.window, start=start)
    assert [one.cursorPosition() for one in dialog.findChildren(QLineEdit)] == [0, 0]
    dialog.deleteLater()


def test_what_became_of_a_skill_is_read_in_the_history(on_script: Shown) -> None:
    name = "-".join(["very"] * 20)
    history = [{"generation": 2, "at": None, "change": "approve", "detail": f"approve {name}"}]
    dialog = GenerationsDialog(history, on_script.desktop.window)
    assert dialog.table.textElideMode() is Qt.TextElideMode.ElideMiddle
    item = dialog.table.item(0, 2)
    assert item is not None and item.text().endswith("was approved")
    dialog.close()


def test_the_search_of_settings_has_room(on_script: Shown, qtbot: QtBot) -> None:
    page = on_script.go(PageName.SETTINGS)
    on_script.until(lambda: page.showing_body)
    on_script.draw(page)
    assert page.search.width() >= 240  # type: ignore[attr-defined]


def test_the_choices_of_what_to_delete_show_the_focus(on_script: Shown) -> None:
    dialog = WipeDialog(on_script.desktop.kit, on_script.desktop.window)
    dialog.show()
    with on_script.bot.waitActive(dialog):
        dialog.activateWindow()
    dialog.all.setFocus(Qt.FocusReason.TabFocusReason)
    on_script.until(lambda: framed(dialog.all))
    dialog.close()
