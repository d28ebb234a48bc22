"""Layout of pages that have a list on the left and details on the right, and the search field above
a list.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QLabel,
    QLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.widgets.flow import Sides, scrolled
from lull.desktop.widgets.tokens import GAP
from lull.desktop.words import without_args

ColumnPart = QWidget | QLayout


def search_field(words: str, do: Callable[[], object], *, hint: str = "") -> QLineEdit:
    """Make a search field that calls `do` whenever its text changes.

    `words` is its accessible name, and its placeholder unless `hint` gives another one.
    """
    made = QLineEdit()
    made.setPlaceholderText(hint or words)
    made.setAccessibleName(words)
    made.setClearButtonEnabled(True)
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
        right = (scrolled(shown), *below)

    columns = []
    for parts, margin in ((left, 0), (right, GAP)):
        column = QWidget()
        box = QVBoxLayout(column)
        box.setContentsMargins(margin, 0, 0, 0)
        box.setSpacing(GAP)
        _add(box, parts)
        columns.append(column)
    split = Sides(*columns, sizes=sizes)
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
