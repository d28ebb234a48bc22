"""Tests of the window: pages open by key, closing hides it, Quit ends it, trouble is shown."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from lull.contract import routes
from lull.desktop.pages import making
from lull.desktop.running.page_loading import MODULES, PageLoading
from lull.desktop.running.quitting import KEEP, QUIT, QuitDialog
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.service_process import ServiceProcess
from lull.desktop.service.state import OutcomeMessage, Phase, Subject
from lull.desktop.widgets.icons import pixmap
from lull.desktop.widgets.page import Kit, Page, PageName
from lull.desktop.widgets.parts import Banner
from lull.desktop.window import shortcuts
from tests.desktop.conftest import Shown, live
from tests.desktop.scripted import Scripted

CTRL = Qt.KeyboardModifier.ControlModifier


def test_ctrl_and_a_digit_open_each_page(on_script: Shown) -> None:
    window = on_script.desktop.window
    on_script.activate()
    for number, name in enumerate(PageName, start=1):
        on_script.bot.keyClick(window, str(number % 10), CTRL)
        assert window.page() is window.page(name)
        assert window.page(name).isVisible()


def test_the_status_line_does_not_repeat_what_today_says(on_script: Shown) -> None:
    window, page = on_script.desktop.window, on_script.go(PageName.TODAY)
    says = on_script.desktop.tray.status.text
    on_script.until(lambda: page.showing_body and says() != "")
    on_script.until(lambda: window._line.text() == "")
    on_script.go(PageName.SKILLS)
    assert window._line.text() == page.line.text() == says()  # type: ignore[attr-defined]
    on_script.go(PageName.TODAY)
    assert window._line.text() == ""


def test_ctrl_comma_opens_the_settings_and_ctrl_f_the_search(on_script: Shown) -> None:
    window = on_script.desktop.window
    on_script.activate()
    on_script.bot.keyClick(window, Qt.Key.Key_Comma, CTRL)
    page = window.page(PageName.SETTINGS)
    assert window.page() is page
    on_script.until(lambda: page.showing_body)
    on_script.activate()
    on_script.bot.keyClick(window, "f", CTRL)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Search settings"


def test_closing_hides_and_a_click_brings_it_back(on_script: Shown) -> None:
    window = on_script.desktop.window
    on_script.activate()
    on_script.bot.keyClick(window, "w", CTRL)
    assert not window.isVisible()
    assert not on_script.tray.ended
    on_script.tray.click()
    assert window.isVisible()


def asked(shown: Shown) -> QuitDialog:
    shown.until(lambda: shown.desktop.window.findChild(QuitDialog) is not None)
    found = shown.desktop.window.findChild(QuitDialog)
    assert found is not None
    return found


def test_without_a_tray_closing_asks_and_keeps_lull_running(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    shown = live(show(home, tray=False))
    window = shown.desktop.window
    window.close()
    assert window.isVisible() and not shown.tray.ended
    asked(shown).keep_it.click()
    assert not window.isVisible() and not shown.tray.ended
    assert [path for method, path, _ in scripted.asked if method == "POST"] == []
    window.raise_up()  # as a second start does
    assert window.isVisible()


def test_without_a_tray_closing_can_quit_and_need_not_ask_twice(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    shown = live(show(home, tray=False))
    window = shown.desktop.window
    window.close()
    asked(shown).always.setChecked(True)
    asked(shown).keep_it.click()
    shown.until(lambda: window.findChild(QuitDialog) is None)
    window.raise_up()
    window.close()
    assert not window.isVisible()
    shown.desktop.preferences.setValue(KEEP, False)
    window.raise_up()
    window.close()
    asked(shown).quit_it.click()
    assert shown.tray.ended


@pytest.mark.parametrize("ours", [True, False])
def test_quit_and_closing_without_a_tray_say_the_same(
    scripted: Scripted,
    home: Path,
    show: Callable[..., Shown],
    monkeypatch: pytest.MonkeyPatch,
    ours: bool,
) -> None:
    monkeypatch.setattr(ServiceProcess, "stops_with_window", property(lambda _: ours))
    shown = live(show(home, tray=False))
    window = shown.desktop.window
    shown.activate()
    said = []
    for ask in (lambda: shown.bot.keyClick(window, "q", CTRL), window.close):
        ask()
        dialog = asked(shown)
        said.append((dialog.windowTitle(), dialog.words.text()))
        assert not shown.tray.ended and window.isVisible()
        dialog.reject()
        shown.until(lambda: window.findChild(QuitDialog) is None)
    assert said[0] == said[1]
    stops = "no answers until you start Lull again" in said[0][1]
    assert stops is ours


def test_quit_need_not_ask_twice_where_the_service_goes_on(on_script: Shown) -> None:
    on_script.desktop.ask_to_quit()
    dialog = asked(on_script)
    dialog.always.setChecked(True)
    dialog.quit_it.click()
    assert on_script.tray.ended
    assert on_script.desktop.preferences.value(QUIT, False, type=bool)


def test_quit_ends_it_and_leaves_a_service_that_it_found(
    on_script: Shown, scripted: Scripted
) -> None:
    window = on_script.desktop.window
    on_script.activate()
    on_script.bot.keyClick(window, "q", CTRL)
    assert not on_script.tray.ended
    dialog = asked(on_script)
    assert "apps that use it still get their answers" in dialog.words.text()
    dialog.quit_it.click()
    assert on_script.tray.ended
    assert not window.isVisible()
    assert [path for method, path, _ in scripted.asked if method == "POST"] == []


def test_the_question_mark_shows_every_key(on_script: Shown) -> None:
    window = on_script.desktop.window
    on_script.activate()
    on_script.bot.keyClick(window, "?", Qt.KeyboardModifier.ShiftModifier)
    overlays = [one for one in window.findChildren(QDialog) if one.isVisible()]
    assert len(overlays) == 1
    overlays[0].close()


def test_a_service_that_is_gone_is_said_over_every_page(
    on_script: Shown, scripted: Scripted
) -> None:
    window = on_script.desktop.window
    assert window.banner.text == ""
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    assert window.banner.text
    process = on_script.desktop.process
    process.state, process.why = ServiceState.GIVEN_UP, {"detail": "The disk is full."}
    process.changed.emit()
    assert "The disk is full" in window.banner.text
    scripted.up()
    on_script.until(lambda: window.banner.text == "")


def test_a_demo_says_so_in_its_title_and_on_every_page(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    window = show(home, played=True).desktop.window
    for page in PageName:
        window.go(page)
        assert window.windowTitle().startswith("Lull (demo): ")
        told = [one.text for one in window.findChildren(Banner) if one.isVisible()]
        (demo,) = [text for text in told if text.startswith("This is a demo")]
        assert "answers and the tests of skills are real" in demo and "results" not in demo, page


@pytest.mark.parametrize("page", [PageName.LEARNING, PageName.SCHEDULE, PageName.SETTINGS])
def test_a_page_that_was_never_read_says_that_the_service_is_gone(
    scripted: Scripted, home: Path, show: Callable[..., Shown], page: PageName
) -> None:
    # Else they may be read at once, for notifications or for the digest on Today.
    scripted.dropping |= {routes.TRAIN, routes.WINDOWS, routes.CALENDARS, routes.SETTINGS}
    on_script = live(show(home))
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    shown = on_script.go(page)
    assert not shown.showing_body
    assert shown.nothing.head.text() == "Connecting to the service…"
    scripted.dropping.clear()
    scripted.up()
    # It shows what it has read, or says that it reads.
    on_script.until(
        lambda: shown.showing_body or shown.nothing.head.text() != "Connecting to the service…"
    )


def test_a_page_before_the_first_answer_says_that_it_loads(
    home: Path, show: Callable[..., Shown]
) -> None:
    shown = show(home)
    page = shown.desktop.window.page(PageName.TODAY)
    assert page.nothing.head.text() in ("Loading…", "Connecting to the service…")
    assert not page.showing_body


def test_a_service_that_starts_is_not_said_to_be_stopped(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    scripted.dropping |= {routes.TRAIN}
    on_script = live(show(home))
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    page = on_script.go(PageName.LEARNING)
    process = on_script.desktop.process
    process.state = ServiceState.STARTING
    process.changed.emit()
    said = [one.text() for one in on_script.desktop.window.findChildren(QLabel) if one.isVisible()]
    assert page.nothing.head.text() == "The service is starting…"
    assert "Starting…" in said
    assert not any("stopped" in words or "not running" in words for words in said)
    process.state = ServiceState.GIVEN_UP
    process.changed.emit()
    assert page.nothing.head.text() == "The service is not running"
    offered = [one.text() for one in page.nothing.findChildren(QPushButton) if one.isVisible()]
    assert offered == ["Start the service"]


def test_while_the_port_is_taken_no_button_promises_a_start(
    scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    scripted.dropping |= {routes.TRAIN}
    on_script = live(show(home))
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    page = on_script.go(PageName.LEARNING)
    process = on_script.desktop.process
    process.state = ServiceState.PORT_TAKEN
    process.changed.emit()
    assert page.nothing.head.text() == "The service is not running"
    assert not [one for one in page.nothing.findChildren(QPushButton) if one.isVisible()]


@pytest.mark.parametrize("stands", ServiceState)
def test_banner_page_status_and_tray_say_the_same_of_a_service_that_is_gone(
    scripted: Scripted, home: Path, show: Callable[..., Shown], stands: ServiceState
) -> None:
    scripted.dropping |= {routes.TRAIN}
    on_script = live(show(home))
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    page = on_script.go(PageName.LEARNING)
    process, window = on_script.desktop.process, on_script.desktop.window
    process.state, process.why = stands, {"detail": "it ended unexpectedly"}
    process.changed.emit()
    on_script.desktop.tray.refresh()
    down = process.down_words
    said = [window.banner.text, page.nothing.head.text(), window._line.text()]
    assert said == [down.banner, down.head, down.line]
    assert on_script.desktop.tray.status.text() == down.line
    for word in ("starting", "onnecting", "not running|stopp|can't answer"):
        found = [re.search(word, one, re.IGNORECASE) is not None for one in said]
        assert len(set(found)) == 1, said


def test_what_was_done_is_told_and_can_be_undone(on_script: Shown) -> None:
    undone: list[bool] = []
    told = OutcomeMessage(text="Approved: menu-style", undo=lambda: undone.append(True))
    window = on_script.desktop.window
    on_script.until(lambda: window.page().height() > 100)
    QApplication.processEvents()
    before = (window.page().geometry(), window._stack.geometry())
    on_script.desktop.state.told.emit(told)
    QApplication.processEvents()
    note = on_script.desktop.window.note
    assert note.isVisible()
    assert note.words.text() == "Approved: menu-style"
    # What stands on the page stays free for the next click.
    page = on_script.desktop.window.page()
    assert (page.geometry(), window._stack.geometry()) == before
    assert page.mapTo(window, page.rect().bottomLeft()).y() < note.mapTo(window, QPoint()).y()
    assert note.mapTo(window, note.rect().bottomLeft()).y() <= window.height()
    note.undo.click()
    assert undone == [True]
    assert not note.isVisible()


def test_a_press_does_not_do_what_a_new_outcome_offers(on_script: Shown) -> None:
    did: list[str] = []
    told, note = on_script.desktop.state.told, on_script.desktop.window.note
    told.emit(OutcomeMessage(text="Choose.", undo=lambda: did.append("first"), button="Restart"))
    on_script.bot.mousePress(note.undo, Qt.MouseButton.LeftButton)
    told.emit(OutcomeMessage(text="Set.", undo=lambda: did.append("second")))
    on_script.bot.mouseRelease(note.undo, Qt.MouseButton.LeftButton)
    assert did == [] and note.isVisible()


def test_a_long_outcome_stays_within_the_window_as_it_gets_narrower(on_script: Shown) -> None:
    window, said = on_script.desktop.window, "The skill was not approved, since it is gone. " * 6
    on_script.desktop.state.told.emit(OutcomeMessage(text=said, good=False))
    for width in (1200, 800):
        window.resize(width, 640)
        QApplication.processEvents()
        note = window.note
        left = note.mapTo(window, QPoint()).x()
        assert left >= 0 and left + note.width() <= window.width()
        assert note.words.height() >= note.words.heightForWidth(note.words.width())


def test_every_letter_of_review_and_of_comparing_is_in_the_list_of_keys() -> None:
    keys = {one for line, _ in shortcuts() for one in line.split(", ")}
    assert set("ARECDTJKBSN") <= keys


def test_one_page_alone_is_marked_also_where_the_keyboard_is(on_script: Shown) -> None:
    window = on_script.desktop.window
    on_script.activate()
    window._buttons[PageName.TODAY].setFocus()
    on_script.bot.keyClick(window, "2", Qt.KeyboardModifier.ControlModifier)
    on_script.until(window._buttons[PageName.REVIEW].hasFocus)


def test_the_size_is_remembered(scripted: Scripted, home: Path, show: Callable[..., Shown]) -> None:
    first = live(show(home))
    first.desktop.window.resize(900, 600)
    first.desktop.end()
    second = live(show(home))
    assert (second.desktop.window.width(), second.desktop.window.height()) == (900, 600)


def test_a_status_that_does_not_fit_ends_in_dots_and_is_whole_in_the_tooltip(
    on_script: Shown,
) -> None:
    line = on_script.desktop.window._line
    words = "Service stopped: " + "port 11435 is used by another program " * 12
    line.setText(words)
    assert line.toolTip() == words
    assert line.drawn_text.endswith("…") and len(line.drawn_text) < len(words)


def test_icons_are_drawn_as_sharp_as_the_screen_is(on_script: Shown) -> None:
    drawn = pixmap("good", "#112233", 14, ratio=2.0)
    assert (drawn.width(), drawn.devicePixelRatio()) == (28, 2.0)


@pytest.mark.parametrize("page", list(PageName))
def test_a_page_that_is_opened_by_key_puts_the_focus_where_no_key_does_harm(
    on_script: Shown, page: PageName
) -> None:
    window = on_script.desktop.window
    on_script.activate()
    window.page(PageName.TODAY).setFocus()
    number = (list(PageName).index(page) + 1) % 10  # the tenth page has 0
    on_script.bot.keyClick(window, str(number), CTRL)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert not isinstance(focused, (QAbstractButton, QLineEdit, QComboBox))
    assert window.page(page) is focused or window.page(page).isAncestorOf(focused)


def test_the_pages_load_neither_a_library_for_charts_nor_the_patterns_of_secrets() -> None:
    """A library for charts took a third of the window's memory; the patterns, which only the
    diagnostics need, made Settings open late.
    """
    pages = ("learning", "settings", "chat", "review", "skills", "schedule", "today")
    names = ", ".join(f"lull.desktop.pages.{name}.page" for name in pages)
    code = f"import sys, lull.desktop.main, lull.desktop.pages.logs, {names}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "lull.desktop.pages.settings.page" in loaded
    unwanted = {"numpy", "pyqtgraph", "PySide6.QtOpenGL", "PySide6.QtTest"}
    assert not loaded & {*unwanted, "lull.core.secrets.finding"}


def test_the_pages_are_made_in_steps_while_the_window_is_shown(qtbot: QtBot) -> None:
    assert set(MODULES) == set(making()) - {PageName.TODAY}  # Today is there from the start
    window, made = QWidget(), dict[PageName, list[QWidget]]()
    qtbot.addWidget(window)

    def make(name: PageName) -> QWidget:
        made.setdefault(name, []).append(QWidget(window))
        return made[name][-1]

    loading = PageLoading(window, make)
    assert not loading._timer.isActive()
    window.show()
    assert loading._timer.isActive()
    loading._timer.setInterval(0)
    qtbot.waitUntil(lambda: not loading._timer.isActive(), timeout=120_000)
    assert {f"lull.desktop.pages.{name}" for name in MODULES.values()} <= set(sys.modules)
    assert list(made) == list(MODULES)


def test_a_page_that_is_opened_was_made_before(on_script: Shown) -> None:
    window, loading = on_script.desktop.window, on_script.desktop._loading
    loading._timer.setInterval(0)
    on_script.until(lambda: not loading._timer.isActive())
    before = {name: window._pages[name] for name in PageName}
    assert len(before) == len(making())
    assert window.page() is before[PageName.TODAY]  # what is shown stays
    assert all(not before[name].isVisible() for name in MODULES)
    for name in PageName:
        assert on_script.go(name) is before[name]


class Drawn(Page):
    """A page that keeps whether its contents were seen while they were drawn."""

    subjects = (Subject.SETTINGS,)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, "Drawn")
        self.seen: list[bool] = []

    def show_content(self) -> None:
        self.seen.append(self.showing_body)


def test_a_page_that_waits_for_its_data_is_drawn_before_it_is_shown(on_script: Shown) -> None:
    window = on_script.desktop.window
    page = Drawn(on_script.desktop.kit)
    window._stack.addWidget(page)
    window._stack.setCurrentWidget(page)
    assert page.seen == [] and page.nothing.head.text() == "Loading…"
    on_script.until(lambda: page.showing_body)
    assert page.seen[:2] == [False, True]
