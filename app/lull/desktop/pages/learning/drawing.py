"""Draws a chart into a pyqtgraph plot: axes, faint single values, a bold running mean, 95%
intervals, a baseline, and marks where skills or the adapter changed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont

from lull.desktop.language.words import percent
from lull.desktop.pages.learning.axes import DayAxis
from lull.desktop.pages.learning.charts import Chart, ChartMark, Series, running_mean
from lull.desktop.pages.learning.reading import axis_titles
from lull.desktop.widgets.style import small_pt
from lull.desktop.widgets.tokens import Theme

LOG_FLOOR: Final = 0.01
"""Lowest value that a chart's logarithmic scale shows."""
DAY_S: Final = 24 * 3600.0
MARK_SPAN: Final = (0.0, 0.12)
"""Lower and upper end of the mark of a change of skills, as shares of the chart's height."""
BEHIND: Final = -10
"""Qt's Z value of what is drawn behind the curves."""
BOX_ALPHA: Final = 60
"""Alpha of the boxes that show intervals, of 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartDrawing:
    """Draws one chart into a plot with given colours, smoothing and scale."""

    plot: pg.PlotWidget
    axis: DayAxis
    chart: Chart
    theme: Theme
    weight: float
    """The newest value's weight in the running mean; 1 for none."""
    log: bool
    """Whether the vertical scale is logarithmic."""

    def draw(self) -> None:
        """Draw this chart into the plot, after removing what the plot showed before."""
        self.plot.clear()
        self.plot.setLogMode(x=False, y=self.log)
        self._paint_axes()
        for series in self.chart.series:
            self._intervals(series)
        for series in self.chart.series:
            if series.line:
                self._curve(series)
        if self.chart.level is not None and not self.chart.empty:
            self._baseline(self.chart.level)
        adapters = [mark for mark in self.chart.marks if mark.adapter]
        for mark in self.chart.marks:
            self._mark(mark, adapters.index(mark) % 3 if mark.adapter else 0)

    def _paint_axes(self) -> None:
        theme = self.theme
        self.plot.setBackground(theme.card)
        font = QFont()
        font.setPointSizeF(small_pt())
        self.axis.steps = bool(self.chart.steps)
        self.axis.set_label_font(font)
        for side, title in zip(("left", "bottom"), axis_titles(self.chart), strict=True):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickFont(font)
            axis.setLabel(title, **{"color": theme.muted, "font-size": f"{small_pt():g}pt"})
        left = self.plot.getAxis("left")
        low = self.least()
        fine, even = (0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0)
        marks = [one for one in (fine if self.log else even) if one >= low]
        shares = [[(self.y(one), percent(one)) for one in marks]]
        left.setTicks(None if self.chart.steps else shares)
        self.plot.showGrid(x=False, y=True, alpha=0.15)

    @property
    def smoothed(self) -> bool:
        """Whether any curve of the chart is drawn as its running mean, with the single values faint
        behind it.
        """
        curves = (series for series in self.chart.series if series.line)
        return self.weight < 1.0 and any(len(series.dots) > 2 for series in curves)

    def _curve(self, series: Series) -> None:
        theme = self.theme
        colour = QColor(str(getattr(theme, series.colour)))
        style = Qt.PenStyle.DashLine if series.dash else Qt.PenStyle.SolidLine
        times = [dot.at_s for dot in series.dots]
        values = [dot.value for dot in series.dots]
        mean = values
        if self.weight < 1.0 and len(values) > 2:
            single = all(dot.n == 1 for dot in series.dots)
            # Single answers are noisier than daily means, so they get a smaller weight.
            mean = running_mean(values, self.weight / 6 if single else self.weight)
            faint = QColor(colour)
            faint.setAlpha(90)
            thin = None if single else pg.mkPen(faint, width=1, style=style)
            self._plot(times, values, thin, faint)
        pen = pg.mkPen(colour, width=2.4, style=style)
        self._plot(times, mean, pen, colour if mean is values else None)

    def _intervals(self, series: Series) -> None:
        """Draw the interval of each point that has one as a faint box."""
        some = [dot for dot in series.dots if dot.low is not None and dot.high is not None]
        if not some:
            return
        colour = QColor(str(getattr(self.theme, series.colour)))
        colour.setAlpha(BOX_ALPHA)
        left, right = (DAY_S * days for days in series.box_days)
        lows = [self.y(dot.low or 0.0) for dot in some]
        heights = [self.y(dot.high or 0.0) - low for dot, low in zip(some, lows, strict=True)]
        boxes = pg.BarGraphItem(
            x0=[dot.at_s + left for dot in some],
            width=right - left,
            y0=lows,
            height=heights,
            brush=pg.mkBrush(colour),
            pen=pg.mkPen(None),
        )
        boxes.setZValue(BEHIND)
        self.plot.addItem(boxes, ignoreBounds=True)

    def _plot(self, times: list[float], values: list[float], pen: Any, dot: Any) -> None:
        if self.log:
            values = [max(LOG_FLOOR, value) for value in values]
        symbol = "o" if dot is not None and (pen is None or len(times) <= 200) else None
        more = {
            "symbol": symbol,
            "symbolSize": 5 if pen is None else 6,
            "symbolBrush": dot,
            "symbolPen": None,
        }
        self.plot.plot(times, values, pen=pen, **more)

    def _baseline(self, level: float) -> None:
        """Draw the baseline; its value stands in the legend, where it hides nothing."""
        pen = pg.mkPen(self.theme.muted, width=1, style=Qt.PenStyle.DashDotLine)
        self.plot.addItem(pg.InfiniteLine(pos=self.y(level), angle=0, pen=pen))

    def _mark(self, mark: ChartMark, line: int) -> None:
        """Draw a mark; `line` is the row of its label, so that neighbours do not overlap."""
        theme = self.theme
        if not mark.adapter:
            pen = pg.mkPen(theme.edge, width=1.6)
            made = pg.InfiniteLine(pos=mark.at_s, angle=90, pen=pen, span=MARK_SPAN)
            made.setZValue(BEHIND)
            self.plot.addItem(made, ignoreBounds=True)
            return
        pen = pg.mkPen(theme.curve_c, width=1.4, style=Qt.PenStyle.DotLine)
        # No background: a value behind the words would be hidden.
        options = {"color": theme.text, "position": 0.05 + 0.09 * line}
        self.plot.addItem(
            pg.InfiniteLine(pos=mark.at_s, angle=90, pen=pen, label=mark.name, labelOpts=options),
            ignoreBounds=True,
        )

    def least(self) -> float:
        """Return the lowest value of the vertical axis."""
        if not self.log:
            return 0.0
        values = [dot.value for series in self.chart.series for dot in series.dots]
        return max(LOG_FLOOR, min(values, default=1.0) * 0.8)

    def y(self, value: float) -> float:
        """Return the plot's y coordinate of a value: its base-10 logarithm if the vertical scale is
        logarithmic, else the value.
        """
        return math.log10(max(LOG_FLOOR, value)) if self.log else value
