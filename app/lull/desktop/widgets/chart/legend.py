"""The legend above a chart: a drawn sample and a name for everything in the chart, in a row that
wraps if it is too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QWidget

from lull.desktop.language.words import hover
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.parts import clear_layout
from lull.desktop.widgets.tokens import GAP

SAMPLE_PX: Final = 26
"""Width in pixels of the sample beside a name."""


class SampleKind(StrEnum):
    """What the legend draws beside a name: a line, dots, a vertical line or a band."""

    LINE = "line"
    DOTS = "dots"
    UPRIGHT = "upright"
    """A vertical line, as for the marks of changes of skills or adapters."""
    BAND = "band"


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendEntry:
    """One entry of a chart's legend: how a curve or mark is drawn, its name, and its meaning."""

    kind: SampleKind
    name: str
    about: str
    """What it means, in a sentence; shown as tooltip and told to screen readers."""
    colour: str
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    alpha: int = 255


class _Key(QLabel):
    """A label with the name of something in a chart, and a sample of how that is drawn."""

    def __init__(self, entry: LegendEntry) -> None:
        super().__init__(entry.name)
        self._entry = entry
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", "small")
        self.setContentsMargins(SAMPLE_PX + 6, 0, GAP, 0)
        self.setToolTip(hover(entry.about))
        self.setAccessibleDescription(entry.about)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(self._entry.colour)
        colour.setAlpha(self._entry.alpha)
        middle, high = self.height() / 2, min(14.0, self.height() - 4.0)
        match self._entry.kind:
            case SampleKind.LINE:
                painter.setPen(QPen(colour, 2.4, self._entry.style))
                painter.drawLine(QPointF(0, middle), QPointF(SAMPLE_PX, middle))
            case SampleKind.UPRIGHT:
                painter.setPen(QPen(colour, 1.6, self._entry.style))
                x = SAMPLE_PX / 2
                painter.drawLine(QPointF(x, middle - high / 2), QPointF(x, middle + high / 2))
            case SampleKind.BAND:
                painter.fillRect(QRectF(4, middle - high / 2, SAMPLE_PX - 8, high), colour)
            case SampleKind.DOTS:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                for x in (5, 13, 21):
                    painter.drawEllipse(QPointF(x, middle), 3, 3)
        painter.end()


class Legend(QWidget):
    """Widget with the legend of a chart: a drawn sample and a name for everything in the chart."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[LegendEntry, ...] = ()
        self._row = Flow(gap=GAP)
        self.setLayout(self._row)

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        """The entries that are shown."""
        return self._entries

    def show_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show these entries, or nothing at all if there are none."""
        if tuple(entries) == self._entries:
            return
        self._entries = tuple(entries)
        clear_layout(self._row)
        for entry in entries:
            self._row.addWidget(_Key(entry))
        self.setVisible(bool(entries))
