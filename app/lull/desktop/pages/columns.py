"""What pages with a list at the left and one thing at the right have in common: the search field
above the list, and the two columns with what stands above and below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLayout, QLineEdit, QSplitter, QVBoxLayout, QWidget

from lull.desktop.tokens import GAP
from lull.desktop.words import only

Part = QWidget | QLayout


def search_field(words: str, do: Callable[[], object], *, hint: str = "") -> QLineEdit:
    """`hint` stands in it while it is empty, where that is to be other words than its name."""
    made = QLineEdit()
    made.setPlaceholderText(hint or words)
    made.setAccessibleName(words)
    made.setClearButtonEnabled(True)
    made.textChanged.connect(only(do))
    return made


def two_columns(
    body: QWidget,
    left: tuple[Part, ...],
    right: tuple[Part, ...],
    *,
    sizes: tuple[int, int],
    above: tuple[Part, ...] = (),
) -> QSplitter:
    """Lay `body` out. In either column a list or view takes the room that is left; a layout or a
    label keeps its height, and so does what stands `above` both."""
    split = QSplitter(Qt.Orientation.Horizontal)
    split.setChildrenCollapsible(False)
    for parts, margin in ((left, 0), (right, GAP)):
        column = QWidget()
        box = QVBoxLayout(column)
        box.setContentsMargins(margin, 0, 0, 0)
        box.setSpacing(GAP)
        _add(box, parts)
        split.addWidget(column)
    split.setStretchFactor(0, 0)
    split.setStretchFactor(1, 1)
    split.setSizes(list(sizes))
    outer = QVBoxLayout(body)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.setSpacing(GAP)
    _add(outer, above, grows=False)
    outer.addWidget(split, 1)
    return split


def _add(box: QVBoxLayout, parts: tuple[Part, ...], *, grows: bool = True) -> None:
    for part in parts:
        if isinstance(part, QLayout):
            box.addLayout(part)
        else:
            box.addWidget(part, int(grows and not isinstance(part, QLabel)))
