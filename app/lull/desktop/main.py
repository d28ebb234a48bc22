"""The desktop's process: wire the parts, show tray or window, run until Quit."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from lull.desktop.actions import Actions
from lull.desktop.client import Client
from lull.desktop.event_stream import EventStream
from lull.desktop.first_run import FirstRun, Offer
from lull.desktop.garbage import GarbageCollector
from lull.desktop.notices import Notice, Notices
from lull.desktop.page import Kit, PageName
from lull.desktop.pages import making
from lull.desktop.place import Place
from lull.desktop.service_process import ServiceProcess, Spawn, spawn
from lull.desktop.single import Single
from lull.desktop.state import AppState, Subject
from lull.desktop.style import Look
from lull.desktop.tokens import Theme
from lull.desktop.tray import QtTray, Tray, TrayBackend
from lull.desktop.window import Window

TRAY_WITHIN_MS: Final = 10_000
"""So long may a panel take at login until we believe that there is none."""


class Desktop:
    """Everything of one window. `begin` shows it, `end` takes it down; Quit calls `end`."""

    def __init__(
        self,
        app: QApplication,
        place: Place,
        *,
        backend: TrayBackend | None = None,
        theme: Theme | None = None,
        spawn: Spawn = spawn,
    ) -> None:
        self._app = app
        self._place = place
        app.setQuitOnLastWindowClosed(False)
        self._garbage = GarbageCollector()
        self.preferences = QSettings(str(place.preferences), QSettings.Format.IniFormat)
        self.look = Look(app, theme)
        self.process = ServiceProcess(place, spawn=spawn)
        self.client = Client(place.control_socket)
        self.stream = EventStream(place.control_socket)
        self.state = AppState(self.client, self.stream)
        self.actions = Actions(self.state, self.process)
        self.tray = Tray(self.state, self.actions, self.look, backend or QtTray())
        self.notices = Notices(self.state, self.preferences, self._notify)
        self.kit = self._kit()
        self.window = Window(self.kit, making())
        self._over = False
        self._connect()

    def _kit(self) -> Kit:
        return Kit(
            state=self.state,
            actions=self.actions,
            process=self.process,
            look=self.look,
            place=self._place,
            preferences=self.preferences,
            go=self._go,
            show_first_run=self.show_first_run,
        )

    def _connect(self) -> None:
        self.tray.open_dashboard.connect(self.window.raise_up)
        self.tray.open_review.connect(lambda: self.open_at(PageName.REVIEW))
        self.tray.open_settings.connect(lambda: self.open_at(PageName.SETTINGS))
        self.tray.noticed.connect(lambda: self.open_at(PageName.REVIEW))
        self.tray.quit.connect(self.quit)
        self.window.quit_asked.connect(self.quit)
        self.window.hidden_by_user.connect(self._closed)
        self.process.started.connect(self.stream.look_now)
        self.process.changed.connect(lambda: self.state.say_down(self.process.why))

    def begin(self, *, hidden: bool = False, tray_within_ms: int = TRAY_WITHIN_MS) -> None:
        """`hidden`: only the icon; where no tray is there in time, the window all the same."""
        self.process.begin()
        # Also where no page is open: the line and the notifications tell of runs.
        self.state.want(Subject.RUNS)
        self.state.start()
        self.tray.begin()
        if not hidden:
            self.window.raise_up()
        elif not self.tray.backend.available():
            QTimer.singleShot(tray_within_ms, self._show_without_tray)

    def offer_first_run(self) -> None:
        """Show the first steps to who has nothing here yet, once."""
        self._offer = Offer(self.kit, self.show_first_run)

    def show_first_run(self) -> FirstRun:
        steps = FirstRun(self.kit, self.window)
        steps.show()
        return steps

    def _show_without_tray(self) -> None:
        if not self._over and not self.tray.backend.available():
            self.window.raise_up()

    def _go(self, page: PageName) -> None:
        self.window.go(page)

    def open_at(self, page: PageName) -> None:
        self.window.go(page)
        self.window.raise_up()

    def _closed(self) -> None:
        """Close hides; but where nothing could bring the window back, nothing may stay behind."""
        if not self._over and not self.tray.backend.available():
            self.quit()

    def _notify(self, notice: Notice) -> None:
        self.tray.notify(notice.title, notice.text)

    def quit(self) -> None:
        self.end()
        self._app.quit()

    def end(self) -> None:
        """Once. The service that we started is asked to stop; one that we found goes on."""
        if self._over:
            return
        self._over = True
        self.process.close()
        self.tray.end()
        self.state.close()
        self.window.close()
        self.preferences.sync()
        self._garbage.stop()


def run(place: Place, *, hidden: bool = False, arguments: Sequence[str] = ("lull",)) -> int:
    """Until Quit; the exit code. A second start shows the first one's window (not where it is to
    be hidden) and returns."""
    app = QApplication(list(arguments))
    app.setApplicationName("Lull")
    app.setDesktopFileName("lull")
    single = Single(place)
    if not single.first():
        return 0 if hidden or single.wake() else 1
    desktop = Desktop(app, place)
    single.asked.connect(desktop.window.raise_up)
    # The system's shutdown is answered at once, and so is Ctrl-C: Python hears it between events.
    app.commitDataRequest.connect(lambda _: desktop.end())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: desktop.quit())
    beat = QTimer(interval=250)
    beat.timeout.connect(lambda: None)
    beat.start()
    desktop.begin(hidden=hidden)
    if not hidden:
        desktop.offer_first_run()
    try:
        return int(app.exec())
    finally:
        desktop.end()
        single.close()
