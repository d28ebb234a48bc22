"""Dialog to reject a proposed skill; it says what follows from that, and asks for a reason."""

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
    """Dialog that asks why a proposed skill is rejected; the user need not say it."""

    given = Signal(str)

    def __init__(self, names: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Reject"))
        self.setMinimumWidth(440)
        head = skill_title(names[0]) if len(names) == 1 else tr("%1 suggestions", len(names))
        words = tr(
            "It leaves the list, and Lull won't suggest this again, even reworded; Undo brings it "
            "back. A reason is kept with it for you to look up, if you want to give one."
        )
        self.reason = QLineEdit()
        self.reason.setAccessibleName(tr("Reason"))
        self.reason.setPlaceholderText(tr("In your own words, or nothing"))
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

    def _give(self) -> None:
        self.given.emit(self.reason.text().strip())
        self.close()
