"""What screen readers and the keyboard need beyond what Qt gives them by itself."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel, QWidget


class SelfDrawn(QLabel):
    """A widget that draws itself, of which screen readers are told as of a picture.

    Qt calls other widgets of our own a “client”, which says nothing; a label with a picture, which
    is never seen here, it calls a picture. Roles of our own would do, but PySide frees them early.
    """

    def __init__(self) -> None:
        super().__init__()
        unseen = QPixmap(1, 1)
        unseen.fill(Qt.GlobalColor.transparent)
        self.setPixmap(unseen)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QWidget.sizeHint(self)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QWidget.minimumSizeHint(self)


def tab_after(before: QWidget, made: QWidget) -> None:
    """Have Tab go through what was just made after another control, and not last of all."""
    for one in made.findChildren(QWidget):
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus:
            QWidget.setTabOrder(before, one)
            before = one
