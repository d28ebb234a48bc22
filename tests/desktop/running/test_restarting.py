"""Tests that the window can be restarted, for another language, while the service goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lull.config.paths import Paths
from lull.desktop.language.language_choice import ENGLISH, apply_language
from lull.desktop.main import Desktop, DesktopInForce
from lull.desktop.pages.chat.talk import ChatPage
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown, live, place_of
from tests.desktop.scripted import Scripted
from tests.desktop.tray.fake_tray import FakeTray


class Started:
    """A service that the window started."""

    def __init__(self) -> None:
        self.ended = False

    def poll(self) -> int | None:
        return 0 if self.ended else None

    def terminate(self) -> None:
        self.ended = True


@pytest.fixture
def service() -> Started:
    return Started()


@pytest.fixture
def in_force(
    scripted: Scripted, home: Path, service: Started, qapp: QApplication
) -> Iterator[DesktopInForce]:
    assert scripted
    paths = Paths.from_environment(os.environ, "linux", home=str(home))
    paths.prepare()
    place = place_of(paths, running=lambda: service.poll() is None)

    def make(restart: Callable[[], None]) -> Desktop:
        return Desktop(qapp, place, backend=FakeTray(), spawn=lambda _: service, restart=restart)

    made = DesktopInForce(make, qapp)
    made.desktop.process._child = service
    made.desktop.begin()
    yield made
    made.desktop.end()
    made.desktop.window.deleteLater()
    apply_language(qapp, ENGLISH)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_chosen_language_is_there_after_one_click_and_the_service_goes_on(
    in_force: DesktopInForce, service: Started, qtbot: QtBot
) -> None:
    old = in_force.desktop
    shown = live(Shown(old, FakeTray(), qtbot))
    old.window.resize(1000, 700)
    chat = shown.go(PageName.CHAT)
    assert isinstance(chat, ChatPage)
    chat.text.setPlainText("a long letter that is\nnot sent yet")
    page = shown.go(PageName.SETTINGS)
    assert isinstance(page, SettingsPage)
    page.window_card._choose_language("de")
    qtbot.mouseClick(old.window.note.undo, Qt.MouseButton.LeftButton)
    shown.until(lambda: in_force.desktop is not old)
    new = live(Shown(in_force.desktop, FakeTray(), qtbot))
    assert not service.ended and new.desktop.process.started_here
    window = new.desktop.window
    assert window.shows(PageName.SETTINGS) and window.isVisible()
    assert window.windowTitle() == "Lull: Einstellungen"
    assert window.page(PageName.CHAT).draft() == "a long letter that is\nnot sent yet"
    assert (window.width(), window.height()) == (1000, 700)
    in_force.desktop.quit()
    assert service.ended


def test_a_service_that_was_stopped_stays_stopped(
    in_force: DesktopInForce, service: Started, qtbot: QtBot
) -> None:
    old = in_force.desktop
    shown = live(Shown(old, FakeTray(), qtbot))
    old.process.expect_stop()
    service.ended = True
    old.process.check_service()
    in_force.restart()
    assert in_force.desktop.process.state is old.process.state
    assert not in_force.desktop.process.started_here
    shown.until(lambda: not old.window.isVisible())
