"""A desktop that starts a real service of its home, and ends it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import TimeoutError as WaitedTooLong
from pytestqt.qtbot import QtBot

from lull.cli.process.window import ServiceOfHome, serve_command
from lull.config.paths import Paths
from lull.desktop.main import Desktop
from lull.desktop.widgets.tokens import LIGHT
from lull.service.process.lock import is_running, read_discovery
from tests.desktop.conftest import Shown, place_of
from tests.desktop.tray.fake_tray import FakeTray
from tests.eventually import PATIENCE_S
from tests.running import kill_with_children


@contextmanager
def desktop_with_service(qapp: QApplication, bot: QtBot, paths: Paths) -> Iterator[Shown]:
    """Open a desktop that starts the service itself; a service that does not end when the desktop
    ends is killed.
    """
    service = ServiceOfHome(paths, (*serve_command(frozen=False), "--port", "0"))
    place = replace(place_of(paths, running=lambda: is_running(paths.lock)), service=service)
    desktop = Desktop(qapp, place, backend=FakeTray(), theme=LIGHT)
    tray = desktop.tray.backend
    shown = Shown(desktop, tray, bot, patience_s=PATIENCE_S)  # type: ignore[arg-type]
    desktop.begin()
    yield shown
    desktop.end()
    desktop.window.deleteLater()
    there = read_discovery(paths.discovery)
    with suppress(WaitedTooLong):
        bot.waitUntil(lambda: not is_running(paths.lock), timeout=int(PATIENCE_S * 1000))
    if is_running(paths.lock) and there is not None:
        kill_with_children(there.pid)
