"""Behaviour that Qt tables share: the whole row under the mouse is highlighted, a text that has no
room ends at a word, and the Home and End keys go to the first and the last row.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QHideEvent, QMouseEvent, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

LEAST_ROW: Final = 30
"""Least height in pixels of a row."""
LEAST_ROWS: Final = 3
"""Rows that a table always has room for."""
FIRST_CHARACTERS: Final = 18
"""Least width of a table's first column, in characters."""
ROW_GAP: Final = 9
"""Pixels between the text lines of two rows."""
UNSEEN_ROWS: Final = 30
"""Most rows by which the columns of a hidden table are measured; Qt would measure all of them."""

LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


def elided_at_word(text: str, metrics: QFontMetrics, width: int) -> str:
    """Shorten a text so that it fits into `width` pixels, by leaving out its last words.

    A text whose first word has no room is returned unchanged.
    """
    if metrics.horizontalAdvance(text) <= width:
        return text
    words = text.split(" ")
    for last in range(len(words) - 1, 0, -1):
        shown = f"{' '.join(words[:last]).rstrip(' …,;:–—-')} …"
        if metrics.horizontalAdvance(shown) <= width:
            return shown
    return text


class WholeRow(QStyledItemDelegate):
    """Item delegate that highlights the whole table row under the mouse, not only one cell, and
    ends a text that has no room at a word.

    The table must call `hover` when the mouse moves.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self.row = -1
        """The row under the mouse, or -1."""
        self._paints = False
        """Whether a cell is painted, and not measured."""
        table.setItemDelegate(self)
        table.setMouseTracking(True)

    def hover(self, row: int) -> None:
        """Highlight only this row, the one under the mouse; -1 highlights none."""
        if row != self.row:
            self.row = row
            self._table.viewport().update()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        over = QStyle.StateFlag.State_MouseOver
        state = option.state
        state = state | over if index.row() == self.row else state & ~over
        option.state = state
        if self._paints and option.textElideMode is Qt.TextElideMode.ElideRight:
            part = QStyle.SubElement.SE_ItemViewItemText
            room = self._table.style().subElementRect(part, option, self._table).width()
            margin = self._table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin)
            room -= 2 * (margin + 1)
            option.text = elided_at_word(option.text, option.fontMetrics, room)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self._paints = True
        try:
            super().paint(painter, option, index)
        finally:
            self._paints = False


def least_height(table: QTableView) -> int:
    """Return the height in pixels of a table's header and of the rows that it always has room
    for.
    """
    rows = LEAST_ROWS * table.verticalHeader().defaultSectionSize()
    return table.horizontalHeader().sizeHint().height() + rows


def fit_rows(table: QTableView, least_px: int) -> None:
    """Make a table's rows high enough for its font, and at least `least_px` pixels."""
    high = table.fontMetrics().height() + ROW_GAP
    # One height for all, so that Qt does not measure ten thousand rows.
    table.verticalHeader().setDefaultSectionSize(max(least_px, high))


class RowTable(QTableView):
    """A Qt table in which whole rows, not cells, are selected, highlighted under the mouse and
    navigated.
    """

    def __init__(self) -> None:
        super().__init__()
        fit_rows(self, LEAST_ROW)
        self._whole = WholeRow(self)
        self.horizontalHeader().setDefaultAlignment(LEFT)
        self.spare: int | None = None
        """The column that is left out where the table is too narrow for all."""
        self._spare_px = 0
        """The width of that column when it was last shown."""
        # Not at once: while Qt measures its columns, none of them may be measured or hidden.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._leave_out)
        self.horizontalHeader().setResizeContentsPrecision(UNSEEN_ROWS)
        self.horizontalHeader().sectionResized.connect(self._fit)

    @property
    def hovered(self) -> int:
        """The index of the table row under the mouse, or -1."""
        return self._whole.row

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(super().minimumSizeHint().width(), least_height(self))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        self._whole.hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._whole.hover(-1)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        self.horizontalHeader().setResizeContentsPrecision(0)  # the rows that are seen
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        self.horizontalHeader().setResizeContentsPrecision(UNSEEN_ROWS)
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._spare_px = 0
            fit_rows(self, LEAST_ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit(-1)

    def _fit(self, changed: int, *_: int) -> None:
        """Give the table's first column the width that the others leave, but never less than
        `FIRST_CHARACTERS`.
        """
        if changed == 0:
            return
        heads = self.horizontalHeader()
        others = sum(heads.sectionSize(n) for n in range(1, heads.count()))
        heads.resizeSection(0, max(self._least, self.viewport().width() - others))
        if self.spare is not None:
            self._later.start()

    @property
    def _least(self) -> int:
        return FIRST_CHARACTERS * self.fontMetrics().averageCharWidth()

    def _leave_out(self) -> None:
        """Hide the spare column if the others leave it no room; else show it."""
        spare, heads = self.spare, self.horizontalHeader()
        if spare is None:
            return
        others = sum(heads.sectionSize(n) for n in range(1, heads.count()) if n != spare)
        self._spare_px = heads.sectionSize(spare) or self._spare_px
        hint = max(self.sizeHintForColumn(spare), heads.sectionSizeHint(spare))
        wanted = max(hint, self._spare_px)
        narrow = self._least + others + wanted > self.viewport().width()
        if narrow != self.isColumnHidden(spare):
            self.setColumnHidden(spare, narrow)

    def moveCursor(  # noqa: N802
        self, action: QTableView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Return the table cell to which a navigation key moves; Home and End go to the first and
        the last row and stay in the column.
        """
        model, column = self.model(), max(0, self.currentIndex().column())
        if action is QTableView.CursorAction.MoveHome:
            return model.index(0, column)
        if action is QTableView.CursorAction.MoveEnd:
            return model.index(model.rowCount() - 1, column)
        return super().moveCursor(action, modifiers)
