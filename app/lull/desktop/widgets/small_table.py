"""Small Qt tables that are updated in place, so that the selection is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from lull.desktop.language.words import hover
from lull.desktop.widgets.tables import LEFT, WholeRow, fit_rows, least_height

LAST_CHARACTERS: Final = 8
"""Least width of the last column, in characters; the table scrolls sideways where the others leave
less.
"""
_MODE = QHeaderView.ResizeMode


class _SmallTable(QTableWidget):
    """A table whose rows are as high as its text needs, and are highlighted under the mouse."""

    def __init__(self, row_px: int) -> None:
        super().__init__()
        self._row_px = row_px
        self._whole = WholeRow(self)
        fit_rows(self, row_px)
        # Not at once: while Qt measures its columns, none of them may be measured again.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._fit_last)
        self.horizontalHeader().sectionResized.connect(lambda *_: self._later.start())

    @property
    def hovered(self) -> int:
        """The index of the table row under the mouse, or -1."""
        return self._whole.row

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        self._whole.hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._whole.hover(-1)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(super().minimumSizeHint().width(), least_height(self))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._later.start()

    def _fit_last(self) -> None:
        """Give the last column the width that the others leave, or where that is too little, all
        that its texts need.
        """
        heads, last = self.horizontalHeader(), self.columnCount() - 1
        others = sum(heads.sectionSize(n) for n in range(last))
        least = min(
            LAST_CHARACTERS * self.fontMetrics().averageCharWidth(),
            max(self.sizeHintForColumn(last), heads.sectionSizeHint(last)),
        )
        narrow = self.viewport().width() - others < least
        mode = _MODE.ResizeToContents if narrow else _MODE.Stretch
        if last > 0 and heads.sectionResizeMode(last) is not mode:
            heads.setSectionResizeMode(last, mode)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            fit_rows(self, self._row_px)


def small_table(
    heads: Sequence[str], name: str, *, several: bool = False, row_px: int = 28
) -> QTableWidget:
    """Return a table of few rows with these column titles; `name` is for screen readers."""
    made = _SmallTable(row_px)
    made.setColumnCount(len(heads))
    made.setAccessibleName(name)
    made.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    mode = QAbstractItemView.SelectionMode
    made.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
    made.setShowGrid(False)
    made.setTabKeyNavigation(False)
    made.setWordWrap(False)
    made.verticalHeader().hide()
    made.horizontalHeader().setHighlightSections(False)
    made.horizontalHeader().setDefaultAlignment(LEFT)
    set_heads(made, heads)
    return made


def set_heads(table: QTableWidget, heads: Sequence[str]) -> None:
    """Set a table's column headers; the last column takes the remaining width."""
    if table.columnCount() != len(heads):
        table.setColumnCount(len(heads))
    table.setHorizontalHeaderLabels(list(heads))
    table.horizontalHeader().setSectionResizeMode(_MODE.ResizeToContents)
    if heads:
        table.horizontalHeader().setSectionResizeMode(len(heads) - 1, _MODE.Stretch)


def fill(
    table: QTableWidget,
    rows: Sequence[tuple[str, Sequence[str]]],
    *,
    select: bool = True,
    hint: Callable[[str], str] = str,
) -> None:
    """Update a table in place so that it shows these rows, each given as (name, texts of its
    cells).

    The names are not shown; `selected_names` returns them. Only changed cells are written. With
    `select` the first row is selected if no row is current. `hint` makes a cell's tooltip from its
    text.
    """
    if table.rowCount() != len(rows):
        table.setRowCount(len(rows))
    for line, (name, cells) in enumerate(rows):
        for column, text in enumerate(cells):
            item = table.item(line, column)
            if item is None:
                item = QTableWidgetItem()
                table.setItem(line, column, item)
            if item.text() != text:
                item.setText(text)
                item.setToolTip(hover(hint(text)))
            item.setData(Qt.ItemDataRole.UserRole, name)
    if select and rows and table.currentRow() < 0:
        table.selectRow(0)


def selected_names(table: QTableWidget) -> list[str]:
    """Return the names of the rows that are selected in a table, from the top; if none is, the name
    of the current row.

    A row's name is the one that `fill` was given.
    """
    lines = sorted({index.row() for index in table.selectionModel().selectedRows()})
    if not lines and table.currentRow() >= 0:
        lines = [table.currentRow()]
    items = (table.item(line, 0) for line in lines)
    return [str(item.data(Qt.ItemDataRole.UserRole)) for item in items if item is not None]
