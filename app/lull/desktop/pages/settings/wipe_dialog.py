"""Dialog that deletes one chat app's conversations, all conversations, or all of Lull's data.

It shows how much would be deleted, asks for confirmation, and shows the progress.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QProgressBar,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.pages.settings.wiping import Wiping, WipingEverything, clients_of, has_connected
from lull.desktop.state import OutcomeMessage
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row, set_kind
from lull.desktop.widgets.tokens import GAP
from lull.desktop.words import counted, tr


class WipeDialog(QDialog):
    """Dialog in which the user chooses which stored data of Lull to delete, confirms it and sees
    the progress.
    """

    def __init__(self, kit: Kit, parent: QWidget) -> None:
        super().__init__(parent)
        self._kit = kit
        self._gone = False
        self._begun = False
        self._wiping: Wiping | WipingEverything | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Delete"))
        self.setMinimumWidth(500)
        self.one = QRadioButton(tr("The conversations of one chat app:"))
        self.client = Choice()
        self.client.setAccessibleName(tr("Chat app"))
        self.all = QRadioButton(tr("All conversations and what was learned from them"))
        self.everything = QRadioButton(
            tr("Everything: your own skills, calendars and settings too")
        )
        for choice in (self.one, self.all, self.everything):
            choice.setAccessibleName(choice.text())
            choice.toggled.connect(self._chosen)
        # Known only later, and what adds them is no choice of the user's.
        self.one.setEnabled(False)
        self.client.setEnabled(False)
        self.client.currentIndexChanged.connect(self._client_chosen)
        self.words = label("", wrap=True)
        # Room for the longest text, so that the buttons do not move under the mouse.
        self.words.setMinimumHeight(5 * self.words.fontMetrics().lineSpacing())
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.sure = QCheckBox(tr("I know that this cannot be undone"))
        self.sure.setAccessibleName(self.sure.text())
        self.sure.toggled.connect(self._look)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.hide()
        self.wipe = button(tr("Delete"), self._wipe)
        self.keep = button(tr("Cancel"), self.close, main=True)
        self.wipe.setAutoDefault(False)
        self.keep.setDefault(True)
        self._lay_out()
        clients_of(kit.state, self._take_clients)
        self.all.setChecked(True)

    def _lay_out(self) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(tr("What do you want to delete for good?"), "head"))
        box.addLayout(row(self.one, self.client, None))
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
            self._wiping = WipingEverything(
                self._kit.state, self._kit.process, self._kit.place, self
            )
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
            wiping = Wiping(self._kit.state, client, self)
            wiping.counted.connect(lambda n: self._counted(wiping, n))
            wiping.went.connect(self._went)
            self.words.setText(tr("Counting…"))
            wiping.find_conversations()
            wiping.over.connect(self._over)
        if isinstance(self._wiping, WipingEverything):
            self._wiping.over.connect(self._over)
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
        for old in self.findChildren(Wiping):
            old.stop()
            old.deleteLater()
        self._wiping = None

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
        self._wiping.begin()

    def _went(self, done: int, of: int) -> None:
        if not self._gone:
            self.bar.setRange(0, of)
            self.bar.setValue(done)

    def _over(self, why: str) -> None:
        text = why or tr("Deleted.")
        self._kit.state.told.emit(OutcomeMessage(text=text, good=not why))
        if self._gone:
            return
        if why:
            set_kind(self.words, "bad")
            self.words.setText(why)
            self.bar.hide()
            self.keep.setText(tr("Close"))
        else:
            self.close()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Stop deleting after the current conversation when the user closes the dialog."""
        self._gone = True
        if isinstance(self._wiping, Wiping):
            self._wiping.stop()
        super().closeEvent(event)

    def reject(self) -> None:
        self.close()
