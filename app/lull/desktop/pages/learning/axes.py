"""The axis of days below a chart: as many dates as fit side by side, in the user's language."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtGui import QFont, QFontMetricsF

from lull.desktop.language.words import count, on_day, tr

HOURS: Final = (1, 3, 6, 12)
TICK_DAYS: Final = (1, 2, 7, 14, 28, 56, 91, 182, 364)
DAY_S: Final = 86_400.0
MONTHS_FROM: Final = 56
"""Days between two labels of the axis from which on the labels name months, not days."""


class DayAxis(pg.AxisItem):  # type: ignore[misc]
    """A horizontal axis of local days and hours, or of the steps of a training run."""

    def __init__(self) -> None:
        super().__init__(orientation="bottom")
        self.enableAutoSIPrefix(False)
        self.steps = False
        """Whether the axis counts steps, and not days."""
        self._label_px = 80.0

    def set_label_font(self, font: QFont) -> None:
        """Set the font of the axis labels; the larger the font, the fewer labels are drawn."""
        self.setTickFont(font)
        self._label_px = QFontMetricsF(font).horizontalAdvance("00. Mmm. 0000") + 8

    # pyqtgraph's own

    def tickValues(self, minVal: float, maxVal: float, size: float) -> Any:  # noqa: N802, N803
        if self.steps:
            return super().tickValues(minVal, maxVal, size)
        span = max(maxVal - minVal, 1.0)
        for hours in HOURS:
            if size * hours * 3600 / span >= self._label_px:
                return [(hours * 3600.0, list(_hours(minVal, maxVal, hours)))]
        fitting = (days for days in TICK_DAYS if size * days * DAY_S / span >= self._label_px)
        days = next(fitting, TICK_DAYS[-1])
        return [(days * DAY_S, list(_days(minVal, maxVal, days)))]

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:  # noqa: N802
        if self.steps:  # between two steps there is nothing
            return [count(int(value)) if value == int(value) else "" for value in values]
        return [_said(to_local_time(value), spacing) for value in values]


def _hours(first: float, last: float, step: int) -> Iterator[float]:
    """Yield the times every `step` hours from each midnight, also on days on which the clocks are
    changed.
    """
    for day in _dates(first, last):
        for hour in range(0, 24, step):
            at_s = _start(day, hour)
            if first <= at_s <= last:
                yield at_s


def _days(first: float, last: float, step: int) -> Iterator[float]:
    for day in _dates(first, last):
        at_s = _start(day)
        if day.toordinal() % step == 0 and first <= at_s <= last:
            yield at_s


def _dates(first: float, last: float) -> Iterator[date]:
    day, end = to_local_time(first).date(), to_local_time(last).date()
    while day <= end:
        yield day
        day += timedelta(days=1)


def _start(day: date, hour: int = 0) -> float:
    return datetime.combine(day, time(hour)).astimezone().timestamp()


def to_local_time(at_s: float) -> datetime:
    """Convert Unix seconds to a date and time in this machine's time zone."""
    return datetime.fromtimestamp(at_s, UTC).astimezone()


def _said(at: datetime, spacing: float) -> str:
    if spacing < DAY_S and at.hour + at.minute:
        return on_day(at, "HH:mm")
    if spacing >= MONTHS_FROM * DAY_S:
        return on_day(at, tr("MMM yyyy"))
    return on_day(at, tr("dd MMM"))
