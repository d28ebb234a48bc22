"""Tests of the window in German: nothing on a page or in a dialog is left English or cut off."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QTableView,
    QTextEdit,
    QWidget,
)

from lull.contract import routes
from lull.desktop.language.words import skill_title
from lull.desktop.widgets.page import PageName
from lull.service.control.settings_view import SettingsRequests
from tests.desktop.conftest import Shown, live
from tests.desktop.played.week import play
from tests.desktop.scripted import Scripted
from tests.desktop.widgets.test_accessible import asked, page_of
from tests.desktop.widgets.test_small_window import SMALL, whole

ENGLISH_WORDS = re.compile(
    r"\b(the|of|and|or|your|you|is|are|were|with|without|not|from|for|to|by|it|its|this|that|"
    r"has|have|since|until|ago|on|at|no|all|every|only|when|there)\b",
    re.IGNORECASE,
)
"""English words that hardly any German text has."""
SOME_IN_EVERY_RUN = [
    name if name is PageName.TODAY else pytest.param(name, marks=pytest.mark.full)
    for name in PageName
]


@pytest.fixture
def played(scripted: Scripted, home: Path, show: Callable[..., Shown], german: None) -> Shown:
    play(scripted, home / "logs")
    return live(show(home))


def said(root: QWidget) -> set[str]:
    """Return everything that a window shows or tells to screen readers."""
    found: set[str] = set()
    for widget in (root, *root.findChildren(QWidget)):
        found |= {widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()}
        found |= {widget.windowTitle(), *_shown(widget)}
    return {re.sub(r"<[^>]*>", " ", text).strip() for text in found} - {""}


def _shown(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, (QLabel, QAbstractButton)):
        yield widget.text()
    elif isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(n) for n in range(widget.count()))
    elif isinstance(widget, (QTextEdit, QPlainTextEdit)) and widget.objectName() != "report":
        yield from widget.toPlainText().splitlines()
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _rows(widget.model(), heads=isinstance(widget, QTableView))
    assert not isinstance(widget, QListView) or widget.model() is not None


def _rows(model: QAbstractItemModel, *, heads: bool) -> Iterator[str]:
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    for column in range(model.columnCount(QModelIndex()) if heads else 1):
        if heads:
            yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        for line in range(model.rowCount(QModelIndex())):
            for role in roles:
                yield from str(model.index(line, column).data(role) or "").splitlines()


def english(texts: set[str], theirs: list[str]) -> list[str]:
    """Return what is left English, apart from the words of users, models and fixtures."""
    found = []
    for text in sorted(texts):
        left = text
        for part in theirs:
            left = left.replace(part, "…")
        if ENGLISH_WORDS.search(left):
            found.append(left)
    return found


def strings(value: object) -> Iterator[str]:
    """Yield every text in an answer of the service and each of its lines, longer ones first."""
    found: set[str] = set()
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                lines = text.splitlines()
                found |= {text, *lines, *(one[1:] for one in lines)}
                found |= {one.strip() for one in text.split("⟨")}  # what a secret stands between
            case dict() as fields:
                waiting += fields.values()
            case list() | tuple() as rows:
                waiting += rows
    yield from sorted((one for one in found if len(one) > 3), key=len, reverse=True)


@pytest.mark.parametrize("name", SOME_IN_EVERY_RUN)
def test_no_page_is_left_english(played: Shown, scripted: Scripted, name: PageName) -> None:
    shown = said(page_of(played, name))
    theirs = list(strings(dict(scripted.answers)))
    theirs += [skill_title(one) for one in theirs]  # skills are shown by their title
    if name is PageName.LOGS:
        shown = {text for text in shown if not text.startswith("20")}  # lines of the log
    assert english(shown, theirs) == []


@pytest.mark.full
def test_no_dialog_is_left_english(played: Shown, scripted: Scripted) -> None:
    theirs = [*strings(dict(scripted.answers)), "Not found", "When.", "Text."]
    for dialog in asked(played):
        played.until(lambda: not played.desktop.client.busy)
        assert english(said(dialog), theirs) == [], type(dialog)


def test_the_settings_of_the_real_service_are_all_german(
    scripted: Scripted, home: Path, show: Callable[..., Shown], german: None
) -> None:
    view = SettingsRequests(home / "settings.toml")
    scripted.answers[routes.SETTINGS] = asyncio.run(view.handle(None))
    page = page_of(live(show(home)), PageName.SETTINGS)
    assert english(said(page), list(strings(scripted.answers[routes.STATUS]))) == []


@pytest.mark.full
@pytest.mark.parametrize("name", PageName)
def test_nothing_is_cut_off_in_a_small_window(played: Shown, name: PageName) -> None:
    played.desktop.window.resize(SMALL)
    assert whole(played, name) == []
