"""The tray's icon: nine entries, one of six shapes, one line that is true to the second.

The desktop's tray stands behind `TrayBackend`, because some desktops have none and tests have
their own. Everything that can be done here can be done in the window, too.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Final, Protocol

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from lull.desktop.actions import Actions, pause_lengths
from lull.desktop.icons import TrayShape, tray_icon
from lull.desktop.standing import Standing, standing
from lull.desktop.state import AppState
from lull.desktop.style import Look
from lull.desktop.words import counted, now, only, tr

TICK_MS: Final = 1_000


class TrayBackend(Protocol):
    """What a desktop's tray does for us."""

    def available(self) -> bool: ...

    def begin(
        self, menu: QMenu, *, clicked: Callable[[], None], noticed: Callable[[], None]
    ) -> None:
        """`clicked`: the left button; `noticed`: a notification was clicked."""

    def show(self, icon: QIcon, tooltip: str) -> None: ...

    def notify(self, title: str, text: str) -> None: ...

    def end(self) -> None: ...


class QtTray:
    """The real one."""

    def __init__(self) -> None:
        self._icon: QSystemTrayIcon | None = None

    def available(self) -> bool:
        return QSystemTrayIcon.isSystemTrayAvailable()

    def begin(
        self, menu: QMenu, *, clicked: Callable[[], None], noticed: Callable[[], None]
    ) -> None:
        icon = QSystemTrayIcon()
        icon.setContextMenu(menu)

        def heard(reason: QSystemTrayIcon.ActivationReason) -> None:
            # On macOS the left button opens the menu, and the desktop does that itself.
            if reason is QSystemTrayIcon.ActivationReason.Trigger and sys.platform != "darwin":
                clicked()

        icon.activated.connect(heard)
        icon.messageClicked.connect(noticed)
        self._icon = icon

    def show(self, icon: QIcon, tooltip: str) -> None:
        if self._icon is not None:
            self._icon.setIcon(icon)
            self._icon.setToolTip(tooltip)
            self._icon.show()

    def notify(self, title: str, text: str) -> None:
        if self._icon is not None:
            self._icon.showMessage(title, text, self._icon.icon())

    def end(self) -> None:
        if self._icon is not None:
            self._icon.hide()
            self._icon = None


class Tray(QObject):
    open_dashboard = Signal()
    open_review = Signal()
    open_settings = Signal()
    quit = Signal()
    noticed = Signal()
    """A notification was clicked."""

    def __init__(
        self,
        state: AppState,
        actions: Actions,
        look: Look,
        backend: TrayBackend,
        *,
        mask: bool = sys.platform == "darwin",
    ) -> None:
        super().__init__()
        self._state = state
        self._actions = actions
        self._look = look
        self._mask = mask
        self.backend = backend
        self._begun = False
        self._shown: tuple[TrayShape, str, str] | None = None
        self.menu = QMenu()
        self._make_menu()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self.refresh)
        for signal in (state.changed, state.phase_changed, look.changed):
            signal.connect(self.refresh)

    def begin(self) -> None:
        """Before the first event: the icon is there while the service still comes up."""
        self._tick.start()
        self.refresh()

    def _reach(self) -> None:
        """At login the panel may come up after us, and an icon that was shown before there is a
        panel never gets there (tried on D-Bus): so it is made once there is one."""
        if not self._begun and self.backend.available():
            self._begun = True
            self.backend.begin(
                self.menu, clicked=self.open_dashboard.emit, noticed=self.noticed.emit
            )

    def end(self) -> None:
        self._tick.stop()
        self.backend.end()

    def notify(self, title: str, text: str) -> None:
        self.backend.notify(title, text)

    def _make_menu(self) -> None:
        self.status = self._entry("", None)
        self.status.setEnabled(False)
        self.menu.addSeparator()
        self.dashboard = self._entry(tr("Open dashboard"), self.open_dashboard.emit)
        self.review = self._entry(tr("Review skills…"), self.open_review.emit)
        self.menu.addSeparator()
        self.pause = QMenu(tr("Pause learning"), self.menu)
        self.menu.addMenu(self.pause)
        for length, words in pause_lengths():
            do = functools.partial(self._actions.pause, length)
            self.pause.addAction(words).triggered.connect(only(do))
        self.pause.addSeparator()
        self.resume = self.pause.addAction(tr("Resume now"))
        self.resume.triggered.connect(only(self._actions.resume))
        self.train = self._entry(tr("Train now"), self._actions.train_now)
        self.menu.addSeparator()
        self.proxy = self._entry(tr("Proxy on"), None)
        self.proxy.setCheckable(True)
        # `triggered` is the user's click alone, `toggled` would also hear us.
        self.proxy.triggered.connect(self._actions.proxy)
        self.copy = self._entry(tr("Copy address"), self._actions.copy_address)
        self.menu.addSeparator()
        self.settings = self._entry(tr("Settings…"), self.open_settings.emit)
        self.quit_entry = self._entry(tr("Quit"), self.quit.emit)

    def _entry(self, text: str, do: Callable[[], object] | None) -> QAction:
        action = QAction(text, self.menu)
        if do is not None:
            action.triggered.connect(only(do))
        self.menu.addAction(action)
        return action

    def refresh(self, *_: object) -> None:
        stands = standing(self._state, now())
        self._words(stands)
        self._reach()
        shown = (stands.shape, self._look.theme.text, stands.line)
        if (
            self._begun and shown != self._shown
        ):  # a tray that is written to every second flickers on some desktops
            self._shown = shown
            icon = tray_icon(stands.shape, self._look.theme.text, mask=self._mask)
            self.backend.show(icon, f"Lull: {stands.line}")

    def _words(self, stands: Standing) -> None:
        self.status.setText(stands.line)
        count = stands.proposals
        words = counted(count, "Review %1 skill…", "Review %1 skills…")
        self.review.setText(words if count else tr("Nothing to review"))
        self.review.setEnabled(count > 0)
        self.pause.menuAction().setText(tr("Paused") if stands.paused else tr("Pause learning"))
        self.pause.setEnabled(stands.running)
        self.resume.setVisible(stands.paused)
        self.train.setEnabled(stands.running)
        self.proxy.setChecked(stands.running)
        self.copy.setEnabled(stands.running)
