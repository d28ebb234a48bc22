"""Tests of a port that another program has: another is offered, and the settings open."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from lull.cli.process.window import ServiceOfHome, serve_command
from lull.config.files import read
from lull.config.paths import Paths
from lull.core.errors import AddressInUse, Busy
from lull.desktop.main import Desktop
from lull.desktop.pages.settings.editors import PortEdit
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.free_port import address_of, is_free, next_free_port
from lull.desktop.service.place import Place
from lull.desktop.service.service_process import ServiceProcess
from lull.desktop.service.state import Phase
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import LIGHT
from lull.service.process.lock import ServiceLock, is_running, read_discovery
from tests.desktop.conftest import Shown, place_of
from tests.desktop.service.test_service_process import FakeChild
from tests.desktop.tray.fake_tray import FakeTray
from tests.eventually import PATIENCE_S
from tests.running import free_port, kill_with_children, nobodys_port


@pytest.fixture
def taken() -> Iterator[socket.socket]:
    """A port that another program has."""
    with closing(socket.create_server(("127.0.0.1", free_port()))) as other:
        yield other


@pytest.fixture
def paths(home: Path, taken: socket.socket, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{nobodys_port()}")
    made = Paths.from_environment({}, "linux", home=str(home))
    made.prepare()
    made.settings.write_text(f"[service]\nport = {taken.getsockname()[1]}\n")
    return made


def place_at(paths: Paths) -> Place:
    place = place_of(paths, running=lambda: True)
    return replace(place, service=ServiceOfHome(paths, serve_command(frozen=False)))


@pytest.fixture
def real(qapp: QApplication, qtbot: QtBot, paths: Paths) -> Iterator[Shown]:
    """A desktop whose own service finds its port taken."""
    desktop = Desktop(qapp, place_at(paths), backend=FakeTray(), theme=LIGHT)
    tray = desktop.tray.backend
    shown = Shown(desktop, tray, qtbot, patience_s=PATIENCE_S)  # type: ignore[arg-type]
    desktop.begin()
    yield shown
    there = read_discovery(paths.discovery)
    desktop.end()
    desktop.window.deleteLater()
    if there is not None and is_running(paths.lock):
        kill_with_children(there.pid)


def banner_button(shown: Shown, start: str) -> QPushButton:
    def found() -> list[QPushButton]:
        buttons = shown.desktop.window.banner.findChildren(QPushButton)
        return [one for one in buttons if one.text().startswith(start) and one.isVisible()]

    shown.until(found)
    return found()[0]


@pytest.mark.full
@pytest.mark.slow
def test_another_port_is_offered_and_taken(real: Shown, paths: Paths) -> None:
    process = real.desktop.process
    real.until(lambda: process.state is ServiceState.PORT_TAKEN)
    before = read(paths.settings).service.port
    banner = real.desktop.window.banner
    assert f"port {before} is used by another program" in banner.text
    assert "`" not in banner.text and "()" not in banner.text
    assert str(before) in real.desktop.tray.status.text()
    banner_button(real, "Use port").click()
    real.until(lambda: real.desktop.state.phase is Phase.LIVE)
    port = read(paths.settings).service.port
    assert port not in (0, before)
    real.until(lambda: real.desktop.actions.address == f"http://127.0.0.1:{port}")
    assert any(str(port) in told for told in real.told)
    assert banner.text == ""


@pytest.mark.full
@pytest.mark.slow
def test_the_settings_open_and_change_without_a_service(real: Shown, paths: Paths) -> None:
    real.until(lambda: real.desktop.process.state is ServiceState.PORT_TAKEN)
    page = real.go(PageName.SETTINGS)
    assert isinstance(page, SettingsPage)
    real.until(lambda: page.showing_body)
    real.until(lambda: page.showing_body and "service.port" in page.lines)
    port = page.lines["service.port"].editor
    assert isinstance(port, PortEdit)
    editor, wanted = port.field, free_port()
    editor.setText(str(wanted))
    editor.setModified(True)
    editor.editingFinished.emit()
    real.until(lambda: read(paths.settings).service.port == wanted)
    # The port that was set is free: the service is there by itself.
    real.until(lambda: real.desktop.state.phase is Phase.LIVE)


@dataclass
class Clocked:
    now_s: float = 0.0
    children: list[FakeChild] = field(default_factory=list)

    def spawn(self, place: Place) -> FakeChild:
        error = f'{{"error": {{"title": "{AddressInUse.title}", "detail": "d", "hint": "h"}}}}'
        place.service_error_file.write_text(error)
        self.children.append(FakeChild(code=1))
        return self.children[-1]


def test_it_is_started_when_the_port_is_free_again_and_not_before(
    qapp: QApplication, paths: Paths, taken: socket.socket
) -> None:
    world = Clocked()
    place = place_of(paths, running=lambda: False)
    paths.logs.mkdir(exist_ok=True)
    process = ServiceProcess(place, spawn=world.spawn, monotonic=lambda: world.now_s)
    process.start()
    process.check_service()
    assert process.state is ServiceState.PORT_TAKEN
    for _ in range(20):
        world.now_s += 60
        process.check_service()
    assert len(world.children) == 1
    taken.close()
    world.now_s += 60
    process.check_service()
    assert len(world.children) == 2


def test_the_next_free_port_is_found(taken: socket.socket) -> None:
    port = taken.getsockname()[1]
    assert not is_free("127.0.0.1", port)
    found = next_free_port("127.0.0.1", port)
    assert found == 0 or is_free("127.0.0.1", found)
    assert next_free_port("127.0.0.1", 65_535) == 0


def test_the_settings_file_is_left_to_a_service_that_runs(paths: Paths) -> None:
    lock = ServiceLock(paths.lock)
    lock.take(discovery=paths.discovery)
    try:
        wanted = {"key": "service.port", "value": "1234"}
        with pytest.raises(Busy):
            place_at(paths).service.settings(wanted)
    finally:
        lock.release()
    assert place_at(paths).service.settings(wanted)["value"] == 1234
    assert address_of(place_at(paths)) == ("127.0.0.1", 1234)
