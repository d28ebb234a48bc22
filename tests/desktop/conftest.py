"""Fixtures of the whole desktop, offscreen, in front of a control API.

The API is Lull's own over a real store (`desk`), or one that gives the answers that a test writes
down (`scripted`). No service process is started.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QLocale, QObject, Qt
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from lull.config.paths import Paths
from lull.desktop.language.catalogue import Catalogue, read_catalogue
from lull.desktop.language.language_choice import ENGLISH
from lull.desktop.language.words import set_language
from lull.desktop.main import Desktop
from lull.desktop.service.place import Place
from lull.desktop.widgets.page import Page, PageName
from lull.desktop.widgets.tokens import LIGHT
from lull.resources import languages_dir, starter_skills_dir
from tests.desk import Desk
from tests.desktop.scripted import Scripted, status
from tests.desktop.tray.fake_tray import FakeTray
from tests.desktop.waiting import in_vain
from tests.doubles.scripted_service import ScriptedService
from tests.plugins.in_memory import MEMORY, PREFIX

HERE = Path(__file__).parent
WAIT_MS = 900_000
"""Time limit of waits for other processes: a loaded machine is slow, not broken."""
UNTIL_S = 120.0
"""Time limit of waits for the window itself, which needs a few milliseconds for most things."""
SHOWING = frozenset({"show", "desk", "scripted"})


@pytest.hookimpl(tryfirst=True)  # before the mark is asked for
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that show a window as slow: they take longer than `make quick` has."""
    for item in items:
        shows = SHOWING.intersection(getattr(item, "fixturenames", ()))
        if item.path.is_relative_to(HERE) and shows:
            item.add_marker(pytest.mark.slow)


@cache
def english() -> Catalogue:
    return read_catalogue(languages_dir() / f"{ENGLISH}.po")


@pytest.fixture(autouse=True)
def window_speaks_english() -> None:
    """Set the window's language to English before each test."""
    set_language(english(), QLocale(QLocale.Language.English))


@pytest.fixture(autouse=True)
def no_garbage_in_other_threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """Free a window's reference cycles in the window's own thread, before the next test."""
    if "qapp" not in request.fixturenames:
        yield
        return
    gc.disable()
    yield
    gc.collect()
    # What is left stays: the collection after the next test need not look through all modules.
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def no_key_held(request: pytest.FixtureRequest) -> Iterator[None]:
    """Release the Ctrl that a test's last key was pressed with.

    Qt takes it for held until the next key, and what the next test selects would be added to what
    is selected.
    """
    yield
    if "qapp" in request.fixturenames and QApplication.keyboardModifiers().value:
        QTest.keyClick(QWindow(), Qt.Key.Key_Escape)
        assert not QApplication.keyboardModifiers().value


