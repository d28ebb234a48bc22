"""Dialog to reject a proposed skill, with a reason."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.language.words import skill_title, tr
from lull.desktop.widgets.fitted_dialog import FittedDialog
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP


class RejectDialog(FittedDialog):
    """Dialog that asks for the reason why a proposed skill is rejected."""

    given = Signal(str)

    def __init__(self, names: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Reject"))
        self.setMinimumWidth(440)
        head = skill_title(names[0]) if len(names) == 1 else tr("%1 suggestions", len(names))
        words = tr("Lull won't suggest this again, even reworded.")
        self.reason = QLineEdit()
        self.reason.setAccessibleName(tr("Reason"))
        self.reason.setPlaceholderText(tr("Such as: too general"))
        self.reason.textChanged.connect(self._look)
        self.reject_button = button(tr("Reject"), self._give, main=True)
        self.reject_button.setDefault(True)
        cancel = button(tr("Cancel"), self.close)
        cancel.setAutoDefault(False)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(tr("Why not “%1”?", head), "head", wrap=True))
        box.addWidget(label(words, "muted", wrap=True))
        box.addWidget(self.reason)
        box.addLayout(row(*self._common(), None, gap=GAP // 2))
        box.addLayout(row(None, cancel, self.reject_button))
        self._look()
        self.reason.setFocus()

    def _common(self) -> list[QPushButton]:
        """Make buttons that each put a common reason into the field, where the user can edit it."""
        made = []
        for words in (
            tr("Too general"),
            tr("Not what I meant"),
            tr("Only true that one time"),
            tr("Wrong"),
        ):
            one = button(words, functools.partial(self.reason.setText, words), flat=True)
            one.setAutoDefault(False)
            made.append(one)
        return made

    def _look(self) -> None:
        self.reject_button.setEnabled(bool(self.reason.text().strip()))

    def _give(self) -> None:
        reason = self.reason.text().strip()
        if reason:
            self.given.emit(reason)
            self.close()
