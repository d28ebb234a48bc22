"""Tests of what is in view without scrolling, with texts of twice the size in a small window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from lull.contract import routes
from lull.desktop.pages.chat.talk import ChatPage
from lull.desktop.pages.learning.page import LearningPage
from lull.desktop.pages.learning.reading import axis_titles
from lull.desktop.pages.logs import LogsPage
from lull.desktop.pages.review.page import ReviewPage
from lull.desktop.pages.skills.page import SkillsPage
from lull.desktop.widgets.chart.plot import PlotFrame
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.parts import KEY_GAP
from lull.desktop.widgets.small_table import fill, small_table
from tests.desktop.conftest import Shown, live
from tests.desktop.played.week import play
from tests.desktop.scripted import Scripted
from tests.desktop.widgets.test_small_window import SMALL, spoken

__all__ = ["spoken"]
SMALLER = 0.9
"""How large the texts of a chart are, held against all others."""


@pytest.fixture
def played(scripted: Scripted, home: Path, show: Callable[..., Shown]) -> Shown:
    """A window in front of a week in which much has happened."""
    play(scripted, home / "logs")
    return live(show(home))


@pytest.fixture
def large(played: Shown) -> Iterator[Shown]:
    """That window, small and with large texts."""
    played.desktop.window.resize(SMALL)
    played.desktop.look.size_text(200)
    yield played
    played.desktop.look.size_text(100)


def seen_whole(widget: QWidget) -> bool:
    """Whether all of a widget is drawn: nothing of it lies beyond what scrolls around it."""
    return widget.visibleRegion().boundingRect() == widget.rect()


def at(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())


@pytest.mark.usefixtures("spoken")
def test_what_one_decides_with_leaves_half_the_page_to_what_is_decided(large: Shown) -> None:
    page = large.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    large.until(lambda: page.showing_body and page.approve.isEnabled())
    buttons = (page.approve, page.reject, page.edit, page.defer, page.try_it)
    large.until(lambda: len({at(one).top() for one in buttons}) <= 2)
    assert not any(KEY_GAP in one.text() for one in buttons)
    large.desktop.look.size_text(100)
    large.until(lambda: all(KEY_GAP in one.text() for one in buttons))


@pytest.mark.usefixtures("spoken")
def test_one_decides_and_sees_what_on_without_scrolling(large: Shown) -> None:
    page = large.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    large.until(lambda: page.showing_body and page.approve.isEnabled())
    for one in (page.approve, page.reject, page.edit, page.defer, page.try_it):
        large.until(lambda one=one: seen_whole(one))  # type: ignore[misc]
    large.until(lambda: seen_whole(page.view.name))
    bars = (page.view.text.verticalScrollBar(), page.view.text.horizontalScrollBar())
    assert [bar.maximum() for bar in bars] == [0, 0], "nothing scrolls within what scrolls"


@pytest.mark.usefixtures("spoken")
def test_where_one_writes_is_in_view(large: Shown) -> None:
    page = large.go(PageName.CHAT)
    assert isinstance(page, ChatPage)
    large.until(lambda: page.showing_body and seen_whole(page.text) and seen_whole(page.send))


def test_the_lines_of_the_log_grow_with_all_other_texts(played: Shown) -> None:
    page = played.go(PageName.LOGS)
    assert isinstance(page, LogsPage)
    before = page.text.font().pointSizeF()
    played.desktop.look.size_text(200)
    assert page.text.font().pointSizeF() == pytest.approx(2 * before)
    played.desktop.look.size_text(100)
    assert page.text.font().pointSizeF() == pytest.approx(before)


def test_the_list_of_pages_leaves_the_window_to_the_page(large: Shown) -> None:
    window = large.desktop.window
    side = window.findChild(QWidget, "side")
    assert side is not None
    large.until(lambda: side.width() < window.width() / 5)
    entries = [one for one in side.findChildren(QAbstractButton) if one.toolTip()]
    assert [one.toolTip() for one in entries] == [one.accessibleName() for one in entries]
    assert len(entries) == len(PageName)
    assert [one.text() for one in entries if one.text()] == ["3"], "what waits is still told"
    large.desktop.look.size_text(100)
    large.until(lambda: [one.text() for one in entries][:2] == ["Today", "Review  (3)"])


def test_the_tabs_of_a_suggestion_are_in_view_whichever_it_is(played: Shown) -> None:
    played.desktop.window.resize(1120, 740)
    page = played.go(PageName.REVIEW)
    assert isinstance(page, ReviewPage)
    played.until(lambda: page.showing_body and page.approve.isEnabled())
    for _ in page.rows.rows:
        for tab in page.view.tabs.values():
            played.until(lambda tab=tab: seen_whole(tab))  # type: ignore[misc]
            assert at(tab).bottom() < at(page).center().y()
        page._step(+1)


class Windows(QObject):
    """Notes every widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


