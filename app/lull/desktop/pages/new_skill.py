"""A skill written by hand: its name, when it is used, and what it says."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from lull.desktop.parts import button, label, row
from lull.desktop.tokens import GAP
from lull.desktop.words import tr

Json = dict[str, Any]
_NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")


class NewSkillDialog(QDialog):
    given = Signal(object)
    """`{"name", "description", "body", "pin"}`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("New skill"))
        self.resize(560, 440)
        self.name, self.description = QLineEdit(), QLineEdit()
        self.name.setPlaceholderText("menu-style")
        self.description.setPlaceholderText(tr("When a menu is asked for."))
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.pin = QCheckBox(tr("Pinned: in every conversation"))
        self.pin.setAccessibleName(tr("Pinned"))
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        for words, field in (
            (tr("Name: small letters, digits, hyphens"), self.name),
            (tr("When it is used"), self.description),
            (tr("What it says"), self.text),
        ):
            field.setAccessibleName(words)
            box.addWidget(label(words, "muted"))
            box.addWidget(field)
            field.textChanged.connect(self._look)
        self.save = button(tr("Add"), self._give, main=True)
        box.addWidget(self.pin)
        box.addLayout(row(None, button(tr("Cancel"), self.close), self.save))
        self._look()

    def _look(self) -> None:
        texts = (self.description.text().strip(), self.text.toPlainText().strip())
        self.save.setEnabled(bool(_NAME.match(self.name.text().strip())) and all(texts))

    def _give(self) -> None:
        self.given.emit(
            {
                "name": self.name.text().strip(),
                "description": self.description.text().strip(),
                "body": self.text.toPlainText(),
                "pin": self.pin.isChecked(),
            }
        )
        self.close()
