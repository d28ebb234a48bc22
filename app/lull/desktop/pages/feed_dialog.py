"""A calendar to add: its address, what its "busy" means, and a look at what it says before it is
kept. An address is a password: it is masked, and never shown again."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.desktop.client import Answer
from lull.desktop.page import Kit
from lull.desktop.parts import button, label, row, set_kind
from lull.desktop.state import Told, said
from lull.desktop.tokens import GAP
from lull.desktop.words import counted, short_date, tr

Json = dict[str, Any]


class FeedDialog(QDialog):
    added = Signal()

    def __init__(self, kit: Kit, parent: QWidget) -> None:
        super().__init__(parent)
        self._kit = kit
        self._gone = False
        self.finished.connect(self._leave)
        self.setWindowTitle(tr("Add a calendar"))
        self.resize(540, 420)
        self.address = QLineEdit()
        self.address.setAccessibleName(tr("Address or file"))
        self.address.setPlaceholderText("https://…/basic.ics")
        self.address.setEchoMode(QLineEdit.EchoMode.PasswordEchoOnEdit)
        self.means = QComboBox()
        self.means.setAccessibleName(tr("What busy means"))
        self.means.addItem(tr("I am needed at this machine: do not learn"), "busy")
        self.means.addItem(tr("I am away from this machine: learn"), "away")
        self.private = QCheckBox(tr("Its server is in my own network"))
        self.private.setAccessibleName(self.private.text())
        self.preview = QPlainTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setTabChangesFocus(True)
        self.preview.setAccessibleName(tr("The next 7 days"))
        self.words = label("", "muted", wrap=True)
        self.test = button(tr("Look at the next 7 days"), self._test)
        self.add = button(tr("Add"), self._add, main=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(tr("Address (iCal) or the whole path of a file"), "muted"))
        box.addWidget(self.address)
        box.addWidget(label(tr("When it says busy"), "muted"))
        box.addWidget(self.means)
        box.addWidget(self.private)
        box.addWidget(self.preview, 1)
        box.addWidget(self.words)
        box.addLayout(row(self.test, None, button(tr("Cancel"), self.close), self.add))
        self.address.textChanged.connect(self._look)
        self._look()

    def _leave(self) -> None:
        self._gone = True
        self.address.clear()
        self.deleteLater()

    def _look(self) -> None:
        there = bool(self.address.text().strip())
        self.test.setEnabled(there)
        self.add.setEnabled(there)

    def _wanted(self) -> Json:
        return {
            "location": self.address.text().strip(),
            "means": self.means.currentData(),
            "private": self.private.isChecked(),
        }

    def _busy(self, text: str) -> None:
        set_kind(self.words, "muted")
        self.words.setText(text)
        self.test.setEnabled(False)
        self.add.setEnabled(False)

    def _fail(self, answer: Answer) -> None:
        set_kind(self.words, "bad")
        self.words.setText(said(answer))
        self._look()

    def _test(self) -> None:
        self._busy(tr("Reading…"))
        self._kit.state.ask(routes.CALENDARS_TEST, {**self._wanted(), "days": 7}, self._tested)

    def _tested(self, answer: Answer) -> None:
        if self._gone:
            return
        self._look()
        if not answer.ok:
            self._fail(answer)
            return
        events = answer.value.get("events", ())
        self.preview.setPlainText(
            "\n".join(f"{short_date(e['start'])}  –  {short_date(e['end'])}" for e in events)
        )
        dropped = sum(one["n"] for one in answer.value.get("dropped", ()))
        words = counted(len(events), "%1 event in 7 days", "%1 events in 7 days")
        self.words.setText(f"{words}, {tr('%1 dropped', dropped)}" if dropped else words)

    def _add(self) -> None:
        self._busy(tr("Reading it once…"))
        self._kit.state.ask(routes.CALENDARS, self._wanted(), self._taken)

    def _taken(self, answer: Answer) -> None:
        if answer.ok:
            self.added.emit()
            self._kit.state.told.emit(Told(text=tr("The calendar was added.")))
        if self._gone:
            return
        if answer.ok:
            self.close()
        else:
            self._fail(answer)
