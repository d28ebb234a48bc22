"""Dialog that deletes one chat app's conversations, all conversations, or all of Lull's data.

It shows how much would be deleted, asks for confirmation, and shows the progress.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.language.words import counted, tr
from lull.desktop.pages.settings.wiping import Wiping, WipingEverything, clients_of, has_connected
from lull.desktop.service.state import AppState, OutcomeMessage
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row, set_kind
from lull.desktop.widgets.tokens import GAP
from lull.desktop.widgets.wrapped_check import WrappedCheck, WrappedRadio


class WipeDialog(QDialog):
    """Dialog in which the user chooses which stored data of Lull to delete, confirms it and sees
    the progress.
    """

    def __init__(self, kit: Kit, parent: QWidget) -> None:
        super().__init__(parent)
        self._kit = kit
        self._gone = False
        self._begun = False
        self._made: Wiping | WipingEverything | None = None
        """What the choice asks for. No child of the dialog, because it outlives it once begun."""
        self._wiping: Wiping | WipingEverything | None = None
        """The same, once it may begin."""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Delete"))
        self.setMinimumWidth(500)
        self.one = WrappedRadio(tr("The conversations of one chat app:"))
        self.client = Choice()
        self.client.setAccessibleName(tr("Chat app"))
        self.all = WrappedRadio(tr("All conversations and what was learned from them"))
        self.everything = WrappedRadio(
            tr("Everything: your own skills, calendars and settings too")
        )
        for choice in (self.one, self.all, self.everything):
            choice.toggled.connect(self._chosen)
        # Known only later, and what adds them is no choice of the user's.
        self.one.setEnabled(False)
        self.client.setEnabled(False)
        self.client.currentIndexChanged.connect(self._client_chosen)
        self.words = label("", wrap=True)
        # Room for the longest text, so that the buttons do not move under the mouse.
        self.words.setMinimumHeight(5 * self.words.fontMetrics().lineSpacing())
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.sure = WrappedCheck(tr("I know that this cannot be undone"))
        self.sure.toggled.connect(self._look)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.hide()
        self.wipe = button(tr("Delete"), self._wipe)
        self.keep = button(tr("Cancel"), self.close, main=True)
        self.wipe.setAutoDefault(False)
        self.keep.setDefault(True)
        self.finished.connect(self._leave)
        self._lay_out()
        clients_of(kit.state, self._take_clients)
        self.all.setChecked(True)

    def _lay_out(self) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(tr("What do you want to delete for good?"), "head", wrap=True))
        box.addWidget(self.one)
        box.addLayout(row(self.client, None))
        box.addWidget(self.all)
        box.addWidget(self.everything)
        box.addSpacing(GAP)
        box.addWidget(self.words)
        box.addWidget(self.bar)
        box.addWidget(self.sure)
        box.addLayout(row(None, self.wipe, self.keep))

    def _take_clients(self, clients: list[str]) -> None:
        if self._gone:
            return
        self.client.addItems(clients)
        can = bool(clients) and not self._begun
        self.one.setEnabled(can)
        self.client.setEnabled(can)

    # Before

    def _client_chosen(self, *_: object) -> None:
        if self.one.isChecked():
            self._chosen()

    def _chosen(self, *_: object) -> None:
        """Count what the user's new choice would delete, and ask for confirmation again."""
        self.sure.setChecked(False)
        self._drop()
        set_kind(self.words, "")
        if self.everything.isChecked():
            state = self._kit.state
            self._made = WipingEverything(state, self._kit.process, self._kit.place, state)
            self._made.over.connect(self._over)
            self._wiping = self._made
            home = self._kit.place.home
            words = tr("Every file in %1 is deleted, and Lull starts afresh.", home)
            if has_connected(home):
                words += " " + tr(
                    "Connected chat apps stay connected; Lull keeps what it needs to disconnect "
                    "them later."
                )
            self.words.setText(words)
        else:
            client = self.client.currentText() if self.one.isChecked() else ""
            self._made = wiping = Wiping(self._kit.state, client, self._kit.state)
            wiping.counted.connect(lambda n: self._counted(wiping, n))
            wiping.went.connect(self._went)
            self.words.setText(tr("Counting…"))
            wiping.find_conversations()
            wiping.over.connect(self._over)
        self._look()

    def _counted(self, wiping: Wiping, number: int) -> None:
        if self._gone or self.everything.isChecked():
            return
        self._wiping = wiping if number else None
        words = counted(
            number,
            "%1 conversation will be deleted, with the skills, runs and adapters made from it.",
            "%1 conversations will be deleted, with the skills, runs and adapters made from them.",
        )
        stays = tr("Skills that you wrote yourself stay.")
        self.words.setText(f"{words} {stays}" if number else tr("There are none to delete."))
        self._look()

    def _drop(self) -> None:
        if isinstance(self._made, Wiping):
            self._made.stop()
        if self._made is not None:
            self._made.deleteLater()
        self._made = self._wiping = None

    def _look(self, *_: object) -> None:
        self.wipe.setEnabled(self.sure.isChecked() and self._wiping is not None)
        self.sure.setEnabled(self._wiping is not None)

    # While it goes on

    def _wipe(self) -> None:
        if self._wiping is None:
            return
        self._begun = True
        for one in (self.one, self.all, self.everything, self.client, self.sure, self.wipe):
            one.setEnabled(False)
        self.keep.setText(tr("Stop") if isinstance(self._wiping, Wiping) else tr("Close"))
        self.keep.setAccessibleName(self.keep.text())
        self.bar.setRange(0, 0)
        self.bar.show()
        self._wiping.over.connect(functools.partial(_tell, self._kit.state))
        self._wiping.over.connect(self._wiping.deleteLater)
        self._wiping.begin()

    def _went(self, done: int, of: int) -> None:
        if not self._gone:
            self.bar.setRange(0, of)
            self.bar.setValue(done)

    def _over(self, why: str) -> None:
        if self._gone:
            return
        if why:
            set_kind(self.words, "bad")
            self.words.setText(why)
            self.bar.hide()
            self.keep.setText(tr("Close"))
        else:
            self.close()

    def _leave(self) -> None:
        """Stop deleting after the current conversation, because the user closed the dialog."""
        self._gone = True
        if not self._begun:
            self._drop()
        elif isinstance(self._wiping, Wiping):
            self._wiping.stop()


def _tell(state: AppState, why: str) -> None:
    state.told.emit(OutcomeMessage(text=why or tr("Deleted."), good=not why))
