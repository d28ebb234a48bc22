"""Dialog that shows what is deleted with a conversation, such as skills learned from it, and asks
for confirmation.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import counted, skill_title, tr
from lull.desktop.widgets.fitted_dialog import FittedDialog
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP


class ForgetDialog(FittedDialog):
    """Dialog to confirm deleting a conversation; emits the signal `agreed` when the user
    confirms.
    """

    agreed = Signal()

    def __init__(self, found: Json, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Forget"))
        self.setMinimumWidth(460)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(tr("Forget this conversation for good?"), "head"))
        self.words = label(forget_words(found), wrap=True)
        box.addWidget(self.words)
        box.addWidget(label(tr("This cannot be undone."), "warn"))
        keep = button(tr("Cancel"), self.close, main=True)
        keep.setDefault(True)
        self.yes = button(tr("Forget conversation"), self._agree)
        self.yes.setAutoDefault(False)
        box.addLayout(row(None, self.yes, keep))
        keep.setFocus()

    def _agree(self) -> None:
        self.agreed.emit()
        self.close()


_PARTS: Final = (
    ("turns", "%1 answer", "%1 answers"),
    ("proposals", "%1 suggestion", "%1 suggestions"),
    ("skills", "%1 skill", "%1 skills"),
    ("runs", "%1 training run", "%1 training runs"),
    ("adapters", "%1 adapter", "%1 adapters"),
)
"""What can be made from a conversation."""


def forget_words(found: Json) -> str:
    """Describe what is deleted together with a conversation, because it was made from it."""
    removed = found.get("removed", {})
    words = [counted(int(removed[key]), one, many) for key, one, many in _PARTS if removed.get(key)]
    said = (
        tr("This also deletes: %1.", ", ".join(words)) if words else tr("Nothing was made from it.")
    )
    names = ", ".join(tr("“%1”", skill_title(name)) for name in found.get("skills", ()))
    return f"{said} {tr('Skills: %1.', names)}" if names else said
