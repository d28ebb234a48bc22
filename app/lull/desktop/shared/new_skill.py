"""Dialog to write a skill by hand: its name, description and body."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from lull.contract.json_object import Json
from lull.desktop.language.client_names import client_title
from lull.desktop.language.titles import title_of_name
from lull.desktop.language.words import tr
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP
from lull.desktop.widgets.wrapped_check import WrappedCheck

_WORDS = re.compile(r"[a-z0-9]+")


class NewSkillDialog(QDialog):
    """Dialog to write a new skill; it emits the skill when the user confirms, which needs all
    fields filled in.
    """

    given = Signal(object)
    """Emitted with the new skill: `{"name", "description", "body", "pin", "client"}`."""

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str = "",
        about: str = "",
        start: Json | None = None,
        client: str = "",
    ) -> None:
        """Create the dialog, with `start` as the first contents of its fields.

        `about` tells the user from which request or answer the skill is made; `client` is a chat
        app to which the user may limit the skill.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title or tr("New skill"))
        self.resize(560, 440)
        start = start or {}
        self.name = QLineEdit(title_of_name(str(start.get("name", ""))))
        self.description = QLineEdit(str(start.get("description", "")))
        self.name.setPlaceholderText(tr("Menu style"))
        self.description.setPlaceholderText(tr("When a menu is asked for."))
        for one in (self.name, self.description):
            one.setCursorPosition(0)  # a long text is seen from its beginning
        self.text = QPlainTextEdit(str(start.get("body", "")))
        self.text.setTabChangesFocus(True)
        self.pin = WrappedCheck(tr("Pinned: in every conversation"))
        self.pin.setAccessibleName(tr("Pinned"))
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        if about:
            box.addWidget(label(about, "muted", wrap=True))
        for words, field in (
            (tr("Name"), self.name),
            (tr("When to use it"), self.description),
            (tr("What the model should do"), self.text),
        ):
            field.setAccessibleName(words)
            box.addWidget(label(words, "muted"))
            box.addWidget(field)
            field.textChanged.connect(self._look)
        self.why = label("", "muted", wrap=True)
        box.addWidget(self.why)
        self.save = button(tr("Add"), self._give, main=True)
        box.addWidget(self.pin)
        self.whose = Choice()
        self.whose.setAccessibleName(tr("Which chat apps use it"))
        self.whose.addItem(tr("In every chat app"), "")
        box.addLayout(row(self.whose, None))
        self.offer_clients([client] if client else [])
        self.whose.setCurrentIndex(max(0, self.whose.findData(start.get("client", ""))))
        box.addLayout(row(None, button(tr("Cancel"), self.reject), self.save))
        self.save.setDefault(True)
        self._began = self._texts
        self._look()
        if about:
            self.text.setFocus()

    def offer_clients(self, clients: Iterable[str]) -> None:
        """Add chat apps to the list from which the user may limit the skill to one; the current
        choice is kept.
        """
        for client in clients:
            if self.whose.findData(client) < 0:
                self.whose.addItem(tr("Only in %1", client_title(client)), client)
        self.whose.setVisible(self.whose.count() > 1)

    def _look(self) -> None:
        missing = [
            words
            for words, there in (
                (tr("a name"), slug(self.name.text())),
                (tr("when to use it"), self.description.text().strip()),
                (tr("what the model should do"), self.text.toPlainText().strip()),
            )
            if not there
        ]
        title, typed = title_of_name(slug(self.name.text())), self.name.text().strip()
        saved = title and title.lower() != typed.lower()
        why = tr("Still missing: %1.", ", ".join(missing)) if missing else ""
        as_name = tr("Saved as “%1”.", title) if saved else ""
        self.why.setText(f"{as_name} {why}".strip())
        self.save.setEnabled(not missing)

    @property
    def _texts(self) -> tuple[str, ...]:
        texts = (self.name.text(), self.description.text(), self.text.toPlainText())
        return tuple(text.strip() for text in texts)

    @property
    def _written(self) -> bool:
        return self._texts != self._began and any(self._texts)

    def reject(self) -> None:
        """Close the dialog without a new skill; if the user has written something, ask first
        whether to drop it.
        """
        if not self._written:
            super().reject()
            return
        self.asking = QMessageBox(self)
        self.asking.setWindowTitle(tr("Discard this skill?"))
        self.asking.setText(tr("What you wrote is not saved."))
        away = self.asking.addButton(tr("Discard"), QMessageBox.ButtonRole.DestructiveRole)
        stay = self.asking.addButton(tr("Keep writing"), QMessageBox.ButtonRole.RejectRole)
        self.asking.setDefaultButton(stay)
        away.clicked.connect(lambda: self.done(0))
        self.asking.open()

    def _give(self) -> None:
        self.given.emit(
            {
                "name": slug(self.name.text()),
                "description": self.description.text().strip(),
                "body": self.text.toPlainText(),
                "pin": self.pin.isChecked(),
                "client": self.whose.currentData(),
            }
        )
        self.accept()


def slug(text: str) -> str:
    """Turn a title into a skill's name: lower-case letters and digits, joined by hyphens."""
    letters = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return "-".join(_WORDS.findall(letters))[:64].strip("-")
