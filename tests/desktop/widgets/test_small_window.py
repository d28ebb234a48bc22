"""Tests of every page in a window of 900 by 600, and with texts of twice the usual size.

Nothing is cut off, and what does not fit is scrolled to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QComboBox, QRadioButton
from pytestqt.qtbot import QtBot

from lull.config.paths import Paths
from lull.desktop.language.language_choice import ENGLISH, apply_language
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.pages.settings.wipe_dialog import WipeDialog
from lull.desktop.pages.skills.page import SkillsPage
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.page import Page, PageName
from lull.desktop.widgets.style import TEXT_SIZE
from lull.desktop.widgets.wrapped_check import WrappedCheck, WrappedRadio
from tests.desktop.conftest import Shown, live
from tests.desktop.played.week import play, skills
from tests.desktop.real_service import desktop_with_service
from tests.desktop.scripted import Scripted
from tests.desktop.small import cut_off, cut_off_at_rest
from tests.desktop.widgets.dialogs import asked
from tests.running import nobodys_port

SMALL = QSize(900, 600)
SKILL = skills()[0]


@pytest.fixture(params=[ENGLISH, "de"])
def spoken(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[None]:
    """Each language of the window, one after the other."""
    apply_language(qapp, request.param)
    yield
    apply_language(qapp, ENGLISH)


@pytest.fixture
def small(scripted: Scripted, home: Path, show: Callable[..., Shown]) -> Shown:
    """A small window in front of a week in which much has happened."""
    play(scripted, home / "logs")
    shown = live(show(home))
    shown.desktop.window.resize(SMALL)
    return shown


def whole(shown: Shown, name: PageName) -> list[str]:
    """Return what is cut off on a page once it has come to rest."""
    page = shown.go(name)
    if name is PageName.LOGS:
        page.look.click()  # type: ignore[attr-defined]
    shown.until(lambda: not shown.desktop.client.busy and page.showing_body)
    unfold(page)
    found = cut_off_at_rest(shown.desktop.window, shown.bot.wait)
    assert shown.desktop.window.size() == SMALL
    return found


def unfold(page: Page) -> None:
    if isinstance(page, SettingsPage) and page.advanced.body.isHidden():
        page.advanced.fold.click()


@pytest.mark.usefixtures("spoken")
@pytest.mark.parametrize("name", PageName)
def test_nothing_is_cut_off_in_a_small_window(small: Shown, name: PageName) -> None:
    assert whole(small, name) == []
    read_whole(small, name)


def read_whole(shown: Shown, name: PageName) -> None:
    """Wait until every choice on a page is read whole."""
    choices = shown.go(name).findChildren(Choice)
    shown.until(lambda: shortened(choices) == [])


def shortened(choices: Sequence[Choice]) -> list[str]:
    """Return the choices that are drawn with "…"."""
    return [
        one.currentText()
        for one in choices
        if one.isVisible() and one.drawn_text != one.currentText()
    ]


@pytest.mark.full
@pytest.mark.usefixtures("spoken")
def test_nothing_is_cut_off_with_text_of_twice_the_size(small: Shown) -> None:
    settings = small.go(PageName.SETTINGS)
    assert isinstance(settings, SettingsPage)
    small.until(lambda: settings.showing_body)
    before = settings.fontMetrics().height()
    choose(settings.window_card.text_size, 200)
    assert small.desktop.preferences.value(TEXT_SIZE, 100, type=int) == 200
    assert settings.fontMetrics().height() > 1.8 * before
    assert {name: found for name in PageName if (found := whole(small, name))} == {}
    for name in (PageName.REVIEW, PageName.CONVERSATIONS):
        read_whole(small, name)
    choose(settings.window_card.text_size, 100)
    assert settings.fontMetrics().height() == before


def choose(box: QComboBox, value: object) -> None:
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def too_large(shown: Shown) -> dict[str, list[str]]:
    """Return, by dialog, what cannot be seen of it on a screen of that size."""
    found = {}
    for dialog in asked(shown):
        least = dialog.minimumSizeHint()
        dialog.resize(dialog.sizeHint().boundedTo(SMALL).expandedTo(least.boundedTo(SMALL)))
        wrong = cut_off_at_rest(dialog, shown.bot.wait)
        if dialog.width() > SMALL.width() or dialog.height() > SMALL.height():
            wrong.append(f"needs {dialog.size().toTuple()}")
        if wrong:
            found[type(dialog).__name__] = wrong
        dialog.close()
    # Who still waits for an answer holds its dialog, of which nothing else is left.
    shown.until(lambda: not shown.desktop.client.busy)
    return found


@pytest.mark.full
@pytest.mark.usefixtures("spoken")
@pytest.mark.parametrize("percent", [100, 200])
def test_every_dialog_fits_on_a_small_screen(small: Shown, percent: int) -> None:
    settings = small.go(PageName.SETTINGS)
    assert isinstance(settings, SettingsPage)
    small.until(lambda: settings.showing_body)
    choose(settings.window_card.text_size, percent)
    assert too_large(small) == {}
    choose(settings.window_card.text_size, 100)


def test_the_text_of_a_skill_is_in_view_in_a_small_window(small: Shown) -> None:
    page = small.go(PageName.SKILLS)
    assert isinstance(page, SkillsPage)
    small.until(lambda: page.showing_body and bool(page.view.text.toPlainText()))
    measured = {"by": "replay", "pairs": 0, "better": 0, "worse": 0, "share": 0.05}
    page.view.show_skill({**SKILL, "measured": measured})
    area = page.view.parentWidget()
    assert area is not None

    def seen() -> bool:
        text = page.view.text
        bottom = text.mapTo(area, text.rect().bottomLeft()).y()
        return not text.visibleRegion().isEmpty() and bottom <= area.height()

    small.until(seen)


@pytest.fixture
def empty(
    qapp: QApplication, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shown]:
    """A window in front of a real service of an empty home."""
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{nobodys_port()}")
    paths = Paths.from_environment({}, "linux", home=str(home))
    paths.prepare()
    paths.settings.write_text("[service]\nport = 0\n")
    with desktop_with_service(qapp, qtbot, paths) as shown:
        yield live(shown)


@pytest.mark.full
@pytest.mark.parametrize("language", [ENGLISH, "de"])
@pytest.mark.parametrize("home_of", ["empty", "small"])
def test_no_page_scrolls_sideways_with_text_of_twice_the_size(
    qapp: QApplication, request: pytest.FixtureRequest, language: str, home_of: str
) -> None:
    apply_language(qapp, language)
    try:
        shown = request.getfixturevalue(home_of)
        shown.desktop.window.resize(SMALL)
        settings = shown.go(PageName.SETTINGS)
        assert isinstance(settings, SettingsPage)
        shown.until(lambda: settings.showing_body)
        choose(settings.window_card.text_size, 200)
        assert {name: found for name in PageName if (found := sideways(shown, name))} == {}
        choose(settings.window_card.text_size, 100)
    finally:
        apply_language(qapp, ENGLISH)


def sideways(shown: Shown, name: PageName) -> list[str]:
    """Return which parts of a page scroll sideways once it has come to rest."""
    page = shown.go(name)
    shown.until(lambda: not shown.desktop.client.busy)
    unfold(page)
    shown.draw(page)
    found: list[str] = []
    for _ in range(100):  # a layout within a layout comes to rest round by round
        found = [one for one in cut_off(shown.desktop.window) if "scrolls sideways" in one]
        if not found:
            break
        shown.bot.wait(20)
    return found


@pytest.mark.parametrize("made", [WrappedCheck, WrappedRadio])
def test_a_mark_wraps_its_words_and_keeps_its_name_and_its_key(
    made: type[WrappedCheck | WrappedRadio], qtbot: QtBot
) -> None:
    words = "&Show me a message about each problem that I need to fix"
    box = made(words)
    qtbot.addWidget(box)
    one_line = box.sizeHint()
    assert box.minimumSizeHint().width() < one_line.width() / 2
    assert box.heightForWidth(one_line.width()) == one_line.height()
    assert box.heightForWidth(one_line.width() // 2) > 1.5 * one_line.height()
    assert box.accessibleName() == words.removeprefix("&")
    assert box.shortcut().toString() == "Alt+S"


@pytest.mark.parametrize("language", [ENGLISH, "de"])
def test_the_choices_of_what_to_delete_are_read_whole(
    scripted: Scripted, home: Path, qapp: QApplication, show: Callable[..., Shown], language: str
) -> None:
    apply_language(qapp, language)
    try:
        shown = live(show(home))
        shown.desktop.look.size_text(200)
        dialog = WipeDialog(shown.desktop.kit, shown.go(PageName.SETTINGS))
        dialog.show()
        dialog.resize(500, 900)
        assert cut_off_at_rest(dialog, shown.bot.wait) == []
        choices = dialog.findChildren(QRadioButton)
        assert [one.height() > one.sizeHint().height() for one in choices].count(True) >= 2
        dialog.close()
    finally:
        apply_language(qapp, ENGLISH)
