"""A label that shortens its text to the room that it has."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from lull.desktop.language.words import hover


class ElidedLabel(QLabel):
    """A one-line label that is cut with "…" where its text does not fit; the tooltip has the whole
    text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def drawn_text(self) -> str:
        """Return the label's text as it is drawn, cut with "…" if it does not fit."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)

    def setText(self, text: str) -> None:  # noqa: N802
        super().setText(text)
        self.setToolTip(hover(text))

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            flags,
            self.palette(),
            self.isEnabled(),
            self.drawn_text,
            self.foregroundRole(),
        )