def test_opening_a_page_shows_no_other_window_that_takes_the_focus(
    played: Shown, qapp: QApplication
) -> None:
    windows = Windows()
    qapp.installEventFilter(windows)
    try:
        for name in PageName:
            played.go(name)
    finally:
        qapp.removeEventFilter(windows)
    assert windows.shown == []


@pytest.mark.usefixtures("spoken")
def test_the_titles_of_a_charts_axes_have_room(large: Shown) -> None:
    page = large.go(PageName.LEARNING)
    assert isinstance(page, LearningPage)
    large.until(lambda: page.showing_body and page.curves.plot.frame is not None)
    title, _ = axis_titles(page.curves._chart)
    width = QFontMetricsF(page.curves.plot.font()).horizontalAdvance(title)
    large.until(lambda: frame_of(page).area.height() > width * SMALLER)


def frame_of(page: LearningPage) -> PlotFrame:
    frame = page.curves.plot.frame
    assert frame is not None
    return frame


@pytest.mark.usefixtures("spoken")
def test_rows_of_the_table_of_skills_are_seen(large: Shown) -> None:
    page = large.go(PageName.SKILLS)
    assert isinstance(page, SkillsPage)
    large.until(lambda: page.showing_body and page.table.model().rowCount() > 2)
    row = page.table.verticalHeader().defaultSectionSize()
    large.until(lambda: page.table.viewport().height() >= 2 * row)


def test_the_last_column_of_a_small_table_is_not_squeezed(qtbot: QtBot) -> None:
    table = small_table(("Day", "Time", "Reason"), "The week")
    qtbot.addWidget(table)
    reason = "Measuring what a skill with a long name does to your answers"
    fill(table, [("", ("Monday 30 November", "19:39 to 19:50", reason))], select=False)
    table.resize(900, 200)
    table.show()
    heads, bar = table.horizontalHeader(), table.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() == 0 and heads.length() == table.viewport().width())
    table.resize(280, 200)
    needed = table.fontMetrics().horizontalAdvance(reason)
    qtbot.waitUntil(lambda: bar.maximum() > 0 and heads.sectionSize(2) > needed)
    table.resize(900, 200)
    qtbot.waitUntil(lambda: bar.maximum() == 0)


@pytest.mark.usefixtures("spoken")
def test_a_page_opens_at_its_beginning(large: Shown) -> None:
    large.activate()
    for name in PageName:
        page = large.go(name)
        large.until(lambda page=page: page.showing_body)  # type: ignore[misc]
        large.draw(page)
        bars = [area.verticalScrollBar() for area in page._areas.values()]
        assert [bar.value() for bar in bars] == [0, 0], name


def test_the_words_of_all_checks_begin_in_one_column(large: Shown, scripted: Scripted) -> None:
    checks = [{"name": "disk", "ok": ok, "text": "Full.", "hint": ""} for ok in (True, False)]
    scripted.answers[routes.DOCTOR] = {"checks": checks}
    page = large.go(PageName.LOGS)
    assert isinstance(page, LogsPage)
    page.look.click()
    large.until(page.health.isVisible)
    said = [one for one in page.health.findChildren(QLabel) if "Full." in one.text()]
    assert len(said) == 2
    large.until(lambda: len({at(one).left() for one in said}) == 1)
