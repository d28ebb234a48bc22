"""Tests of what Enter does in a dialog: it presses the button that stands out, and no other."""

from __future__ import annotations

import functools

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)

from lull.desktop.pages.review.approve_dialog import ApproveDialog
from tests.desktop.conftest import Shown
from tests.desktop.widgets.dialogs import asked

SAFE_FIRST = (ApproveDialog,)
"""Dialogs in which Enter takes the safe way out, so that nothing is approved unread."""


def fields(dialog: QDialog) -> list[QWidget]:
    """Return the fields of a dialog in which Enter is no new line."""
    kinds = (QLineEdit, QPlainTextEdit, QTextEdit, QAbstractItemView)
    found = [one for kind in kinds for one in dialog.findChildren(kind) if one.isVisible()]
    return [
        one for one in found if not isinstance(one, QPlainTextEdit | QTextEdit) or one.isReadOnly()
    ]


def test_enter_presses_the_button_that_stands_out(on_script: Shown) -> None:
    wrong: list[str] = []
    tried = 0
    for dialog in asked(on_script):
        if isinstance(dialog, SAFE_FIRST):
            continue
        pressed: list[QPushButton] = []
        buttons = dialog.findChildren(QPushButton)
        mains = [one for one in buttons if one.property("main") and one.isVisible()]
        for one in buttons:
            one.clicked.disconnect()  # only which one is pressed matters
            one.clicked.connect(functools.partial(pressed.append, one))
            one.setEnabled(True)
        for field in fields(dialog) if mains else ():
            on_script.bot.keyClick(field, Qt.Key.Key_Return)
            tried += 1
            wrong += [
                f"{type(dialog).__name__}: Enter in “{field.accessibleName()}” → {one.text()}"
                for one in pressed
                if one not in mains
            ]
            pressed.clear()
    assert tried > 5
    assert wrong == []
