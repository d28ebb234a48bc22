"""What stands beside a proposal's text and is decided with it: which requests it is for, and the
check that an answer is held to."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from lull.core.feedback.feedback import Scope
from lull.desktop.parts import button, label, row
from lull.desktop.tokens import GAP
from lull.desktop.words import plain, tr

Json = dict[str, Any]


class BesideText(QWidget):
    scope_chosen = Signal(str)
    """Only what the user chose; `all` or `kind`."""
    check_removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.scope = QComboBox()
        self.scope.setAccessibleName(tr("Which requests it is for"))
        self.scope.addItem(tr("For requests like those it comes from"), Scope.KIND.value)
        self.scope.addItem(tr("For every request"), Scope.ALL.value)
        self.scope.activated.connect(self._chosen)
        self.check = label("", wrap=True)
        self.remove = button(
            tr("Remove"), self.check_removed.emit, flat=True, name=tr("Remove the check")
        )
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        box.addLayout(row(self.scope, None))
        line = row(self.check, self.remove)
        line.setStretch(0, 1)
        box.addLayout(line)
        self._shown = Scope.KIND.value

    def show_proposal(self, proposal: Json) -> None:
        self.setVisible(proposal["kind"] != "retire")
        self._shown = str(proposal.get("scope") or Scope.KIND.value)
        self.scope.setCurrentIndex(self.scope.findData(self._shown))
        check = proposal.get("check")
        self.check.setText(tr("Checked: %1", plain(str(check))) if check else "")
        self.check.setVisible(bool(check))
        self.remove.setVisible(bool(check))

    def _chosen(self) -> None:
        scope = str(self.scope.currentData())
        if scope != self._shown:
            self._shown = scope
            self.scope_chosen.emit(scope)
