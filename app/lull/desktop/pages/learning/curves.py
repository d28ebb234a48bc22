"""Draws a chart with pyqtgraph: faint values, a bold running mean, the baseline and marks.

Curves differ by dashes as well as colours. The value under the mouse is shown below the chart, and
the arrow keys move from value to value.
"""

from __future__ import annotations

import bisect
import math
from datetime import datetime
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QKeyEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout

from lull.desktop.pages.learning.charts import (
    Chart,
    ChartMark,
    ChartName,
    Series,
    running_mean,
    titles,
)
from lull.desktop.widgets.accessible import SelfDrawn
from lull.desktop.widgets.parts import label
from lull.desktop.widgets.style import ThemeInForce, small_pt
from lull.desktop.words import count, on_day, percent, tr

LEGEND_PX: Final = 24
"""Height of the row above a chart that names its curves."""
LOG_FLOOR: Final = 0.01
"""Lowest value that a chart's logarithmic scale shows."""
LEAST_SPAN_S: Final = 24 * 3600.0
"""Shortest time that a chart spans, in seconds."""
MARK_NEAR_S: Final = 3 * 3600.0
"""How near in seconds a mark must be to a value to be named with it."""


class Curves(SelfDrawn):
    """Widget that draws one chart: its curves, their running means, and marks."""

    def __init__(self, look: ThemeInForce) -> None:
        super().__init__()
        self._look = look
        self._weight = 1.0
        self._log = False
        self._chart = Chart(name=ChartName.ANSWERS)
        self._drawn: tuple[object, ...] = ()
        self._at_s: float | None = None
        """Time of the vertical line under the mouse, in Unix seconds."""
        pg.setConfigOptions(antialias=True)
        self.plot = pg.PlotWidget(axisItems={"bottom": pg.DateAxisItem(orientation="bottom")})
        self.plot.setMinimumHeight(130)
        self.plot.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=True, y=False)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._legend = pg.LegendItem(horSpacing=14, colCount=3)
        # Above the curves and not over them: what is under a legend cannot be read.
        rows = self.plot.plotItem.layout
        rows.removeItem(self.plot.plotItem.titleLabel)
        self.plot.plotItem.titleLabel.hide()
        rows.addItem(self._legend, 0, 1)
        rows.setRowFixedHeight(0, LEGEND_PX)
        self.plot.plotItem.legend = self._legend
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self._line = pg.InfiniteLine(angle=90)
        self.said: QLabel = label("", "small")
        self.said.setMinimumHeight(18)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.plot, 1)
        box.addWidget(self.said)
        look.changed.connect(self._draw)

    # What to show

    def smooth(self, weight: float) -> None:
        """Set how strongly the chart's curves are smoothed.

        The argument is the newest value's weight in the running mean; 1 turns smoothing off.
        """
        self._weight = weight
        self._draw()

    def logarithmic(self, on: bool) -> None:
        self._log = on
        self._draw()

    def show_chart(self, chart: Chart) -> None:
        if chart != self._chart:
            if chart.name is not self._chart.name:
                self._at_s = None
            self._chart = chart
            self._draw()

    def values_at(self, at_s: float) -> str:
        """Describe in one line the chart's values and marks nearest to a time."""
        dots = [(series, dot) for series in self._chart.series for dot in series.dots]
        if not dots:
            return ""
        nearest = min((dot for _, dot in dots), key=lambda dot: abs(dot.at_s - at_s)).at_s
        words = [on_day(datetime.fromtimestamp(nearest).astimezone(), tr("dd MMM HH:mm"))]
        for series, dot in dots:
            if dot.at_s == nearest:
                many = tr("%1 answers", count(dot.n)) if dot.n > 1 else ""
                words.append(f"{series.name} {percent(dot.value)} {many}".strip())
        near = [mark for mark in self._chart.marks if abs(mark.at_s - nearest) < MARK_NEAR_S]
        words += [mark.text for mark in near[-2:]]
        return " · ".join(words)

    def step(self, by: int) -> None:
        """Move the chart's cursor to the next value (`by` > 0) or the previous one."""
        times = sorted({dot.at_s for series in self._chart.series for dot in series.dots})
        if not times:
            return
        if self._at_s is None:
            here = len(times) - 1 if by < 0 else 0
        elif by > 0:
            here = min(len(times) - 1, bisect.bisect_right(times, self._at_s))
        else:
            here = max(0, bisect.bisect_left(times, self._at_s) - 1)
        self._point_at(times[here])

    # Drawing

    def _draw(self) -> None:
        chart, theme = self._chart, self._look.theme
        now = (chart, theme.name, self._weight, self._log)
        if now == self._drawn:
            return
        self._drawn = now
        self.setAccessibleName(self._named(chart))
        self.plot.clear()
        self.plot.setLogMode(x=False, y=self._log)
        self._paint_axes()
        for series in chart.series:
            self._curve(series)
        if chart.level is not None:
            self._baseline(chart.level)
        adapters = [mark for mark in chart.marks if mark.adapter]
        for mark in chart.marks:
            self._mark(mark, adapters.index(mark) % 3 if mark.adapter else 0)
        low, high = self._y(self._least()), self._y(1.0)
        self.plot.setYRange(low, high, padding=0.04)
        self._set_span()
        self._point_at(self._at_s)

    def _set_span(self) -> None:
        """Show all values, and never less than a day: a second has no axis that says anything."""
        times = [dot.at_s for series in self._chart.series for dot in series.dots]
        if not times:
            self.plot.enableAutoRange(axis="x")
            return
        first, last = min(times), max(times)
        spare = max(0.0, LEAST_SPAN_S - (last - first)) / 2
        self.plot.setXRange(first - spare, last + spare, padding=0.03)

    @staticmethod
    def _named(chart: Chart) -> str:
        words = tr("Curve: %1. Arrow keys tell its values.", titles()[chart.name])
        return words if not chart.empty else f"{words} {chart.none}"

    def _paint_axes(self) -> None:
        theme = self._look.theme
        self.plot.setBackground(theme.card)
        font = QFont()
        font.setPointSizeF(small_pt())
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickFont(font)
        low = self._least()
        fine, even = (0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0)
        marks = [one for one in (fine if self._log else even) if one >= low]
        self.plot.getAxis("left").setTicks([[(self._y(one), percent(one)) for one in marks]])
        self.plot.getAxis("left").setWidth(44)
        self.plot.showGrid(x=False, y=True, alpha=0.15)
        self._legend.setLabelTextColor(theme.text)
        self._legend.setBrush(pg.mkBrush(theme.card))

    def _curve(self, series: Series) -> None:
        theme = self._look.theme
        colour = QColor(str(getattr(theme, series.colour)))
        style = Qt.PenStyle.DashLine if series.dash else Qt.PenStyle.SolidLine
        times = [dot.at_s for dot in series.dots]
        values = [dot.value for dot in series.dots]
        mean = values
        if self._weight < 1.0 and len(values) > 2:
            single = all(dot.n == 1 for dot in series.dots)
            # Single answers are noisier than daily means, so they get a smaller weight.
            mean = running_mean(values, self._weight / 6 if single else self._weight)
            faint = QColor(colour)
            faint.setAlpha(90)
            thin = None if single else pg.mkPen(faint, width=1, style=style)
            self._plot(times, values, thin, faint)
        pen = pg.mkPen(colour, width=2.4, style=style)
        self._plot(times, mean, pen, colour if mean is values else None, name=series.name)

    def _plot(
        self, times: list[float], values: list[float], pen: Any, dot: Any, name: str | None = None
    ) -> None:
        if self._log:
            values = [max(LOG_FLOOR, value) for value in values]
        symbol = "o" if dot is not None and (pen is None or len(times) <= 200) else None
        more = {
            "symbol": symbol,
            "symbolSize": 5 if pen is None else 6,
            "symbolBrush": dot,
            "symbolPen": None,
        }
        self.plot.plot(times, values, pen=pen, name=name, **more)

    def _baseline(self, level: float) -> None:
        theme = self._look.theme
        words = tr("baseline %1", percent(level))
        # Right of the axis and above the line, so that neither crosses the words.
        options = {**self._words(), "position": 0.04, "anchors": [(0, 1), (0, 1)]}
        pen = pg.mkPen(theme.muted, width=1, style=Qt.PenStyle.DashDotLine)
        self.plot.addItem(
            pg.InfiniteLine(pos=self._y(level), angle=0, pen=pen, label=words, labelOpts=options)
        )

    def _mark(self, mark: ChartMark, line: int) -> None:
        """Draw a mark; `line` is the row of its label, so that neighbours do not overlap."""
        theme = self._look.theme
        if not mark.adapter:
            pen = pg.mkPen(theme.line, width=1)
            self.plot.addItem(pg.InfiniteLine(pos=mark.at_s, angle=90, pen=pen), ignoreBounds=True)
            return
        pen = pg.mkPen(theme.curve_c, width=1.4, style=Qt.PenStyle.DotLine)
        options = {**self._words(), "position": 0.05 + 0.09 * line}
        self.plot.addItem(
            pg.InfiniteLine(pos=mark.at_s, angle=90, pen=pen, label=mark.name, labelOpts=options),
            ignoreBounds=True,
        )

    def _words(self) -> dict[str, Any]:
        """Label options: text on a background, so that no dot shows through it."""
        ground = QColor(self._look.theme.card)
        ground.setAlpha(215)
        return {"color": self._look.theme.muted, "fill": ground}

    def _least(self) -> float:
        """The lowest value to draw."""
        if not self._log:
            return 0.0
        values = [dot.value for series in self._chart.series for dot in series.dots]
        return max(LOG_FLOOR, min(values, default=1.0) * 0.8)

    def _y(self, value: float) -> float:
        return math.log10(max(LOG_FLOOR, value)) if self._log else value

    # Values

    def _hover(self, position: Any) -> None:
        if self.plot.sceneBoundingRect().contains(position) and not self._chart.empty:
            self._point_at(self.plot.plotItem.vb.mapSceneToView(position).x())

    def _point_at(self, at_s: float | None) -> None:
        self._at_s = at_s
        if at_s is None or self._chart.empty:
            self.said.setText("")
            return
        self._line.setPen(pg.mkPen(self._look.theme.edge, width=1))
        self._line.setPos(at_s)
        if self._line not in self.plot.plotItem.items:
            self.plot.addItem(self._line, ignoreBounds=True)
        words = self.values_at(at_s)
        self.said.setText(words)
        self.setAccessibleDescription(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: +1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.step(step)
