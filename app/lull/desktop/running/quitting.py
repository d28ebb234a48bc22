"""Asks the user before Lull quits, if chat apps get their answers through it.

Quit stops the service that the window started. Connected apps would get no answers then, so the
user can disconnect them first, or keep Lull running.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.client import Reply
from lull.desktop.state import AppState, Subject
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP
from lull.desktop.words import tr, translated

KNOWN_WITHIN_MS: Final = 3_000
"""Milliseconds that the service may take to say which apps are connected; then Lull quits without
asking."""


class QuitDialog(QDialog):
    """Dialog that names the chat apps which get no answers once Lull is closed, and asks what to
    do.
    """

    keep = Signal()
    disconnect_first = Signal()
    leave = Signal()

    def __init__(self, clients: Sequence[Json], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Quit Lull?"))
        names = ", ".join(translated(one, "title") for one in clients)
        self.words = label(
            tr("These chat apps get no answers while Lull is closed: %1.", names), wrap=True
        )
        self.words.setMinimumWidth(460)
        self.problem = label("", "bad", wrap=True)
        self.problem.hide()
        self.keep_it = button(tr("Keep running"), self._keep, main=True)
        self.keep_it.setDefault(True)
        self.undo = button(tr("Disconnect them and quit"), self._disconnect)
        self.undo.setVisible(any(one["known"] for one in clients))
        self.quit_it = button(tr("Quit Lull"), self._leave)
        for one in (self.undo, self.quit_it):
            one.setAutoDefault(False)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 3, GAP * 3, GAP * 2)
        box.setSpacing(GAP * 2)
        box.addWidget(self.words)
        box.addWidget(self.problem)
        box.addLayout(row(self.quit_it, None, self.undo, self.keep_it))
        self.keep_it.setFocus()

    def failed(self, title: str) -> None:
        """Show that the chat app called `title` could not be disconnected, and let the user choose
        again.
        """
        self.undo.setEnabled(True)
        self.problem.setText(
            tr(
                "%1 could not be disconnected. “Chat apps” in Settings shows what is in the way.",
                title,
            )
        )
        self.problem.show()
        self.resize(self.width(), max(self.height(), self.heightForWidth(self.width())))

    def _keep(self) -> None:
        self.accept()
        self.keep.emit()

    def _leave(self) -> None:
        self.accept()
        self.leave.emit()

    def _disconnect(self) -> None:
        self.undo.setEnabled(False)
        self.problem.hide()
        self.disconnect_first.emit()


class QuitPrompt(QObject):
    """Asks the user whether to quit Lull, if quitting stops a service to which chat apps are
    connected.
    """

    agreed = Signal()
    """Emitted when Lull shall quit."""
    kept = Signal()
    """Emitted when Lull shall keep running."""

    def __init__(self, state: AppState, window: QWidget) -> None:
        super().__init__(window)
        self._state = state
        self._window = window
        self._dialog: QuitDialog | None = None
        self._asking = False
        self._too_late = QTimer(self, interval=KNOWN_WITHIN_MS, singleShot=True)
        self._too_late.timeout.connect(self._agree)

    def ask(self) -> None:
        """Ask the user whether to quit if any chat app is connected to the service; else quit."""
        if self._dialog is not None:
            self._dialog.raise_()
        elif not self._asking:
            self._asking = True
            self._too_late.start()
            self._state.get(routes.CLIENTS, self._take)

    def _agree(self) -> None:
        self._asking = False
        self._too_late.stop()
        self.agreed.emit()

    def _take(self, answer: Reply) -> None:
        if not self._asking:
            return  # it took too long
        clients = [one for one in answer.value.get("clients") or () if one["connected"]]
        if not clients:
            self._agree()
            return
        self._asking = False
        self._too_late.stop()
        dialog = self._dialog = QuitDialog(clients, self._window)
        dialog.keep.connect(self.kept)
        dialog.leave.connect(self.agreed)
        dialog.disconnect_first.connect(
            lambda: self._disconnect([c for c in clients if c["known"]])
        )
        dialog.destroyed.connect(self._closed)
        dialog.open()

    def _closed(self) -> None:
        self._dialog = None

    def _disconnect(self, clients: Sequence[Json]) -> None:
        """Disconnect these chat apps one after the other, then quit; stop at the first failure."""
        if not clients:
            self._state.touch(Subject.CLIENTS)
            self.agreed.emit()
            return
        client, *others = clients
        title = translated(client, "title")

        def then(done: bool) -> None:
            if done:
                self._disconnect(others)
            elif self._dialog is not None:
                self._dialog.failed(title)

        self._state.act(
            routes.CLIENT_DO.format(name=client["name"], action="undo"),
            {"force": False},
            words=tr("Disconnecting %1", title),
            then=then,
        )
