"""A choice from a list that scrolling the page can never change."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox


class Choice(QComboBox):
    """A combo box that leaves the mouse wheel to the page around it.

    Qt's own changes its value under a pointer that merely passes while the page scrolls, and takes
    the focus from a wheel. The open list still scrolls, and the arrow keys still choose.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        event.ignore()
