"""Text box for a chat message, as chat apps have it: Enter sends, Shift+Enter begins a new line."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

LINES: Final = 3
ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MessageEdit(QPlainTextEdit):
    """A text box of a few lines in which the user writes a chat message."""

    sent = Signal()
    """Emitted when the user pressed Enter, alone or with Ctrl."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.setFixedHeight((LINES + 1) * self.fontMetrics().lineSpacing())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() not in ENTER:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        elif not event.isAutoRepeat():
            self.sent.emit()
