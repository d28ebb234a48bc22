"""Asks the user before Lull quits, and before its window closes where no tray icon brings it back.

Both ways lead to the same dialog, which says what goes on afterwards. Quit stops the service that
the window started: chat apps would get no answers then, so the user can disconnect them first, or
keep Lull running. A service that the window found running goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QObject, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, Subject
from lull.desktop.widgets.fitted_dialog import FittedDialog
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP
from lull.desktop.widgets.wrapped_check import WrappedCheck

KNOWN_WITHIN_MS: Final = 1_500
"""Milliseconds that the service may take to say which apps are connected; then Lull asks without
naming them."""

KEEP: Final = "close/keeps-running"
"""Key in the window's preferences: close without asking, and keep running."""
QUIT: Final = "quit/service-goes-on"
"""Key in the window's preferences: quit without asking where the service goes on."""


class AfterQuit(StrEnum):
    """What becomes of Lull's service once the window has quit."""

    STOPS = "stops"
    GOES_ON = "goes on"
    """The window found the service running, so it is not the window's to stop."""
    NONE = "none"
    """No service runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """What would happen if Lull quit now, and how the user came to be asked."""

    service: AfterQuit
    returns: bool
    """Whether a tray icon can bring a hidden window back."""
    closing: bool = False
    """Whether the user closed the window, rather than chose Quit."""
    clients: Sequence[Json] = ()
    """The connected chat apps."""

    @property
    def undoable(self) -> list[Json]:
        """Return the connected chat apps that Lull itself can disconnect."""
        return [one for one in self.clients if one["known"]]


class QuitDialog(FittedDialog):
    """Dialog that says what goes on once Lull has quit, and asks what to do."""

    keep = Signal()
    disconnect_first = Signal()
    leave = Signal()

    def __init__(self, leaving: Leaving, preferences: QSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._leaving = leaving
        self._preferences = preferences
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Keep Lull running?"))
        self.words = label(leaving_words(leaving), wrap=True)
        self.words.setMinimumWidth(460)
        self.problem = label("", "bad", wrap=True)
        self.problem.hide()
        self.always = WrappedCheck(tr("Don't ask again"))
        # Nothing stops without a word, so Quit is asked about each time where it stops something.
        stops = leaving.service is AfterQuit.STOPS
        self.always.setVisible(leaving.closing or not stops)
        self.keep_it = button(tr("Keep running"), self._keep, main=True)
        self.keep_it.setDefault(True)
        self.undo = button(tr("Disconnect them and quit"), self._disconnect)
        self.undo.setVisible(bool(leaving.undoable))
        self.quit_it = button(tr("Quit Lull"), self._leave)
        cancel = button(tr("Cancel"), self.reject, flat=True)
        # Four in a row are wider than a small screen at twice the text size; Esc cancels, too.
        cancel.setVisible(not leaving.undoable)
        for one in (cancel, self.undo, self.quit_it):
            one.setAutoDefault(False)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 3, GAP * 3, GAP * 2)
        box.setSpacing(GAP * 2)
        box.addWidget(self.words)
        box.addWidget(self.problem)
        box.addWidget(self.always)
        box.addLayout(row(cancel, None, self.quit_it, self.undo, self.keep_it))
        self.keep_it.setFocus()

    def failed(self, title: str) -> None:
        """Show that the chat app called `title` could not be disconnected, and let the user choose
        again.
        """
        self.undo.setEnabled(True)
        self.problem.setText(
            tr(
                "%1 could not be disconnected. The Connect page shows what is in the way.",
                title,
            )
        )
        self.problem.show()
        self.resize(self.width(), max(self.height(), self.heightForWidth(self.width())))

    def _keep(self) -> None:
        if self.always.isChecked() and self._leaving.closing:
            self._preferences.setValue(KEEP, True)
        self.accept()
        self.keep.emit()

    def _leave(self) -> None:
        if self.always.isChecked() and self._leaving.service is AfterQuit.GOES_ON:
            self._preferences.setValue(QUIT, True)
        self.accept()
        self.leave.emit()

    def _disconnect(self) -> None:
        self.undo.setEnabled(False)
        self.problem.hide()
        self.disconnect_first.emit()


def leaving_words(leaving: Leaving) -> str:
    """Say what goes on and what stops if Lull quits, and how its window comes back if it is kept
    running.
    """
    match leaving.service:
        case AfterQuit.STOPS if not leaving.clients:
            said = tr(
                "If you quit, Lull's service stops: it learns nothing, and an app that uses its "
                "address gets no answers until you start Lull again."
            )
        case AfterQuit.STOPS:
            said = tr(
                "These chat apps get their answers through Lull: %1. If you quit, they get no "
                "answers until you start Lull again, and it learns nothing.",
                ", ".join(translated(one, "title") for one in leaving.clients),
            )
        case AfterQuit.GOES_ON:
            said = tr(
                "Lull's service goes on when you quit: apps that use it still get their answers, "
                "and it goes on learning. Only this window and the tray icon close."
            )
        case AfterQuit.NONE:
            said = tr("Lull's service is not running, so chat apps get no answers through it now.")
    if leaving.returns:
        back = tr("If you keep Lull running, its tray icon opens the window again.")
    else:
        back = tr(
            "This desktop shows no tray icon: if you keep Lull running, start it again to get the "
            "window back."
        )
    return f"{said}\n\n{back}"


class QuitPrompt(QObject):
    """Asks the user whether to quit Lull, with the names of the chat apps that would get no
    answers.
    """

    agreed = Signal()
    """Emitted when Lull shall quit."""
    kept = Signal()
    """Emitted when Lull shall keep running without its window."""

    def __init__(
        self,
        state: AppState,
        preferences: QSettings,
        window: QWidget,
        *,
        service: Callable[[], AfterQuit],
        returns: Callable[[], bool],
    ) -> None:
        """Create the prompt. `service` says what would become of the service now, `returns` whether
        a tray icon can bring the window back.
        """
        super().__init__(window)
        self._state = state
        self._preferences = preferences
        self._window = window
        self._service = service
        self._returns = returns
        self._dialog: QuitDialog | None = None
        self._asking = self._closing = False
        self._too_late = QTimer(self, interval=KNOWN_WITHIN_MS, singleShot=True)
        self._too_late.timeout.connect(lambda: self._open(()))

    def ask(self, *, closing: bool = False) -> None:
        """Ask the user whether to quit, or what closing the window shall do.

        Quit at once if no service runs, or if it goes on and the user chose not to be asked again.
        """
        if self._dialog is not None:
            self._dialog.raise_()
            return
        if self._asking:
            return
        service, self._closing = self._service(), closing
        known = service is AfterQuit.GOES_ON and self._preferences.value(QUIT, False, type=bool)
        if not closing and (known or service is AfterQuit.NONE):
            self.agreed.emit()
        elif service is AfterQuit.STOPS:
            self._asking = True
            self._too_late.start()
            self._state.get(routes.CLIENTS, self._take)
        else:
            self._open(())

    def _take(self, answer: Reply) -> None:
        if self._asking:
            self._open([one for one in answer.value.get("clients") or () if one["connected"]])

    def _open(self, clients: Sequence[Json]) -> None:
        self._asking = False
        self._too_late.stop()
        leaving = Leaving(
            service=self._service(),
            returns=self._returns(),
            closing=self._closing,
            clients=clients,
        )
        dialog = self._dialog = QuitDialog(leaving, self._preferences, self._window)
        dialog.keep.connect(self.kept)
        dialog.leave.connect(self.agreed)
        dialog.disconnect_first.connect(lambda: self._disconnect(leaving.undoable))
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