class Drawings(QObject):
    """Counts how often a widget is drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() == QEvent.Type.Paint
        return False


class Shown:
    """An open desktop, and what a test does with it."""

    def __init__(
        self, desktop: Desktop, tray: FakeTray, bot: QtBot, *, patience_s: float = UNTIL_S
    ) -> None:
        """`patience_s` is how long `until` waits; longer in front of a real service."""
        self.desktop, self.tray, self.bot = desktop, tray, bot
        self.patience_s = patience_s
        self.told: list[str] = []
        desktop.state.told.connect(lambda told: self.told.append(told.text))

    def until(self, holds: Callable[[], object]) -> None:
        """Let the window go on until this holds. A window takes a few milliseconds for most things,
        fewer than Qt's own wait rests between two looks.
        """
        began = time.monotonic()
        while True:
            missing = None
            try:
                if holds():
                    return
            except AssertionError as error:
                missing = error
            waited_s = time.monotonic() - began
            if waited_s > self.patience_s:
                raise AssertionError(in_vain(holds, waited_s, self.desktop.window)) from missing
            self.bot.wait(min(10, 1 + int(waited_s * 100)))

    def draw(self, widget: QWidget, times: int = 3) -> None:
        """Let the window do all that it does without an answer and without a timer's end: Qt lays
        out what changed before it draws a widget, and is asked to draw this one several times.
        """
        drawings = Drawings()
        widget.installEventFilter(drawings)
        for number in range(1, times + 1):
            widget.update()
            self.until(lambda wanted=number: drawings.count >= wanted)  # type: ignore[misc]
        widget.removeEventFilter(drawings)

    def go(self, name: PageName) -> Page:
        """Go to a page; return it when it is visible and reads anew what it shows."""
        self.desktop.window.go(name)
        page = self.desktop.window.page(name)
        self.until(page.isVisible)
        # What the window read at its start may be from before the test wrote its script.
        self.desktop.state.touch(*page.subjects)
        return page

    def activate(self) -> None:
        """Make the window active: typed letters and focus need a window that has the keyboard."""
        with self.bot.waitActive(self.desktop.window, timeout=WAIT_MS):
            self.desktop.window.activateWindow()


class OneProcess:
    """A stand-in for the service's process, never started; `Place` says whether one runs."""

    def poll(self) -> int | None:
        return None

    def terminate(self) -> None:
        raise AssertionError("nothing was started")


def place_of(paths: Paths, running: Callable[[], bool]) -> Place:
    return Place(
        home=paths.home,
        window_socket=paths.control_socket.with_name("window.sock"),
        logs=paths.logs,
        keychain_service=paths.keychain_service,
        starter_skills=starter_skills_dir(),
        service=ScriptedService(paths, ("lull", "serve"), running),
    )


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    # A socket's path is short, and pytest's folders are not, nor is everybody's TMPDIR. Pages show
    # it, too, and must have room for it.
    in_memory = tmp_path_factory.getbasetemp().is_relative_to(MEMORY)
    short = MEMORY if in_memory else Path("/tmp") if os.name == "posix" else None
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-", dir=short) as folder:
        yield Path(folder) / "home"


@pytest.fixture
def show(qapp: QApplication, qtbot: QtBot) -> Iterator[Callable[..., Shown]]:
    """Open a desktop in front of the control API of a home."""
    opened: list[Desktop] = []

    def begin(
        home: Path, *, tray: bool = True, hidden: bool = False, played: bool = False
    ) -> Shown:
        paths = Paths.from_environment(os.environ, "linux", home=str(home))
        paths.prepare()
        fake = FakeTray(there=tray)
        place = replace(place_of(paths, running=lambda: True), played=played)
        desktop = Desktop(qapp, place, backend=fake, theme=LIGHT, spawn=lambda _: OneProcess())
        opened.append(desktop)
        shown = Shown(desktop, fake, qtbot)
        desktop.begin(hidden=hidden, tray_within_ms=0)
        return shown

    yield begin
    for desktop in opened:
        desktop.end()
        desktop.window.deleteLater()
    qapp.processEvents()
    # Outside an event loop nothing else deletes a window, and the next test's style sheet would be
    # laid on all of its widgets.
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Lull's own control API over a real store, without models."""
    made = Desk(home)
    made.reported.document = status()
    with made.open() as desk:
        yield desk


@pytest.fixture
def scripted(home: Path) -> Iterator[Scripted]:
    paths = Paths.from_environment(os.environ, "linux", home=str(home))
    with Scripted(paths.control_socket).open() as made:
        yield made


@pytest.fixture
def on_desk(desk: Desk, home: Path, show: Callable[..., Shown]) -> Shown:
    return live(show(home))


@pytest.fixture
def on_script(scripted: Scripted, home: Path, show: Callable[..., Shown]) -> Shown:
    return live(show(home))


def live(shown: Shown) -> Shown:
    from lull.desktop.service.state import Phase

    shown.until(lambda: shown.desktop.state.phase is Phase.LIVE)
    return shown
