"""Dialog to add one of the user's calendars by its URL: the user says what its "busy" times mean
for Lull, and sees a preview of its events.

Whoever knows the URL can read the calendar, so the URL is masked like a password and never shown
again.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import counted, on_day, parsed, short_date, tr
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, failure_words
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row, set_kind
from lull.desktop.widgets.tokens import GAP
from lull.desktop.widgets.wrapped_check import WrappedCheck


class FeedDialog(QDialog):
    """Dialog to test and add one of the user's calendars (an iCalendar URL or file); emits the
    signal `added`.
    """

    added = Signal()

    def __init__(self, kit: Kit, parent: QWidget) -> None:
        super().__init__(parent)
        self._kit = kit
        self._gone = False
        self.finished.connect(self._leave)
        self.setWindowTitle(tr("Add a calendar"))
        self.resize(560, 520)
        self.address = QLineEdit()
        self.address.setAccessibleName(tr("Address or file"))
        self.address.setPlaceholderText("https://…/basic.ics")
        self.browse = button(tr("Browse…"), self._browse, name=tr("Choose a calendar file"))
        self.named = QLineEdit()
        self.named.setAccessibleName(tr("Name"))
        self.named.setMaxLength(60)
        self.means = Choice()
        self.means.setAccessibleName(tr("What busy means"))
        self.means.addItem(tr("I need this computer: Lull waits"), "busy")
        self.means.addItem(tr("I'm away: Lull may learn"), "away")
        self.private = WrappedCheck(tr("This calendar is on my local network"))
        self.preview = QPlainTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setTabChangesFocus(True)
        self.preview.setAccessibleName(tr("The next 7 days"))
        self.words = label("", "muted", wrap=True)
        self.test = button(tr("Preview 7 days"), self._test)
        self.add = button(tr("Add"), self._add, main=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(tr("Calendar address (iCal) or file"), "muted"))
        box.addLayout(row(self.address, self.browse))
        self.kept = label(
            tr(
                "An address like this is a password. Lull keeps it in your system's password "
                "store (keychain), which may now ask for its own password."
            ),
            "small",
            wrap=True,
        )
        box.addWidget(self.kept)
        box.addWidget(label(tr("Name (optional)"), "muted"))
        box.addWidget(self.named)
        box.addWidget(label(tr("While this calendar is busy"), "muted"))
        box.addWidget(self.means)
        box.addWidget(self.private)
        box.addWidget(self.preview, 1)
        box.addWidget(self.words)
        box.addLayout(row(self.test, None, button(tr("Cancel"), self.close), self.add))
        self.add.setDefault(True)
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
        # Only an address is a password; a file's path is read by whoever chooses it.
        masked = QLineEdit.EchoMode.PasswordEchoOnEdit
        plain_file = not there or is_path(self.address.text())
        mode = QLineEdit.EchoMode.Normal if plain_file else masked
        if self.address.echoMode() is not mode:
            self.address.setEchoMode(mode)
        self.kept.setVisible(not plain_file)

    def _browse(self) -> None:
        """Choose a file of a calendar."""
        chosen, _ = QFileDialog.getOpenFileName(
            self, tr("Choose a calendar file"), str(Path.home()), tr("Calendars (*.ics)")
        )
        if chosen:
            self.address.setText(chosen)

    def _wanted(self) -> Json:
        return {
            "location": self.address.text().strip(),
            "label": self.named.text().strip(),
            "means": self.means.currentData(),
            "private": self.private.isChecked(),
        }

    def _busy(self, text: str) -> None:
        set_kind(self.words, "muted")
        self.words.setText(text)
        self.test.setEnabled(False)
        self.add.setEnabled(False)

    def _fail(self, answer: Reply) -> None:
        set_kind(self.words, "bad")
        self.words.setText(failure_words(answer))
        self._look()

    def _test(self) -> None:
        self._busy(tr("Reading…"))
        self._kit.state.ask(routes.CALENDARS_TEST, {**self._wanted(), "days": 7}, self._tested)

    def _tested(self, answer: Reply) -> None:
        if self._gone:
            return
        self._look()
        if not answer.ok:
            self._fail(answer)
            return
        events = answer.value.get("events", ())
        self.preview.setPlainText(
            "\n".join(f"{day_and_time(e['start'])}  –  {day_and_time(e['end'])}" for e in events)
        )
        dropped = sum(one["n"] for one in answer.value.get("dropped", ()))
        words = counted(len(events), "%1 event in 7 days", "%1 events in 7 days")
        self.words.setText(f"{words}, {tr('%1 left out', dropped)}" if dropped else words)

    def _add(self) -> None:
        words = tr("Reading it once… If your keychain asks for a password, enter it.")
        self._busy(tr("Reading it once…") if self.kept.isHidden() else words)
        self._kit.state.ask(routes.CALENDARS, self._wanted(), self._taken)

    def _taken(self, answer: Reply) -> None:
        if answer.ok:
            self.added.emit()
            self._kit.state.told.emit(OutcomeMessage(text=tr("The calendar was added.")))
        if self._gone:
            return
        if answer.ok:
            self.close()
        else:
            self._fail(answer)


def is_path(text: str) -> bool:
    """Whether a typed calendar address begins as a file's path does, rather than as a URL."""
    return text.lstrip().startswith(("/", "~", ".")) or Path(text.strip()).is_absolute()


def day_and_time(iso: str) -> str:
    """Format the weekday, date and time of a calendar event, in this machine's time zone."""
    moment = parsed(iso)
    if moment is None:
        return ""
    here = moment.astimezone()
    return f"{on_day(here, 'ddd')} {short_date(iso)}"
