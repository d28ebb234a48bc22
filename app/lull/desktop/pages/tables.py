"""Tables of a few rows: filled in place, so that what is selected stays so."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MODE = QHeaderView.ResizeMode


def small_table(
    heads: Sequence[str], name: str, *, several: bool = False, row_px: int = 28
) -> QTableWidget:
    made = QTableWidget(0, len(heads))
    made.setAccessibleName(name)
    made.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    mode = QAbstractItemView.SelectionMode
    made.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
    made.setShowGrid(False)
    made.setTabKeyNavigation(False)
    made.setWordWrap(False)
    made.verticalHeader().hide()
    made.verticalHeader().setDefaultSectionSize(row_px)
    made.horizontalHeader().setHighlightSections(False)
    made.horizontalHeader().setDefaultAlignment(_LEFT)
    set_heads(made, heads)
    return made


def set_heads(table: QTableWidget, heads: Sequence[str]) -> None:
    """Other columns; the last one takes the room that is left."""
    if table.columnCount() != len(heads):
        table.setColumnCount(len(heads))
    table.setHorizontalHeaderLabels(list(heads))
    table.horizontalHeader().setSectionResizeMode(_MODE.ResizeToContents)
    if heads:
        table.horizontalHeader().setSectionResizeMode(len(heads) - 1, _MODE.Stretch)


def fill(
    table: QTableWidget, rows: Sequence[tuple[str, Sequence[str]]], *, select: bool = True
) -> None:
    """Each row has a name that `chosen` gives back. Only what changed is written; with `select`
    the first row is, where none was yet."""
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
                item.setToolTip(text)
            item.setData(Qt.ItemDataRole.UserRole, name)
    if select and rows and table.currentRow() < 0:
        table.selectRow(0)


def chosen(table: QTableWidget) -> list[str]:
    """The names of the selected rows, from top to bottom; of the current one where none is."""
    lines = sorted({index.row() for index in table.selectionModel().selectedRows()})
    if not lines and table.currentRow() >= 0:
        lines = [table.currentRow()]
    items = (table.item(line, 0) for line in lines)
    return [str(item.data(Qt.ItemDataRole.UserRole)) for item in items if item is not None]
