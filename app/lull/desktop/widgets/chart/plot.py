"""A widget in which a chart is drawn: it knows which part of the chart is in view, and tells where
the mouse points, drags and turns its wheel.

What is drawn is kept as a picture until it changes, so that the line under the mouse is cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)

from lull.desktop.widgets.accessible import SelfDrawn

PLOT_PX: Final = 220
"""Least height of a plot in pixels; a smaller page scrolls."""
PLOT_LINES: Final = 10
"""Least height of a plot in lines of text, so that the titles of large axes have room."""
NOTCH: Final = 120
"""What Qt counts for one notch of a mouse's wheel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotFrame:
    """Where a chart's values stand on the screen: the area between its axes, and the values at the
    edges of that area.
    """

    area: QRectF
    first: float
    """Time in Unix seconds, or training step, at the left edge."""
    last: float
    low: float
    """Value at the bottom edge, as it is drawn: on a logarithmic scale, its logarithm."""
    high: float

    def x(self, at_s: float) -> float:
        """Return the place of a time or training step from the left, in pixels."""
        return self.area.left() + self.area.width() * (at_s - self.first) / (self.last - self.first)

    def y(self, drawn: float) -> float:
        """Return the place of a value from the top, in pixels."""
        return self.area.bottom() - self.area.height() * (drawn - self.low) / (self.high - self.low)

    def at_s(self, x: float) -> float:
        """Return the time or training step at a place from the left, in pixels."""
        return self.first + (self.last - self.first) * (x - self.area.left()) / self.area.width()


FrameOf = Callable[[QRectF], PlotFrame]
PaintChart = Callable[[QPainter, PlotFrame], None]


class Plot(SelfDrawn):
    """Widget that shows a drawn chart, and a vertical line at the value that is read out."""

    pointed = Signal(float)
    """Emitted with the time or training step under the mouse."""
    dragged = Signal(float)
    """Emitted with by how much time, or by how many steps, the mouse drags the chart."""
    wheeled = Signal(float, float)
    """Emitted when the wheel is turned with Ctrl held: by how many notches, at which time."""

    def __init__(self) -> None:
        super().__init__()
        self._fit()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._frame: FrameOf | None = None
        self._paint: PaintChart | None = None
        self._picture: QPixmap | None = None
        self._line: tuple[float, QPen] | None = None
        self._drag_from: float | None = None

    @property
    def frame(self) -> PlotFrame | None:
        """Where the values stand now; None before a chart was drawn."""
        return self._frame(QRectF(self.rect())) if self._frame is not None else None

    def draw(self, frame: FrameOf, paint: PaintChart) -> None:
        """Show what `paint` draws within the frame that `frame` makes of the widget's rectangle."""
        self._frame, self._paint, self._picture = frame, paint, None
        self.update()

    def show_line(self, at_s: float | None, pen: QPen) -> None:
        """Show a vertical line at a time or training step; none for None."""
        self._line = (at_s, pen) if at_s is not None else None
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(480, self.minimumHeight())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(160, self.minimumHeight())

    def _fit(self) -> None:
        self.setMinimumHeight(max(PLOT_PX, PLOT_LINES * self.fontMetrics().height()))

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802
        frame = self.frame
        if frame is None or self._paint is None:
            return
        if self._picture is None:
            ratio = self.devicePixelRatioF()
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint(painter, frame)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        if self._line is not None and frame.first <= self._line[0] <= frame.last:
            x = frame.x(self._line[0])
            painter.setPen(self._line[1])
            painter.drawLine(QPointF(x, frame.area.top()), QPointF(x, frame.area.bottom()))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self._picture = None
        super().resizeEvent(event)

    def event(self, event: QEvent) -> bool:
        """Draw the chart anew when the window comes to a screen of another resolution, and in
        another size for texts of another size.
        """
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._picture = None
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        return super().event(event)

    # The mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        frame = self.frame
        if frame is None:
            return
        at_s = frame.at_s(event.position().x())
        if self._drag_from is not None:
            # The chart moves with the mouse, so the same time stays below it.
            self.dragged.emit(self._drag_from - at_s)
        elif frame.area.contains(event.position()):
            self.pointed.emit(at_s)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        frame = self.frame
        if frame is not None and event.button() == Qt.MouseButton.LeftButton:
            self._drag_from = frame.at_s(event.position().x())

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:  # noqa: N802
        self._drag_from = None

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zoom if Ctrl is held; else leave the wheel to the page, which scrolls."""
        frame = self.frame
        if frame is None or not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        notches = event.angleDelta().y() / NOTCH
        self.wheeled.emit(notches, frame.at_s(event.position().x()))
        event.accept()
