"""Behaviour shared by tables: the row under the mouse is marked, Home and End go to its ends."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

Index = QModelIndex | QPersistentModelIndex


class _WholeRow(QStyledItemDelegate):
    """Draws every cell of the row under the mouse as hovered."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row = -1

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        over = QStyle.StateFlag.State_MouseOver
        state = option.state
        state = state | over if index.row() == self.row else state & ~over
        option.state = state


class RowTable(QTableView):
    """A table whose rows are chosen, hovered and reached as wholes."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = _WholeRow(self)
        self.setItemDelegate(self._whole)
        self.setMouseTracking(True)

    @property
    def hovered(self) -> int:
        """The row under the mouse, or -1."""
        return self._whole.row

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self._whole.row:
            self._whole.row = row
            self.viewport().update()

    def moveCursor(  # noqa: N802
        self, action: QTableView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """The cell that a key leads to; Home and End stay in their column."""
        model, column = self.model(), max(0, self.currentIndex().column())
        if action is QTableView.CursorAction.MoveHome:
            return model.index(0, column)
        if action is QTableView.CursorAction.MoveEnd:
            return model.index(model.rowCount() - 1, column)
        return super().moveCursor(action, modifiers)
