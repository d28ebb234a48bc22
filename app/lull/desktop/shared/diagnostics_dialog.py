"""Dialog that shows a bug report, to read, copy or save."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QPlainTextEdit, QVBoxLayout, QWidget

from lull.contract import routes
from lull.desktop.language.words import tr
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Subject
from lull.desktop.shared.diagnostics import bug_report
from lull.desktop.shared.log_tail import LOG_FILE, LogTail
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.style import mono
from lull.desktop.widgets.tokens import GAP

LOG_LINES = 300


class DiagnosticsDialog(QDialog):
    """Dialog that runs Lull's self-check (`lull doctor`) and shows the bug report."""

    def __init__(self, kit: Kit, parent: QWidget) -> None:
        super().__init__(parent)
        self._kit = kit
        self._gone = False
        self.finished.connect(self._leave)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Diagnostics"))
        self.resize(760, 560)
        self.text = QPlainTextEdit()
        # What is in it stays English: it is for those who mend Lull.
        self.text.setObjectName("report")
        self.text.setReadOnly(True)
        self.text.setFont(mono())
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("What would be shared"))
        self.text.setPlainText(tr("Running the checks…"))
        self.copy = button(tr("Copy"), self._copy)
        self.save = button(tr("Save…"), self._save, main=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        words = tr(
            "This contains nothing that was said, no secrets, no outside addresses and not your "
            "name. Read it before you give it to anybody; Lull doesn't send it anywhere."
        )
        box.addWidget(label(words, "muted", wrap=True))
        # Told only to those for whom it is another language than theirs.
        self.english = label(tr("The text below is in English."), "muted", wrap=True)
        self.english.setVisible(self.english.text() != "The text below is in English.")
        box.addWidget(self.english)
        box.addWidget(self.text, 1)
        box.addLayout(row(None, button(tr("Close"), self.close), self.copy, self.save))
        self.save.setDefault(True)
        self._ready(False)
        kit.state.get(routes.DOCTOR, self._take)

    def _ready(self, ready: bool) -> None:
        self.copy.setEnabled(ready)
        self.save.setEnabled(ready)

    def _take(self, answer: Reply) -> None:
        """Show the bug report, which has little but the log if no service runs."""
        if self._gone:
            return
        state = self._kit.state
        missing: dict[str, Any] = {
            "name": "doctor",
            "ok": False,
            "serious": True,
            "text": str(answer.error.get("detail", "")),
            "hint": "",
        }
        self.text.setPlainText(
            bug_report(
                status=state.status,
                checks=answer.value.get("checks", ()) if answer.ok else [missing],
                settings=state.value(Subject.SETTINGS).get("settings", ()),
                log=LogTail(self._kit.place.logs / LOG_FILE).new_lines()[-LOG_LINES:],
                home=self._kit.place.home,
                user=_user(),
            )
        )
        self._ready(True)

    def _copy(self) -> None:
        self._kit.actions.copy(self.text.toPlainText(), tr("Copied."))

    def _save(self) -> None:
        dialog = QFileDialog(self, tr("Save the diagnostics"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile("lull-diagnostics.txt")
        dialog.fileSelected.connect(self.write)
        dialog.open()

    def write(self, file: str) -> None:
        """Save the bug report to a file and tell the user whether that worked."""
        try:
            Path(file).write_text(self.text.toPlainText(), encoding="utf-8")
            self._kit.state.told.emit(OutcomeMessage(text=tr("Saved as %1.", file)))
        except OSError as error:
            told = OutcomeMessage(text=tr("Not saved: %1.", error.strerror or error), good=False)
            self._kit.state.told.emit(told)

    def _leave(self) -> None:
        self._gone = True


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no name for this number
        return ""
