"""The desktop process: creates its parts, shows the tray icon or window, runs until Quit."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from lull.contract import routes
from lull.desktop.garbage import GarbageCollector
from lull.desktop.language.language_choice import apply_chosen_language
from lull.desktop.pages import making
from lull.desktop.running.page_loading import PageLoading
from lull.desktop.running.quitting import KEEP, AfterQuit, QuitPrompt
from lull.desktop.service.actions import Actions
from lull.desktop.service.client import ControlClient
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.event_stream import EventStream
from lull.desktop.service.place import Place
from lull.desktop.service.service_process import ServiceProcess, Spawn, spawn
from lull.desktop.service.state import AppState, Subject
from lull.desktop.session_bus import start_no_bus
from lull.desktop.shared.teaching import rate_and_teach
from lull.desktop.shared.testing.finished_tests import FinishedTests
from lull.desktop.single import SingleInstance
from lull.desktop.tray import QtTray, Tray, TrayBackend
from lull.desktop.welcome.page import FirstRun, FirstRunOffer
from lull.desktop.widgets.accessible import FocusInView
from lull.desktop.widgets.notices import Notice, NoticeKind, Notices
from lull.desktop.widgets.page import Kit, PageName
from lull.desktop.widgets.style import TEXT_SIZE, ThemeInForce, chosen_theme
from lull.desktop.widgets.tokens import Theme
from lull.desktop.window import MainWindow

TRAY_WITHIN_MS: Final = 10_000
"""Milliseconds after login within which a system tray must appear."""


NOTICE_PAGES: Final = {
    NoticeKind.PROPOSALS: PageName.REVIEW,
    NoticeKind.NIGHT: PageName.LEARNING,
    NoticeKind.WAY_BACK: PageName.LEARNING,
    NoticeKind.NEEDS_YOU: PageName.TODAY,
}
"""The page that a click on a notification opens."""


class Desktop:
    """Creates and holds all parts of the desktop process. `begin` shows the tray icon and the
    window; `end`, which Quit calls, closes everything.
    """

    def __init__(
        self,
        app: QApplication,
        place: Place,
        *,
        backend: TrayBackend | None = None,
        theme: Theme | None = None,
        spawn: Spawn = spawn,
        restart: Callable[[], None] = lambda: None,
    ) -> None:
        """`restart` puts another desktop in the place of this one."""
        self._app = app
        self._place = place
        app.setQuitOnLastWindowClosed(False)
        self._garbage = GarbageCollector()
        self.preferences = QSettings(str(place.preferences_file), QSettings.Format.IniFormat)
        size = self.preferences.value(TEXT_SIZE, 100, type=int)
        theme = theme or chosen_theme(self.preferences)
        self.look = ThemeInForce(app, theme, text_percent=int(str(size)))
        self.process = ServiceProcess(place, spawn=spawn)
        service = place.service
        alone = {routes.SETTINGS: service.settings}
        self.client = ControlClient(service.control_socket, alone=alone)
        self.stream = EventStream(service.control_socket)
        self.state = AppState(self.client, self.stream)
        self.actions = Actions(self.state, self.process)
        self.tray = Tray(self.state, self.actions, self.look, backend or QtTray())
        self._restart = restart
        self.kit = self._kit()
        self.window = MainWindow(self.kit, making())
        self._focus = FocusInView(app, self.window)
        self._finished = FinishedTests(self.state, on_review=self._sees_review)
        self._loading = PageLoading(self.window, self.window.page)
        self._noticed_page = PageName.TODAY
        self.notices = Notices(
            self.state, self.preferences, self._notify, in_front=self.window.isActiveWindow
        )
        self._over = False
        self.quitting = QuitPrompt(
            self.state,
            self.preferences,
            self.window,
            service=self._service_after_quit,
            returns=self.tray.backend.available,
        )
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
            restart_window=self._restart,
        )

    def _connect(self) -> None:
        self.tray.open_dashboard.connect(self.window.raise_up)
        self.tray.open_review.connect(lambda: self.open_at(PageName.REVIEW))
        self.tray.open_settings.connect(lambda: self.open_at(PageName.SETTINGS))
        self.tray.rated.connect(self._rate)
        self.tray.noticed.connect(lambda: self.open_at(self._noticed_page))
        self.tray.quit.connect(self.ask_to_quit)
        self.window.quit_asked.connect(self.ask_to_quit)
        self.quitting.agreed.connect(self.quit)
        self.quitting.kept.connect(self.window.put_away)
        self.window.may_hide = self._may_hide
        self.window.close_asked.connect(lambda: self.quitting.ask(closing=True))
        self.process.started.connect(self.stream.reconnect_now)
        self.process.changed.connect(lambda: self.state.set_down_words(self.process.down_words))

    def begin(self, *, hidden: bool = False, tray_within_ms: int = TRAY_WITHIN_MS) -> None:
        """Show the tray icon and the window.

        With `hidden`, show only the tray icon, or the window when no system tray appears in time.
        """
        self.process.attach_or_start()
        # Needed even when no page is open: the status line and notifications mention runs.
        self.state.subscribe(Subject.RUNS, Subject.PROPOSALS)
        self.state.start()
        self.tray.begin()
        if not hidden:
            self.window.raise_up()
        elif not self.tray.backend.available():
            QTimer.singleShot(tray_within_ms, self._show_without_tray)

    def offer_first_run(self) -> None:
        """Show the first-run dialog once, to a user who has no data in Lull yet."""
        self._offer = FirstRunOffer(self.kit, self.show_first_run)

    def show_first_run(self) -> FirstRun:
        """Show the first-run dialog and return it."""
        steps = FirstRun(self.kit, self.window)
        steps.show()
        return steps

    def _show_without_tray(self) -> None:
        if not self._over and not self.tray.backend.available():
            self.window.raise_up()

    def _go(self, page: PageName, words: str = "") -> None:
        self.window.go(page)
        if words:
            self.window.page(page).look_up(words)

    def open_at(self, page: PageName) -> None:
        """Open a page and bring the window to the front."""
        self.window.go(page)
        self.window.raise_up()

    def _sees_review(self) -> bool:
        return self.window.isVisible() and self.window.shows(PageName.REVIEW)

    def _rate(self, turn: str, label: str) -> None:
        rate_and_teach(self.kit, turn, label, self.window, show=self.window.raise_up)

    def _may_hide(self) -> bool:
        """Whether closing the window may hide it without asking: the tray icon can show it again,
        or the user chose to keep Lull running without a window.
        """
        known = bool(self.preferences.value(KEEP, False, type=bool))
        return self._over or known or self.tray.backend.available()

    def _notify(self, notice: Notice) -> None:
        # A system tells of a click without saying on which notice: it is the newest that is seen.
        self._noticed_page = NOTICE_PAGES[notice.kind]
        self.tray.notify(notice.title, notice.text)

    def ask_to_quit(self) -> None:
        """Quit the desktop app; first say what goes on afterwards, and let the user choose."""
        self.quitting.ask()

    def _service_after_quit(self) -> AfterQuit:
        if self.process.stops_with_window:
            return AfterQuit.STOPS
        running = self.process.state is ServiceState.RUNNING
        return AfterQuit.GOES_ON if running else AfterQuit.NONE

    def quit(self) -> None:
        """End all parts of the desktop process, and the process."""
        self.end()
        self._app.quit()

    def end(self, *, service_stays: bool = False) -> None:
        """Close all parts of the desktop process; further calls do nothing.

        Stops the service only if this window started it, and not with `service_stays`.
        """
        if self._over:
            return
        self._over = True
        if not service_stays:
            self.process.close()
        self.tray.end()
        self.state.close()
        self.window.close()
        self.look.end()
        self.preferences.sync()
        self._garbage.stop()


class DesktopInForce:
    """The desktop of this process. Where the user restarts the window, as for another language,
    another takes its place; the service goes on, and the page stays.
    """

    def __init__(self, make: Callable[[Callable[[], None]], Desktop], app: QApplication) -> None:
        """`make` makes a desktop that calls the function it is given to be replaced."""
        self._make = make
        self._app = app
        self.desktop = make(self._soon)

    def raise_up(self) -> None:
        """Show the window and bring it to the front."""
        self.desktop.window.raise_up()

    def _soon(self) -> None:
        # Not within the click on a button of the window that goes.
        QTimer.singleShot(0, self.restart)

    def restart(self) -> None:
        """Put another desktop in the place of this one, in the language that is chosen by now."""
        old = self.desktop
        _finish_typing(old.window)
        page, place, state = old.window.page_name, old.window.pos(), old.window.windowState()
        drafts = old.window.drafts()
        old.end(service_stays=True)
        apply_chosen_language(self._app, old.preferences)
        new = self.desktop = self._make(self._soon)
        new.process.take_over(old.process)
        old.window.deleteLater()
        new.window.move(place)
        new.window.setWindowState(state)
        for name, written in drafts.items():
            new.window.page(name).take_draft(written)
        new.window.go(page)
        new.begin()


def _finish_typing(window: QWidget) -> None:
    """Let a field of the window take what is typed in it, as if the user had gone on to another."""
    held = QApplication.focusWidget()
    if held is not None and window.isAncestorOf(held):
        held.clearFocus()


def run(place: Place, *, hidden: bool = False, arguments: Sequence[str] = ("lull",)) -> int:
    """Run the desktop app until Quit and return the exit code.

    If another instance runs already, show its window (unless `hidden`) and return.
    """
    start_no_bus(os.environ, sys.platform)
    app = QApplication(list(arguments))
    app.setApplicationName("Lull")
    app.setDesktopFileName("lull")
    apply_chosen_language(app, QSettings(str(place.preferences_file), QSettings.Format.IniFormat))
    single = SingleInstance(place)
    if not single.become_first():
        return 0 if hidden or single.show_first_window() else 1
    running = DesktopInForce(lambda restart: Desktop(app, place, restart=restart), app)
    single.asked.connect(running.raise_up)
    # End at once on logout and Ctrl-C. The timer below lets Python handle signals between events.
    app.commitDataRequest.connect(lambda _: running.desktop.end())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: running.desktop.quit())
    beat = QTimer(interval=250)
    beat.timeout.connect(lambda: None)
    beat.start()
    running.desktop.begin(hidden=hidden)
    if not hidden:
        running.desktop.offer_first_run()
    try:
        return int(app.exec())
    finally:
        running.desktop.end()
        single.close()
