"""Shows a chart with pyqtgraph, into which the user can zoom.

Curves differ by dashes as well as colours. The legend above names all that is drawn. The value
under the mouse is shown below the chart, and the arrow keys move from value to value.
"""

from __future__ import annotations

import bisect
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout

from lull.desktop.language.words import tr
from lull.desktop.pages.learning.axes import DayAxis
from lull.desktop.pages.learning.charts import Chart, ChartName, titles
from lull.desktop.pages.learning.drawing import DAY_S, ChartDrawing
from lull.desktop.pages.learning.legend import Legend
from lull.desktop.pages.learning.reading import entries, near_words
from lull.desktop.widgets.accessible import SelfDrawn
from lull.desktop.widgets.parts import label
from lull.desktop.widgets.style import ThemeInForce, small_pt

PLOT_PX: Final = 220
"""Least height of a plot in pixels; a smaller page scrolls."""
LEAST_SPAN_S: Final = DAY_S
"""Shortest time that a chart spans, in seconds, until the user zooms in."""
NEAREST_S: Final = 3600.0
"""Shortest time that can be zoomed into, in seconds."""
NEAREST_STEPS: Final = 4
ZOOM: Final = 0.5
"""Factor by which one zoom step changes the time span that is shown."""


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that leaves the mouse wheel to the page, unless Ctrl is held."""

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
        else:
            event.ignore()


class Curves(SelfDrawn):
    """Widget that draws one chart: its legend, curves, running means, 95% intervals, and the marked
    times at which skills or the adapter changed.
    """

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
        """Draw the vertical axis with a logarithmic scale, or with an even one."""
        self._log = on
        self._draw()

    def show_chart(self, chart: Chart) -> None:
        """Draw a chart; the zoom is kept unless it is another chart."""
        if chart != self._chart:
            if chart.name is not self._chart.name:
                self._at_s = None
                self._set_zoomed(False)
            self._chart = chart
            self._draw()

    def values_at(self, at_s: float) -> str:
        """Describe in one line the chart's values nearest to a time (Unix seconds) or training
        step, and the changes of skills or adapters marked near it.
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
        drawing = self.drawing
        self.legend.show_entries(entries(chart, theme, smoothed=drawing.smoothed))
        drawing.draw()
        self._set_ranges(drawing)
        self._point_at(self._at_s)

    @property
    def drawing(self) -> ChartDrawing:
        """An object that draws the chart with its current colours, smoothing and scale."""
        return ChartDrawing(
            plot=self.plot,
            axis=self._axis,
            chart=self._chart,
            theme=self._look.theme,
            weight=self._weight,
            log=self._logs,
        )

    @property
    def _logs(self) -> bool:
        """Whether the vertical scale is logarithmic; that of a loss never is, because a loss may be
        negative.
        """
        return self._log and not self._chart.steps

    def _set_ranges(self, drawing: ChartDrawing) -> None:
        if self._chart.steps:
            values = [dot.value for series in self._chart.series for dot in series.dots] or [0.0]
            spare = 0.1 * (max(values) - min(values)) or 0.1
            self.plot.setYRange(min(values) - spare, max(values) + spare, padding=0)
        else:
            self.plot.setYRange(drawing.y(drawing.least()), drawing.y(1.0), padding=0.04)
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
