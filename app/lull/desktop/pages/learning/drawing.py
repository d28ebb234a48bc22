"""Draws a chart: axes, faint single values, a bold running mean, 95% intervals, a baseline, and
marks where skills or the adapter changed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from lull.core.feedback.trend import LEAST_ANSWERS
from lull.desktop.language.words import percent
from lull.desktop.pages.learning.charts import Chart, ChartMark, Series, running_mean
from lull.desktop.pages.learning.reading import axis_titles
from lull.desktop.widgets.chart.axes import Tick, day_ticks, step_ticks, value_ticks
from lull.desktop.widgets.chart.plot import PlotFrame
from lull.desktop.widgets.style import small_pt
from lull.desktop.widgets.tokens import GAP, Theme

LOG_FLOOR: Final = 0.01
"""Lowest value that a chart's logarithmic scale shows."""
DAY_S: Final = 24 * 3600.0
MARK_SHARE: Final = 0.12
"""How high the mark of a change of skills is, as a share of the chart's height."""
BOX_ALPHA: Final = 60
"""Alpha of the boxes that show intervals, of 255."""
FAINT_ALPHA: Final = 90
GRID_ALPHA: Final = 38
MOST_DOTS: Final = 200
"""Most points of a curve of which each is drawn as a dot, too."""
EVEN: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
FINE: Final = (0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0)
"""Labelled values of the even and of the logarithmic scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCurve:
    """Points as they are drawn: joined by a line, as dots, or both."""

    points: Sequence[tuple[float, float]]
    colour: QColor
    style: Qt.PenStyle
    width: float
    """Width of the line in pixels; 0 for dots alone."""
    dot_px: float
    """Diameter of the dots; 0 for a line alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartDrawing:
    """Draws one chart with given colours, smoothing and scale."""

    chart: Chart
    theme: Theme
    weight: float
    """The newest value's weight in the running mean; 1 for none."""
    log: bool
    """Whether the vertical scale is logarithmic."""

    def frame(self, inside: QRectF, first: float, last: float) -> PlotFrame:
        """Return where the values between two times stand in a rectangle that has the axes, too."""
        metrics = QFontMetricsF(_font())
        low, high = self.value_range()
        labels = (metrics.horizontalAdvance(words) for _, words in self._value_ticks())
        left = max(labels, default=0.0) + metrics.height() + GAP * 2
        below = 2 * metrics.height() + GAP * 1.5
        right = metrics.horizontalAdvance("00. Mmm") / 2
        area = inside.adjusted(left, metrics.height() / 2 + 1, -right, -below)
        return PlotFrame(area=area, first=first, last=last, low=low, high=high)

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """Draw the chart into its frame, from what lies behind to what lies in front."""
        painter.setFont(_font())
        self._paint_axes(painter, frame)
        painter.setClipRect(frame.area.adjusted(-1, -4, 1, 4))
        for series in self.chart.series:
            self._paint_intervals(painter, frame, series)
        adapters = [mark for mark in self.chart.marks if mark.adapter]
        for mark in self.chart.marks:
            if not mark.adapter:
                self._paint_change(painter, frame, mark)
        if self.chart.level is not None and not self.chart.empty:
            self._paint_level(painter, frame, self.chart.level)
        for curve in self.curves():
            _paint_curve(painter, frame, curve)
        for number, mark in enumerate(adapters):
            self._paint_adapter(painter, frame, mark, number % 3)
        painter.setClipping(False)

    # Axes

    def _paint_axes(self, painter: QPainter, frame: PlotFrame) -> None:
        theme, area, metrics = self.theme, frame.area, QFontMetricsF(painter.font())
        across, up = QPointF(area.width(), 0), QPointF(0, area.height())
        grid, muted = QColor(theme.muted), QColor(theme.muted)
        grid.setAlpha(GRID_ALPHA)
        for drawn, words in self._value_ticks():
            if frame.low <= drawn <= frame.high:
                at = QPointF(area.left(), frame.y(drawn))
                painter.setPen(QPen(grid, 1))
                painter.drawLine(at, at + across)
                painter.setPen(muted)
                width = metrics.horizontalAdvance(words)
                painter.drawText(at + QPointF(-width - GAP / 2, metrics.ascent() / 2 - 1), words)
        painter.setPen(QPen(QColor(theme.line), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.topLeft(), area.topLeft() + up)
        painter.setPen(muted)
        for at_s, words in self._time_ticks(frame, metrics):
            width = metrics.horizontalAdvance(words)
            x = frame.x(at_s) - width / 2
            painter.drawText(QPointF(x, area.bottom() + metrics.ascent() + GAP / 2), words)
        self._paint_titles(painter, frame, metrics)

    def _paint_titles(self, painter: QPainter, frame: PlotFrame, metrics: QFontMetricsF) -> None:
        area, (vertical, horizontal) = frame.area, axis_titles(self.chart)
        x = area.center().x() - metrics.horizontalAdvance(horizontal) / 2
        y = area.bottom() + metrics.height() + metrics.ascent() + GAP
        painter.drawText(QPointF(x, y), horizontal)
        painter.save()
        painter.translate(metrics.ascent(), area.center().y())
        painter.rotate(-90)
        painter.drawText(QPointF(-metrics.horizontalAdvance(vertical) / 2, 0), vertical)
        painter.restore()

    def _time_ticks(self, frame: PlotFrame, metrics: QFontMetricsF) -> Sequence[Tick]:
        if self.chart.steps:
            most = frame.area.width() / (metrics.horizontalAdvance("00,000") + GAP)
            return step_ticks(max(0.0, frame.first), frame.last, most=most)
        widest = max(map(metrics.horizontalAdvance, ("00. Mmm.", "Mmm. 0000")))
        most = frame.area.width() / (widest + GAP * 1.5)
        return day_ticks(frame.first, frame.last, most=most)

    def _value_ticks(self) -> Sequence[Tick]:
        low, high = self.value_range()
        if self.chart.steps:
            return value_ticks(low, high, most=5)
        least = self.least()
        shares = [one for one in (FINE if self.log else EVEN) if one >= least]
        return [(self.y(one), percent(one)) for one in shares]

    def value_range(self) -> tuple[float, float]:
        """Return the values at the bottom and the top of the chart, as they are drawn."""
        if self.chart.steps:
            values = [dot.value for series in self.chart.series for dot in series.dots] or [0.0]
            spare = 0.1 * (max(values) - min(values)) or 0.1
            return min(values) - spare, max(values) + spare
        low, high = self.y(self.least()), self.y(1.0)
        spare = 0.04 * (high - low)
        return low - spare, high + spare

    def least(self) -> float:
        """Return the lowest value of the vertical axis."""
        if not self.log:
            return 0.0
        values = [dot.value for series in self.chart.series for dot in series.dots]
        return max(LOG_FLOOR, min(values, default=1.0) * 0.8)

    def y(self, value: float) -> float:
        """Return a value as it is drawn: its base-10 logarithm if the vertical scale is
        logarithmic, else the value.
        """
        return math.log10(max(LOG_FLOOR, value)) if self.log else value

    # Curves

    @property
    def smoothed(self) -> bool:
        """Whether any curve of the chart is drawn as its running mean, with the single values faint
        behind it.
        """
        curves = (series for series in self.chart.series if series.line)
        return self.weight < 1.0 and any(len(series.dots) > 2 for series in curves)

    def curves(self) -> list[DrawnCurve]:
        """Return what is drawn as curves, from what lies behind to what lies in front."""
        return [one for series in self.chart.series if series.line for one in self._of(series)]

    def _of(self, series: Series) -> list[DrawnCurve]:
        colour = QColor(str(getattr(self.theme, series.colour)))
        style = Qt.PenStyle.DashLine if series.dash else Qt.PenStyle.SolidLine
        times = [dot.at_s for dot in series.dots]
        values = [dot.value for dot in series.dots]
        if self.weight >= 1.0 or len(values) <= 2:
            return [self._curve(times, values, colour, style=style, dots=len(times) <= MOST_DOTS)]
        single = all(dot.n == 1 for dot in series.dots)
        # Single answers are noisier than daily means, so they get a smaller weight.
        mean = running_mean(series.dots, self.weight / 6 if single else self.weight)
        # The mean of the first few answers jumps with each of them, which looks like a change.
        begin = LEAST_ANSWERS - 1 if single and len(values) >= 2 * LEAST_ANSWERS else 0
        faint = QColor(colour)
        faint.setAlpha(FAINT_ALPHA)
        behind = DrawnCurve(
            points=self._points(times, values),
            colour=faint,
            style=style,
            width=0.0 if single else 1.0,
            dot_px=5.0 if single else 6.0 if len(times) <= MOST_DOTS else 0.0,
        )
        front = self._curve(times[begin:], mean[begin:], colour, style=style, dots=False)
        return [behind, front]

    def _curve(
        self,
        times: Sequence[float],
        values: Sequence[float],
        colour: QColor,
        *,
        style: Qt.PenStyle,
        dots: bool,
    ) -> DrawnCurve:
        points, dot_px = self._points(times, values), 6.0 if dots else 0.0
        return DrawnCurve(points=points, colour=colour, style=style, width=2.4, dot_px=dot_px)

    def _points(
        self, times: Sequence[float], values: Sequence[float]
    ) -> Sequence[tuple[float, float]]:
        return [(at_s, self.y(value)) for at_s, value in zip(times, values, strict=True)]

    def _paint_intervals(self, painter: QPainter, frame: PlotFrame, series: Series) -> None:
        """Draw the interval of each point that has one as a faint box, and of a series without a
        curve the point itself as a stroke in its box.
        """
        colour = QColor(str(getattr(self.theme, series.colour)))
        colour.setAlpha(BOX_ALPHA)
        left, right = (DAY_S * days for days in series.box_days)
        for dot in series.dots:
            if dot.low is not None and dot.high is not None:
                top = QPointF(frame.x(dot.at_s + left), frame.y(self.y(dot.high)))
                bottom = QPointF(frame.x(dot.at_s + right), frame.y(self.y(dot.low)))
                painter.fillRect(QRectF(top, bottom), colour)
                if not series.line:
                    painter.setPen(QPen(QColor(self.theme.text), 1.6))
                    y = frame.y(self.y(dot.value))
                    painter.drawLine(QPointF(top.x(), y), QPointF(bottom.x(), y))

    # Lines

    def _paint_level(self, painter: QPainter, frame: PlotFrame, level: float) -> None:
        """Draw the baseline; its value stands in the legend, where it hides nothing."""
        painter.setPen(QPen(QColor(self.theme.muted), 1, Qt.PenStyle.DashDotLine))
        y = frame.y(self.y(level))
        painter.drawLine(QPointF(frame.area.left(), y), QPointF(frame.area.right(), y))

    def _paint_change(self, painter: QPainter, frame: PlotFrame, mark: ChartMark) -> None:
        painter.setPen(QPen(QColor(self.theme.edge), 1.6))
        bottom = QPointF(frame.x(mark.at_s), frame.area.bottom())
        painter.drawLine(bottom, bottom - QPointF(0, frame.area.height() * MARK_SHARE))

    def _paint_adapter(
        self, painter: QPainter, frame: PlotFrame, mark: ChartMark, line: int
    ) -> None:
        """Draw the mark of an adapter; `line` is the row of its label, so that neighbours do not
        overlap.
        """
        area, x, metrics = frame.area, frame.x(mark.at_s), QFontMetricsF(painter.font())
        painter.setPen(QPen(QColor(self.theme.curve_c), 1.4, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        width = metrics.horizontalAdvance(mark.name)
        beside = x + GAP / 2 if x + GAP + width < area.right() else x - GAP / 2 - width
        y = area.bottom() - area.height() * 0.05 - metrics.height() * line
        # On a ground of its own it is read also where points are.
        ground = QRectF(beside, y - metrics.ascent(), width, metrics.height())
        painter.fillRect(ground.adjusted(-2, 0, 2, 0), QColor(self.theme.card))
        painter.setPen(QColor(self.theme.text))
        painter.drawText(QPointF(beside, y), mark.name)


def _font() -> QFont:
    made = QFont()
    made.setPointSizeF(small_pt())
    return made


def _paint_curve(painter: QPainter, frame: PlotFrame, curve: DrawnCurve) -> None:
    if curve.width:
        seen = within(curve.points, frame.first, frame.last)
        painter.setPen(QPen(curve.colour, curve.width, curve.style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline([QPointF(frame.x(at_s), frame.y(drawn)) for at_s, drawn in seen])
    if curve.dot_px:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(curve.colour)
        radius = curve.dot_px / 2
        for at_s, drawn in curve.points:
            if frame.first <= at_s <= frame.last:
                painter.drawEllipse(QPointF(frame.x(at_s), frame.y(drawn)), radius, radius)


def within(
    points: Sequence[tuple[float, float]], first: float, last: float
) -> list[tuple[float, float]]:
    """Return the part of a line through these points, in order, that lies between two times: Qt
    would take long to dash a line that goes on for miles outside.
    """
    seen: list[tuple[float, float]] = []
    for begin, end in itertools.pairwise(points):
        if end[0] < first or begin[0] > last:
            continue
        seen += [_cut(begin, end, first, last), _cut(end, begin, first, last)]
    return list(dict.fromkeys(seen))


def _cut(
    point: tuple[float, float], other: tuple[float, float], first: float, last: float
) -> tuple[float, float]:
    """Return the point, moved along the line to `other` to the edge beyond which it lies."""
    edge = min(max(point[0], first), last)
    if edge == point[0] or other[0] == point[0]:
        return point
    share = (edge - point[0]) / (other[0] - point[0])
    return edge, point[1] + share * (other[1] - point[1])
