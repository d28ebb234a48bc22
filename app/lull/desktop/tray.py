"""The tray icon with its menu and a status line that is updated every second.

The system's tray is used through `TrayBackend`, because some desktops have none and tests use a
fake. Everything in the menu can also be done in the window.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, Protocol

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from lull.desktop.language.words import counted, now, parsed, tr, without_args
from lull.desktop.service.actions import Actions, pause_lengths
from lull.desktop.service.state import AppState
from lull.desktop.shared.tray_status import TrayStatus, tray_status
from lull.desktop.widgets.icons import TrayShape, tray_icon
from lull.desktop.widgets.style import ThemeInForce

TICK_MS: Final = 1_000
RATED_WITHIN_S: Final = 3_600.0
"""Seconds after an answer for which the menu offers to rate it."""


class TrayBackend(Protocol):
    """Interface of a system tray that can show Lull's icon, menu and notifications."""

    def available(self) -> bool:
        """Whether the desktop has a system tray at this moment."""

    def begin(
        self, menu: QMenu, *, clicked: Callable[[], None], noticed: Callable[[], None]
    ) -> None:
        """Show the tray icon.

        `clicked` is called on a left click, `noticed` on a click on a notification.
        """

    def show(self, icon: QIcon, tooltip: str) -> None:
        """Show the icon with this tooltip, or change both."""

    def notify(self, title: str, text: str) -> None:
        """Show a desktop notification."""

    def end(self) -> None:
        """Remove the icon from the tray."""


class QtTray:
    """The system tray as provided by Qt; implements `TrayBackend`."""

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
            # On macOS a left click opens the menu, which the system does itself.
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


def rateable(status: Mapping[str, Any], here: datetime) -> str:
    """Return the id of the newest answer that the service's status reports, if it is recent and not
    rated yet; else "".
    """
    newest = status.get("newest_answer") or {}
    at = parsed(newest.get("at"))
    if at is None or newest.get("label") or (here - at).total_seconds() > RATED_WITHIN_S:
        return ""
    return str(newest["turn"])


class Tray(QObject):
    """Lull's tray icon with its menu and its notifications."""

    open_dashboard = Signal()
    open_review = Signal()
    open_settings = Signal()
    rated = Signal(str, str)
    """Emitted with a turn's id and "good" or "bad" when the user rated the last answer."""
    quit = Signal()
    noticed = Signal()
    """Emitted when the user clicked a notification."""

    def __init__(
        self,
        state: AppState,
        actions: Actions,
        look: ThemeInForce,
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
        """Show the tray icon with its menu at once, without waiting for the service."""
        self._tick.start()
        self.refresh()

    def _reach(self) -> None:
        """Create the icon once the system tray is available.

        At login the panel may start later, and an icon shown before it exists never appears there
        (tried on D-Bus).
        """
        if not self._begun and self.backend.available():
            self._begun = True
            self.backend.begin(
                self.menu, clicked=self.open_dashboard.emit, noticed=self.noticed.emit
            )

    def end(self) -> None:
        """Stop refreshing and remove the icon."""
        self._tick.stop()
        self.backend.end()

    def notify(self, title: str, text: str) -> None:
        """Show a desktop notification."""
        self.backend.notify(title, text)

    def _make_menu(self) -> None:
        self.status = self._entry("", None)
        self.status.setEnabled(False)
        self.menu.addSeparator()
        self.dashboard = self._entry(tr("Open window"), self.open_dashboard.emit)
        self.review = self._entry(tr("Review…"), self.open_review.emit)
        self.menu.addSeparator()
        self.rate = QMenu(tr("Rate the last answer"), self.menu)
        self._to_rate = ""
        for value, words in (("good", tr("Good")), ("bad", tr("Bad…"))):
            do = functools.partial(self._rated, value)
            self.rate.addAction(words).triggered.connect(without_args(do))
        self._behind_review = self.menu.addSeparator()
        self.pause = QMenu(tr("Pause learning"), self.menu)
        self.menu.addMenu(self.pause)
        for length, words in pause_lengths():
            do = functools.partial(self._actions.pause, length)
            self.pause.addAction(words).triggered.connect(without_args(do))
        self.pause.addSeparator()
        self.resume = self.pause.addAction(tr("Resume now"))
        self.resume.triggered.connect(without_args(self._actions.resume))
        self.train = self._entry(tr("Train now"), self._actions.train_now)
        self.menu.addSeparator()
        self.on = self._entry(tr("Lull on"), None)
        self.on.setCheckable(True)
        # `triggered` fires only on clicks; `toggled` would also fire on setChecked.
        self.on.triggered.connect(self._actions.set_enabled)
        self.copy = self._entry(tr("Copy address"), self._actions.copy_address)
        self._behind_copy = self.menu.addSeparator()
        self.settings = self._entry(tr("Settings…"), self.open_settings.emit)
        self.quit_entry = self._entry(tr("Quit"), self.quit.emit)

    def _entry(self, text: str, do: Callable[[], object] | None) -> QAction:
        action = QAction(text, self.menu)
        if do is not None:
            action.triggered.connect(without_args(do))
        self.menu.addAction(action)
        return action

    def _rated(self, value: str) -> None:
        if self._to_rate:
            self.rated.emit(self._to_rate, value)

    def refresh(self, *_: object) -> None:
        """Show the service's current state in the icon, the tooltip and the menu."""
        stands = tray_status(self._state, now())
        self._words(stands)
        self._reach()
        shown = (stands.shape, self._look.theme.text, stands.line)
        if (
            self._begun and shown != self._shown
        ):  # on some desktops an icon that is set every second flickers
            self._shown = shown
            icon = tray_icon(stands.shape, self._look.theme.text, mask=self._mask)
            self.backend.show(icon, f"Lull: {stands.line}")

    def _words(self, stands: TrayStatus) -> None:
        self.status.setText(stands.line)
        count = stands.proposals
        words = counted(count, "Review %1 suggestion…", "Review %1 suggestions…")
        self.review.setText(words if count else tr("Nothing to review"))
        self.review.setEnabled(count > 0)
        self._to_rate = rateable(self._state.status, now()) if stands.running else ""
        # Nine entries at most: what has no use now makes room for it.
        rates = bool(self._to_rate)
        self._keep(self.rate.menuAction(), self._behind_review, wanted=rates)
        first = self.rate.menuAction() if rates else self._behind_review
        self._keep(self.review, first, wanted=count > 0 or not rates)
        self._keep(self.copy, self._behind_copy, wanted=count == 0 or not rates)
        self.pause.menuAction().setText(tr("Paused") if stands.paused else tr("Pause learning"))
        self.pause.setEnabled(stands.learns)
        self.resume.setVisible(stands.paused)
        self.train.setEnabled(stands.learns)
        self.on.setChecked(stands.learns)
        self.copy.setEnabled(stands.running)

    def _keep(self, entry: QAction, before: QAction, *, wanted: bool) -> None:
        """Add an entry to the menu, before the entry `before`, or remove it, as `wanted` says."""
        there = entry in self.menu.actions()
        if wanted and not there:
            self.menu.insertAction(before, entry)
        elif there and not wanted:
            self.menu.removeAction(entry)
