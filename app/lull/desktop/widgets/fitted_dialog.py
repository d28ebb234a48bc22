"""Base class of dialogs that hold little but words, and are as high as these need."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDialog


class FittedDialog(QDialog):
    """A dialog that is never lower than its words need at its width.

    Qt works out a dialog's height for the width that it would like to have, and then makes it
    narrower where the screen is small: its words wrap into lines that have no room.
    """

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _fit(self) -> None:
        layout = self.layout()
        if layout is not None and layout.hasHeightForWidth():
            needed = layout.totalMinimumHeightForWidth(self.width())
            if needed > self.height():
                self.resize(self.width(), needed)
