"""Dialog to edit the text of a skill, proposed or in use."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from lull.contract.json_object import Json
from lull.core.skills.stated_skill import with_words, words_of
from lull.desktop.language.words import skill_title, tr
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.style import mono
from lull.desktop.widgets.text.word_parts import LeaveOut
from lull.desktop.widgets.tokens import GAP


class EditDialog(QDialog):
    """Dialog to edit the description and the body of a skill, active or proposed.

    Of a skill that Lull made of the user's words these alone are edited; the sentence around them,
    which is for the model, stays. What is no part of the rule, as "How often do I have to say it",
    is left out with a click.
    """

    given = Signal(object)
    """Emitted with the edited text: `{"description", "body"}`."""

    def __init__(self, shown: Json, parent: QWidget, *, note: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Edit %1", skill_title(shown["name"])))
        self.resize(640, 460)
        self.description = QLineEdit(str(shown.get("description", "")))
        self.description.setAccessibleName(tr("When it is used"))
        self._body = str(shown.get("body", ""))
        self.text = QPlainTextEdit(words_of(self._body))
        self.text.setAccessibleName(tr("What it says"))
        self.text.setFont(mono())
        self.text.setTabChangesFocus(True)
        words = note or tr("Saved edits are tested again before you approve.")
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(tr("When it is used"), "muted"))
        box.addWidget(self.description)
        box.addWidget(label(tr("What it says"), "muted"))
        box.addWidget(self.text, 1)
        self.leave_out: LeaveOut | None = None
        if self.text.toPlainText() != self._body:  # the user's own words, as they were said
            self.leave_out = LeaveOut(self.text)
            box.addWidget(self.leave_out)
        box.addWidget(label(words, "small", wrap=True))
        self.cancel = button(tr("Cancel"), self.close)
        self.save = button(tr("Save"), self._give, main=True)
        box.addLayout(row(None, self.cancel, self.save))
        self.save.setDefault(True)
        for one in (self.description, self.text):
            one.textChanged.connect(self._look)
        self._look()
        self.description.setFocus()

    def setVisible(self, visible: bool) -> None:  # noqa: N802
        super().setVisible(visible)
        if visible:  # Qt has selected all of the field with the focus, which a letter would replace
            self.description.home(False)

    def _look(self) -> None:
        both = self.description.text().strip() and self.text.toPlainText().strip()
        self.save.setEnabled(bool(both))

    def _give(self) -> None:
        body = with_words(self._body, self.text.toPlainText())
        wanted = {"description": self.description.text().strip(), "body": body}
        self.given.emit(wanted)
        self.close()
