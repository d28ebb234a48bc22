"""Picture of the week on which the user marks hours, such as sleep hours, by dragging the mouse or
with the arrow keys.

Shift with an arrow key extends the marked hours. Marking that begins on hours already set removes
them. The result is emitted as a signal; nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen

from lull.desktop.language.words import on_day, tr
from lull.desktop.pages.schedule.hours_edit import DAY_MIN, Stretch, Week, holds, week_of
from lull.desktop.pages.schedule.week import WeekView
from lull.desktop.pages.schedule.week_bars import DAY
from lull.desktop.service.state import WEEK_DAYS
from lull.desktop.widgets.style import ThemeInForce

SNAP_MIN: Final = 15
"""Step in minutes to which the mouse snaps when hours are drawn."""
STEP_MIN: Final = 30
"""Minutes by which an arrow key moves the end of hours that are being marked in the week."""


class WeekEditor(WeekView):
    """Widget with a picture of the week on which the user marks hours, such as sleep hours, to add
    or to remove them.
    """

    drawn = Signal(int, object, bool)
    """Emitted when hours were drawn: weekday (0 is Monday), span in minutes, whether to add it."""
    pointed = Signal(str)
    """Emitted with a description of the marked hours and what Enter would do."""

    def __init__(self, look: ThemeInForce) -> None:
        super().__init__(look)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self._set: Week = week_of(())
        self._cursor: tuple[int, int, int] | None = None
        """Day shown, minute of the anchor and minute of the other end."""
        self._dragging = False

    def set_hours(self, lines: Sequence[str]) -> None:
        """Set the weekly hours that the user will change on the picture, given as setting lines
        such as "mon-fri 23:00-07:00".
        """
        self._set = week_of(lines)

    @property
    def marked_span(self) -> tuple[int, Stretch] | None:
        """Return the day and the span of minutes that the user has marked; None if nothing is
        marked.
        """
        if self._cursor is None:
            return None
        day, one, other = self._cursor
        return day, (min(one, other), max(one, other))

    def weekday(self, day: int) -> int:
        """Return the weekday of a line of the picture, with Monday as 0."""
        return (self._first + day * DAY).weekday()

    def finish_marking(self) -> None:
        """End the marking, and emit a signal that asks to add the marked hours, or to remove them
        if marking began on hours already set.
        """
        found = self.marked_span
        if found is None or found[1][0] == found[1][1]:
            return
        day, stretch = found
        adds = not holds(self._set, self.weekday(day), self._begun_at())
        self._cursor = None
        self.pointed.emit("")
        self.update()
        self.drawn.emit(self.weekday(day), stretch, adds)

    def _begun_at(self) -> int:
        """Return the minute at which marking began; if the user marks backwards, the minute before
        it.
        """
        assert self._cursor is not None
        _, one, other = self._cursor
        return one if one < other else one - 1

    def _mark(self, day: int, one: int, other: int) -> None:
        self._cursor = (day, max(0, min(DAY_MIN, one)), max(0, min(DAY_MIN, other)))
        self.update()
        words = self._in_words()
        self.setAccessibleDescription(words)
        self.pointed.emit(words)

    def _in_words(self) -> str:
        found = self.marked_span
        if found is None:
            return ""
        day, (low, high) = found
        there = holds(self._set, self.weekday(day), self._begun_at())
        does = tr("remove these hours") if there else tr("add these hours")
        times = f"{low // 60:02}:{low % 60:02}–{high // 60:02}:{high % 60:02}"
        return tr("%1 %2: %3", on_day(self._first + day * DAY, "dddd"), times, does)

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        place = self.day_and_minute_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and place is not None:
            at = int(place[1] // SNAP_MIN) * SNAP_MIN
            self._dragging = True
            self._mark(place[0], at, at + SNAP_MIN)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._dragging and self._cursor is not None:
            day, start, _ = self._cursor
            minute = (event.position().x() - self.label_width) / self.hour_width * 60
            end = round(minute / SNAP_MIN) * SNAP_MIN
            self._mark(day, start, end if end != start else start + SNAP_MIN)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._dragging and event.button() is Qt.MouseButton.LeftButton:
            self._dragging = False
            self.finish_marking()

    # The keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key = Qt.Key(event.key())
        stretches = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match key:
            case Qt.Key.Key_Left:
                self._move(-STEP_MIN, stretches)
            case Qt.Key.Key_Right:
                self._move(+STEP_MIN, stretches)
            case Qt.Key.Key_Up:
                self._other_day(-1)
            case Qt.Key.Key_Down:
                self._other_day(+1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                found = self._here()
                self.finish_marking()
                self._mark(*found)
            case Qt.Key.Key_Escape if self._cursor is not None:
                self._cursor, self._dragging = None, False
                self.pointed.emit("")
                self.update()
            case _:
                super().keyPressEvent(event)

    def _here(self) -> tuple[int, int, int]:
        return self._cursor or (0, 8 * 60, 8 * 60 + STEP_MIN)

    def _move(self, by_min: int, stretches: bool) -> None:
        day, one, other = self._here()
        if stretches:
            other = max(0, min(DAY_MIN, other + by_min))
            # Keep at least one step marked.
            self._mark(day, one, other if other != one else other + by_min)
            return
        low = max(0, min(DAY_MIN - STEP_MIN, min(one, other) + by_min))
        self._mark(day, low, low + STEP_MIN)

    def _other_day(self, by: int) -> None:
        day, one, other = self._here()
        self._mark(max(0, min(WEEK_DAYS - 1, day + by)), one, other)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        by_keys = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        )
        if by_keys and self._cursor is None:
            self._mark(*self._here())

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self._cursor, self._dragging = None, False
        self.pointed.emit("")
        self.update()

    # Drawing

    def paint_over(self, painter: QPainter) -> None:
        found = self.marked_span
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._look.theme.accent), 2))
            painter.drawRoundedRect(QRectF(1, 1, self.width() - 2, self.height() - 2), 6, 6)
        if found is None:
            return
        day, (low, high) = found
        colour = QColor(self._look.theme.accent)
        fill = QColor(colour)
        fill.setAlpha(60)
        painter.setPen(QPen(colour, 2))
        painter.setBrush(QBrush(fill))
        x, y = (
            self.label_width + low / 60 * self.hour_width,
            self.header_height + day * self.day_height,
        )
        painter.drawRect(QRectF(x, y + 1, (high - low) / 60 * self.hour_width, self.day_height - 2))
