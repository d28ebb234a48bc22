"""Tests of what a screen reader, the keyboard and weak eyes are given.

They check names and roles in Qt's own tree, the order of Tab, and the contrast of what is really
drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QWidget

from lull.desktop.widgets.columns import SearchField
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.tokens import DARK, LIGHT, Theme, contrast
from tests.desktop.accessible import ROLE, controls, tab_stops, upwards
from tests.desktop.conftest import Shown, live
from tests.desktop.played.week import play
from tests.desktop.scripted import Scripted
from tests.desktop.widgets.dialogs import asked
from tests.desktop.widgets.test_small_window import unfold

SHARP = 2
"""Dots drawn for each pixel, so that thin letters are drawn in their full colour."""


@pytest.fixture
def played(scripted: Scripted, home: Path, show: Callable[..., Shown]) -> Shown:
    """A window in front of a week in which much has happened."""
    play(scripted, home / "logs")
    QAccessible.setActive(True)
    return live(show(home))


def page_of(shown: Shown, name: PageName) -> QWidget:
    page = shown.go(name)
    if name is PageName.LOGS:
        page.look.click()  # type: ignore[attr-defined]
    shown.until(lambda: not shown.desktop.client.busy and page.showing_body)
    unfold(page)
    return page


@pytest.mark.full
def test_every_control_of_every_page_is_told_with_its_name_and_role(played: Shown) -> None:
    roles = set()
    for name in PageName:
        page_of(played, name)
        found = controls(played.desktop.window)
        assert len(found) > 10, name
        assert [one.wrong for one in found if one.wrong] == [], name
        roles |= {one.role for one in found}
    assert roles >= {ROLE.RadioButton, ROLE.ComboBox, ROLE.Graphic, ROLE.Table, ROLE.CheckBox}


def test_every_control_of_every_dialog_is_told_with_its_name_and_role(played: Shown) -> None:
    for dialog in asked(played):
        found = controls(dialog)
        assert found, type(dialog)
        assert [one.wrong for one in found if one.wrong] == [], type(dialog)


def test_of_a_choice_its_name_is_told_beside_what_is_chosen(played: Shown) -> None:
    page = page_of(played, PageName.LOGS)
    told = [one.name for one in controls(page) if one.role is ROLE.ComboBox]
    assert told == ["Lowest level"]
    box = page.findChild(QComboBox)
    assert box is not None
    node = QAccessible.queryAccessibleInterface(box)
    assert node is not None
    assert node.text(QAccessible.Text.Value) == box.currentText()


def test_tab_goes_down_every_page_and_to_every_control(played: Shown) -> None:
    for name in PageName:
        page = page_of(played, name)
        stops = tab_stops(played.desktop.window)
        assert upwards([one for one in stops if page.isAncestorOf(one)]) == [], name
        entries = [one for one in stops if not page.isAncestorOf(one)]
        assert stops[: len(entries)] == entries, name
        reached = {one.accessibleName() for one in stops}
        reached |= {
            other.accessibleName()
            for one in stops
            if isinstance(one, QAbstractButton) and (group := one.group())
            for other in group.buttons()
        }
        wanted = [one for one in page.findChildren(QAbstractButton) if one.isVisible()]
        named = {one.accessibleName() for one in wanted if one.isEnabled() and _own(one)}
        assert named <= reached, name


def _own(button: QAbstractButton) -> bool:
    """Return whether a button is one of ours, not a part of Qt's in a field or a table."""
    return bool(button.accessibleName())


@pytest.mark.full
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_text_as_it_is_drawn_stands_out_by_four_and_a_half(played: Shown, theme: Theme) -> None:
    played.desktop.look.set_theme(theme)
    weak: list[tuple[str, str, float]] = []
    measured = 0
    for name in PageName:
        page_of(played, name)
        drawn = picture(played.desktop.window)
        for widget in texts(played.desktop.window):
            measured += 1
            if (seen := contrast_of(drawn, place(widget))) < 4.5:
                weak.append((name, shown_text(widget), seen))
    assert measured > 200
    assert weak == []


def picture(window: QWidget) -> QImage:
    drawn = QImage(window.size() * SHARP, QImage.Format.Format_RGB32)
    drawn.setDevicePixelRatio(SHARP)
    window.render(drawn)
    return drawn


def texts(window: QWidget) -> list[QWidget]:
    """Return the widgets with a text of their own that are seen at least in part."""
    return [
        one
        for one in window.findChildren(QWidget)
        if isinstance(one, (QLabel, QAbstractButton, QComboBox, QLineEdit))
        and shown_text(one)
        and not one.visibleRegion().isEmpty()
        and one.visibleRegion().boundingRect().height() >= one.fontMetrics().height()
    ]


def shown_text(widget: QWidget) -> str:
    if isinstance(widget, QComboBox):
        return widget.currentText()
    if isinstance(widget, QLineEdit):
        return widget.text() or widget.placeholderText()
    assert isinstance(widget, (QLabel, QAbstractButton))
    return widget.text().strip()


def place(widget: QWidget) -> QRect:
    seen = widget.visibleRegion().boundingRect()
    return QRect(widget.mapTo(widget.window(), seen.topLeft()), seen.size())


def contrast_of(drawn: QImage, at: QRect) -> float:
    """Return the contrast of the text with its background, which is most of the picture."""
    part = drawn.copy(QRect(at.topLeft() * SHARP, at.size() * SHARP))
    dots = Counter(memoryview(part.constBits()).cast("B").cast("I"))
    behind = dots.most_common(1)[0][0]
    return max(contrast(_hex(behind), _hex(one)) for one in dots)


def _hex(dot: int) -> str:
    return f"#{dot & 0xFFFFFF:06x}"


@pytest.mark.full
def test_the_measure_finds_grey_on_white(played: Shown) -> None:
    page = page_of(played, PageName.SETTINGS)
    faint = QLabel("It cannot be read", page)
    faint.setStyleSheet("background: white; color: rgb(153, 153, 153);")
    faint.move(QPoint(0, 0))
    faint.show()
    found = contrast_of(picture(played.desktop.window), place(faint))
    assert 1.5 < found < 3.0


def test_the_button_that_clears_a_search_is_told_by_its_name(played: Shown) -> None:
    page = page_of(played, PageName.CONVERSATIONS)
    (search,) = [
        one for one in page.findChildren(SearchField) if one.accessibleName().startswith("Search")
    ]
    search.setText("menu")
    told = [one.accessibleName() for one in search.findChildren(QAbstractButton)]
    assert told == ["Clear the search"]
