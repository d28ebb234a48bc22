"""Draws a chart with pyqtgraph: faint values, a bold running mean, intervals, baseline and marks.

Curves differ by dashes as well as colours. The legend above names all that is drawn. The value
under the mouse is shown below the chart, and the arrow keys move from value to value.
"""

from __future__ import annotations

import bisect
import math
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout

from lull.desktop.pages.learning.axes import DayAxis
from lull.desktop.pages.learning.charts import (
    Chart,
    ChartMark,
    ChartName,
    Series,
    running_mean,
    titles,
)
from lull.desktop.pages.learning.legend import Legend
from lull.desktop.pages.learning.reading import axis_titles, entries, near_words
from lull.desktop.widgets.accessible import SelfDrawn
from lull.desktop.widgets.parts import label
from lull.desktop.widgets.style import ThemeInForce, small_pt
from lull.desktop.words import percent, tr

PLOT_PX: Final = 220
"""Least height of a plot in pixels; a smaller page scrolls."""
LOG_FLOOR: Final = 0.01
"""Lowest value that a chart's logarithmic scale shows."""
DAY_S: Final = 24 * 3600.0
LEAST_SPAN_S: Final = DAY_S
"""Shortest time that a chart spans, in seconds, until the user zooms in."""
NEAREST_S: Final = 3600.0
"""Shortest time that can be zoomed into, in seconds."""
NEAREST_STEPS: Final = 4
ZOOM: Final = 0.5
"""Factor by which one zoom step changes the time span that is shown."""
MARK_SPAN: Final = (0.0, 0.12)
"""Lower and upper end of the mark of a change of skills, as shares of the chart's height."""
BEHIND: Final = -10
"""Qt's Z value of what is drawn behind the curves."""
BOX_ALPHA: Final = 60
"""Alpha of the boxes that show intervals, of 255."""


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that leaves the mouse wheel to the page, unless Ctrl is held."""

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
        else:
            event.ignore()


class Curves(SelfDrawn):
    """Widget that draws one chart: its legend, curves, running means, intervals and marks."""

    zoom_changed = Signal(bool)
    """Emitted with whether only a part of the chart is shown now."""

    def __init__(self, look: ThemeInForce) -> None:
        super().__init__()
        self._look = look
        self._weight = 1.0
        self._log = False
        self._chart = Chart(name=ChartName.ANSWERS)
        self._drawn: tuple[object, ...] = ()
        self._at_s: float | None = None
        """Place of the vertical line under the mouse, in Unix seconds or steps."""
        self.zoomed = False
        """Whether the user sees a part of the chart, and not the whole."""
        pg.setConfigOptions(antialias=True)
        self.plot, self._axis = self._made()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._line = pg.InfiniteLine(angle=90)
        self.legend = Legend()
        self.said: QLabel = label("", "small", wrap=True)
        self.said.setMinimumHeight(18)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.legend)
        box.addWidget(self.plot, 1)
        box.addWidget(self.said)
        look.changed.connect(self._draw)

    def _made(self) -> tuple[_Plot, DayAxis]:
        axis = DayAxis()
        plot = _Plot(axisItems={"bottom": axis})
        plot.setMinimumHeight(PLOT_PX)
        plot.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        plot.getAxis("left").enableAutoSIPrefix(False)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(x=True, y=False)
        plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        plot.scene().sigMouseMoved.connect(self._hover)
        plot.plotItem.vb.sigRangeChangedManually.connect(lambda _: self._set_zoomed(True))
        return plot, axis

    # What to show

    def set_smoothing(self, weight: float) -> None:
        """Set how strongly the chart's curves are smoothed.

        `weight` is the newest value's weight in the running mean; 1 turns smoothing off.
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
                self._set_zoomed(False)
            self._chart = chart
            self._draw()

    def values_at(self, at_s: float) -> str:
        """Describe in one line the chart's values nearest to a time (Unix seconds) or step, and
        marks near it.
        """
        return near_words(self._chart, at_s)

    def snapshot(self) -> QPixmap:
        """Return an image of the chart with its legend."""
        return self.grab()

    def move_cursor(self, by: int) -> None:
        """Move the chart's cursor to the next value if `by` is positive, else to the previous."""
        times = self._times()
        if not times:
            return
        if self._at_s is None:
            here = len(times) - 1 if by < 0 else 0
        elif by > 0:
            here = min(len(times) - 1, bisect.bisect_right(times, self._at_s))
        else:
            here = max(0, bisect.bisect_left(times, self._at_s) - 1)
        self._bring(times[here])
        self._point_at(times[here])

    # Zoom

    def zoom(self, factor: float) -> None:
        """Multiply the span of time or steps that the chart shows by `factor`; the cursor, or else
        the middle, keeps its place.
        """
        first, last = self._range()
        left, right = self._whole()
        near = NEAREST_STEPS if self._chart.steps else NEAREST_S
        wide = min(max((last - first) * factor, near), right - left)
        middle = (first + last) / 2
        if self._at_s is not None and first <= self._at_s <= last:
            middle = self._at_s
        start = min(max(left, middle - wide / 2), right - wide)
        self._see(start, start + wide)
        self._set_zoomed(wide < (right - left) * 0.999)

    def show_all(self) -> None:
        """Show the whole span of the chart again after zooming."""
        self._see(*self._whole())
        self._set_zoomed(False)

    def _bring(self, at_s: float) -> None:
        """Move the visible part of the chart so that the value at this time is in it."""
        first, last = self._range()
        if first <= at_s <= last or not self.zoomed:
            return
        left, right = self._whole()
        start = min(max(left, at_s - (last - first) / 2), right - (last - first))
        self._see(start, start + last - first)

    def _range(self) -> tuple[float, float]:
        first, last = self.plot.plotItem.vb.viewRange()[0]
        return float(first), float(last)

    def _see(self, first: float, last: float) -> None:
        self.plot.setXRange(first, last, padding=0)

    def _set_zoomed(self, zoomed: bool) -> None:
        if zoomed != self.zoomed:
            self.zoomed = zoomed
            self.zoom_changed.emit(zoomed)

    def _whole(self) -> tuple[float, float]:
        """Return the time span of all values, at least a day: a shorter axis would have no useful
        labels.
        """
        if self._chart.steps:
            return 0.0, self._chart.steps * 1.02
        times = self._times()
        if not times:
            return 0.0, LEAST_SPAN_S
        boxes = [
            dot.at_s + days * DAY_S
            for series in self._chart.series
            for dot in series.dots
            for days in series.box_days
            if dot.low is not None
        ]
        first, last = min([times[0], *boxes]), max([times[-1], *boxes])
        spare = max(0.0, LEAST_SPAN_S - (last - first)) / 2
        spare += 0.03 * (last - first + 2 * spare)
        return first - spare, last + spare

    def _times(self) -> list[float]:
        return sorted({dot.at_s for series in self._chart.series for dot in series.dots})

    # Drawing

    def _draw(self) -> None:
        chart, theme = self._chart, self._look.theme
        now = (chart, theme.name, self._weight, self._logs, small_pt())
        if now == self._drawn:
            return
        self._drawn = now
        self.setAccessibleName(self._named(chart))
        self.legend.show_entries(entries(chart, theme, smoothed=self._smoothed))
        self.plot.clear()
        self.plot.setLogMode(x=False, y=self._logs)
        self._paint_axes()
        for series in chart.series:
            self._intervals(series)
        for series in chart.series:
            if series.line:
                self._curve(series)
        if chart.level is not None and not chart.empty:
            self._baseline(chart.level)
        adapters = [mark for mark in chart.marks if mark.adapter]
        for mark in chart.marks:
            self._mark(mark, adapters.index(mark) % 3 if mark.adapter else 0)
        self._set_ranges()
        self._point_at(self._at_s)

    @property
    def _logs(self) -> bool:
        """Whether the vertical scale is logarithmic; that of a loss never is, because a loss may be
        negative.
        """
        return self._log and not self._chart.steps

    def _set_ranges(self) -> None:
        if self._chart.steps:
            values = [dot.value for series in self._chart.series for dot in series.dots] or [0.0]
            spare = 0.1 * (max(values) - min(values)) or 0.1
            self.plot.setYRange(min(values) - spare, max(values) + spare, padding=0)
        else:
            self.plot.setYRange(self._y(self._least()), self._y(1.0), padding=0.04)
        left, right = self._whole()
        near = NEAREST_STEPS if self._chart.steps else NEAREST_S
        box = self.plot.plotItem.vb
        box.setLimits(xMin=left, xMax=right, minXRange=min(near, right - left))
        if not self.zoomed:
            self._see(left, right)

    @staticmethod
    def _named(chart: Chart) -> str:
        words = tr(
            "Curve: %1. Arrow keys read out its values, plus and minus zoom, 0 shows all.",
            titles()[chart.name],
        )
        return f"{words} {chart.none if chart.empty else chart.meaning}".strip()

    def _paint_axes(self) -> None:
        theme = self._look.theme
        self.plot.setBackground(theme.card)
        font = QFont()
        font.setPointSizeF(small_pt())
        self._axis.steps = bool(self._chart.steps)
        self._axis.set_label_font(font)
        for side, title in zip(("left", "bottom"), axis_titles(self._chart), strict=True):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickFont(font)
            axis.setLabel(title, **{"color": theme.muted, "font-size": f"{small_pt():g}pt"})
        left = self.plot.getAxis("left")
        low = self._least()
        fine, even = (0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0)
        marks = [one for one in (fine if self._logs else even) if one >= low]
        shares = [[(self._y(one), percent(one)) for one in marks]]
        left.setTicks(None if self._chart.steps else shares)
        self.plot.showGrid(x=False, y=True, alpha=0.15)

    @property
    def _smoothed(self) -> bool:
        """Whether any curve is drawn as its running mean, over its faint values."""
        curves = (series for series in self._chart.series if series.line)
        return self._weight < 1.0 and any(len(series.dots) > 2 for series in curves)

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
        self._plot(times, mean, pen, colour if mean is values else None)

    def _intervals(self, series: Series) -> None:
        """Draw the interval of each point that has one as a faint box."""
        some = [dot for dot in series.dots if dot.low is not None and dot.high is not None]
        if not some:
            return
        colour = QColor(str(getattr(self._look.theme, series.colour)))
        colour.setAlpha(BOX_ALPHA)
        left, right = (DAY_S * days for days in series.box_days)
        lows = [self._y(dot.low or 0.0) for dot in some]
        heights = [self._y(dot.high or 0.0) - low for dot, low in zip(some, lows, strict=True)]
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
        if self._logs:
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
        pen = pg.mkPen(self._look.theme.muted, width=1, style=Qt.PenStyle.DashDotLine)
        self.plot.addItem(pg.InfiniteLine(pos=self._y(level), angle=0, pen=pen))

    def _mark(self, mark: ChartMark, line: int) -> None:
        """Draw a mark; `line` is the row of its label, so that neighbours do not overlap."""
        theme = self._look.theme
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

    def _least(self) -> float:
        """Return the lowest value of the vertical axis."""
        if not self._logs:
            return 0.0
        values = [dot.value for series in self._chart.series for dot in series.dots]
        return max(LOG_FLOOR, min(values, default=1.0) * 0.8)

    def _y(self, value: float) -> float:
        return math.log10(max(LOG_FLOOR, value)) if self._logs else value

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
        match Qt.Key(event.key()):
            case Qt.Key.Key_Left:
                self.move_cursor(-1)
            case Qt.Key.Key_Right:
                self.move_cursor(+1)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom(ZOOM)
            case Qt.Key.Key_Minus:
                self.zoom(1 / ZOOM)
            case Qt.Key.Key_0 | Qt.Key.Key_Home:
                self.show_all()
            case _:
                super().keyPressEvent(event)
