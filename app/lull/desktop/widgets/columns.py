"""Layout of pages that have a list on the left and details on the right, and the search field above
a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.language.words import tr, without_args
from lull.desktop.widgets.flow import LEAST_DOWN, Sides
from lull.desktop.widgets.tokens import GAP

ColumnPart = QWidget | QLayout


_FRAME_AND_BUTTON: Final = 48
"""Width of a search field beside its text: frame, padding and the button that clears it."""
_LEAST_LETTERS: Final = 8
_LIST_ABOVE: Final = 5
"""Least height of a list above its details, in lines of text: what was chosen is seen below it."""


class SearchField(QLineEdit):
    """Field for a search whose size stays the same while it is used: its placeholder fits, and so
    does the button that clears it, which is there only while it holds text.

    Qt's own hint grows with that button, so the first letter would push the fields beside it away.
    """

    def __init__(self, name: str, placeholder: str) -> None:
        super().__init__()
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        for clear in self.findChildren(QToolButton):
            clear.setAccessibleName(tr("Clear the search"))

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics = self.fontMetrics()
        text = metrics.horizontalAdvance(self.placeholderText())
        least = metrics.horizontalAdvance("x") * _LEAST_LETTERS
        return QSize(max(text, least) + _FRAME_AND_BUTTON, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = self.fontMetrics().horizontalAdvance("x") * _LEAST_LETTERS
        return QSize(least + _FRAME_AND_BUTTON, super().minimumSizeHint().height())


class Details(QScrollArea):
    """Scroll area for the details of a page. Where they stand below the list, it is as high as they
    are: the page scrolls there, and nobody has to scroll within what scrolls.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # Tab goes from control to control, and the area follows it.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(widget)
        box = widget.layout()
        if box is not None:  # no text stands close to the scroll bar
            margins = box.contentsMargins()
            margins.setRight(max(margins.right(), GAP))
            box.setContentsMargins(margins)
        self.sides: Sides | None = None
        """The layout that has these details on one of its sides."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = super().minimumSizeHint()
        shown = self.widget()
        inner = shown.layout() if shown is not None else None
        if self.sides is None or self.sides.orientation() is Qt.Orientation.Horizontal or not inner:
            return least
        return QSize(least.width(), inner.totalMinimumHeightForWidth(self.viewport().width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if self.verticalScrollBar().maximum() > 0:
            super().keyPressEvent(event)
        else:
            event.ignore()  # the page scrolls

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        done = super().eventFilter(watched, event)
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()  # Qt tells nobody that the details need another height
        return done


def search_field(words: str, do: Callable[[], object], *, hint: str = "") -> SearchField:
    """Make a search field that calls `do` whenever its text changes.

    `words` is its accessible name, and its placeholder unless `hint` gives another one.
    """
    made = SearchField(words, hint or words)
    made.textChanged.connect(without_args(do))
    return made


def two_columns(
    body: QWidget,
    left: tuple[ColumnPart, ...],
    right: tuple[ColumnPart, ...],
    *,
    sizes: tuple[int, int],
    above: tuple[ColumnPart, ...] = (),
) -> Sides:
    """Lay out a page in two columns, a list and details, with the widgets `above` on top.

    In each column the widgets share the height that labels and nested layouts leave. The details on
    the right scroll if they do not fit.
    """
    shown, *below = right
    if isinstance(shown, QWidget) and not isinstance(shown, QAbstractScrollArea):
        right = (Details(shown), *below)

    columns = []
    for parts, margin in ((left, 0), (right, GAP)):
        column = QWidget()
        box = QVBoxLayout(column)
        box.setContentsMargins(margin, 0, 0, 0)
        box.setSpacing(GAP)
        _add(box, parts)
        columns.append(column)
    split = Sides(*columns, sizes=sizes, down=(_LIST_ABOVE, LEAST_DOWN))
    if isinstance(right[0], Details):
        right[0].sides = split
    outer = QVBoxLayout(body)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.setSpacing(GAP)
    _add(outer, above, grows=False)
    outer.addWidget(split, 1)
    return split


def _add(box: QVBoxLayout, parts: tuple[ColumnPart, ...], *, grows: bool = True) -> None:
    for part in parts:
        if isinstance(part, QLayout):
            box.addLayout(part)
        else:
            box.addWidget(part, int(grows and not isinstance(part, QLabel)))
