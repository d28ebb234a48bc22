"""Shows a chart into which the user can zoom.

Curves differ by dashes as well as colours. The legend above names all that is drawn. The value
under the mouse is shown below the chart, and the arrow keys move from value to value.
"""

from __future__ import annotations

import bisect
from typing import Final

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPen, QPixmap
from PySide6.QtWidgets import QLabel, QVBoxLayout

from lull.desktop.language.words import tr
from lull.desktop.pages.learning.charts import Chart, ChartName, titles
from lull.desktop.pages.learning.drawing import DAY_S, ChartDrawing
from lull.desktop.pages.learning.reading import entries, near_words
from lull.desktop.widgets.accessible import SelfDrawn
from lull.desktop.widgets.chart.legend import Legend
from lull.desktop.widgets.chart.plot import Plot, PlotFrame
from lull.desktop.widgets.parts import label
from lull.desktop.widgets.style import ThemeInForce, small_pt

LEAST_SPAN_S: Final = DAY_S
"""Shortest time that a chart spans, in seconds, until the user zooms in."""
NEAREST_S: Final = 3600.0
"""Shortest time that can be zoomed into, in seconds."""
NEAREST_STEPS: Final = 4
ZOOM: Final = 0.5
"""Factor by which one zoom step changes the time span that is shown."""


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
        self._first, self._last = 0.0, LEAST_SPAN_S
        """The times, or steps, at the edges of the part that is shown."""
        self.plot = Plot()
        self.plot.pointed.connect(self._hover)
        self.plot.dragged.connect(self._drag)
        self.plot.wheeled.connect(lambda notches, at_s: self._zoom_at(ZOOM ** (notches / 2), at_s))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.legend = Legend()
        self.said: QLabel = label("", "small", wrap=True)
        self.said.setMinimumHeight(18)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.legend)
        box.addWidget(self.plot, 1)
        box.addWidget(self.said)
        look.changed.connect(self._draw)

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
        middle = (first + last) / 2
        if self._at_s is not None and first <= self._at_s <= last:
            middle = self._at_s
        self._see_around(middle, 0.5, factor)

    def _zoom_at(self, factor: float, at_s: float) -> None:
        """Zoom so that the time under the mouse stays under it."""
        first, last = self._range()
        self._see_around(at_s, (at_s - first) / (last - first), factor)

    def _see_around(self, at_s: float, share: float, factor: float) -> None:
        """Multiply the span that is shown; `at_s` is then at this share of the width."""
        first, last = self._range()
        left, right = self._whole()
        near = NEAREST_STEPS if self._chart.steps else NEAREST_S
        wide = min(max((last - first) * factor, near), right - left)
        start = min(max(left, at_s - wide * share), right - wide)
        self._see(start, start + wide)
        self._set_zoomed(wide < (right - left) * 0.999)

    def _drag(self, by: float) -> None:
        """Move the visible part of the chart by so much time, as far as the chart goes."""
        first, last = self._range()
        left, right = self._whole()
        by = min(max(by, left - first), right - last)
        if by:
            self._see(first + by, last + by)

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
        return self._first, self._last

    def _see(self, first: float, last: float) -> None:
        self._first, self._last = first, last
        self.plot.draw(self._frame, self.drawing.paint)

    def _frame(self, inside: QRectF) -> PlotFrame:
        return self.drawing.frame(inside, self._first, self._last)

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
        self.legend.show_entries(entries(chart, theme, smoothed=self.drawing.smoothed))
        left, right = self._whole()
        first, last = max(left, self._first), min(right, self._last)
        if self.zoomed and first < last:
            self._see(first, last)
        else:
            self.show_all()
        self._point_at(self._at_s)

    @property
    def drawing(self) -> ChartDrawing:
        """An object that draws the chart with its current colours, smoothing and scale."""
        return ChartDrawing(
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

    @staticmethod
    def _named(chart: Chart) -> str:
        words = tr(
            "Curve: %1. Arrow keys read out its values, plus and minus zoom, 0 shows all.",
            titles()[chart.name],
        )
        return f"{words} {chart.none if chart.empty else chart.meaning}".strip()

    # Values

    def _hover(self, at_s: float) -> None:
        if not self._chart.empty:
            self._point_at(at_s)

    def _point_at(self, at_s: float | None) -> None:
        self._at_s = at_s
        shown = None if self._chart.empty else at_s
        self.plot.show_line(shown, QPen(QColor(self._look.theme.edge), 1))
        if at_s is None or self._chart.empty:
            self.said.setText("")
            return
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
