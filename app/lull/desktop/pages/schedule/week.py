"""Draws the Schedule page's picture of the week, past and coming days, with one line per day from
midnight to midnight.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip

from lull.desktop.language.words import hover, tr, week_day
from lull.desktop.pages.schedule.week_bars import DAY, Bar, BarKind, joined, kind_words, pieces
from lull.desktop.service.state import WEEK_DAYS
from lull.desktop.widgets.accessible import SelfDrawn
from lull.desktop.widgets.style import ThemeInForce
from lull.desktop.widgets.tokens import Theme

LEFT: Final = 104
TOP: Final = 22
LEAST_LINE: Final = 34
LEAST_WIDE: Final = 4.0
"""Width in pixels of what lasts a few minutes."""
WIDE_DAY: Final = "Wed 30 Mmm"
"""A day's label that is as wide as any, to compute the width of the column."""


def planned_fill(theme: Theme) -> QColor:
    """Return the colour within the frame of what is planned: halfway from the card to the frame."""
    card, accent = QColor(theme.card), QColor(theme.accent)
    return QColor(
        (card.red() + accent.red()) // 2,
        (card.green() + accent.green()) // 2,
        (card.blue() + accent.blue()) // 2,
    )


class WeekView(SelfDrawn):
    """Widget that draws a week as one line per day, with bars for times such as sleep hours or
    Lull's work, and their descriptions as tooltips.
    """

    def __init__(self, look: ThemeInForce) -> None:
        super().__init__()
        self._look = look
        self._bars: list[Bar] = []
        self._first = date.min
        self._now: datetime | None = None
        self.setAccessibleName(tr("The week: hours, calendar, idle times and work"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        look.changed.connect(self.update)

    def show_bars(self, bars: Sequence[Bar], first: date, now: datetime) -> None:
        """Draw these bars, in the week that begins on day `first`, and the current time."""
        self._bars, self._first, self._now = list(bars), first, now
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(640, self.header_height + WEEK_DAYS * max(LEAST_LINE, self._text_high) + 6)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        width = self.label_width + 3 * self._text_wide("00:00") + 8
        return QSize(width, self.header_height + WEEK_DAYS * max(26, self._text_high) + 6)

    # Geometry

    def _text_wide(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)

    @property
    def _text_high(self) -> int:
        return self.fontMetrics().lineSpacing()

    @property
    def label_width(self) -> int:
        """Return the width in pixels of the column of day names beside the picture of the week."""
        return max(LEFT, self._text_wide(WIDE_DAY) + 20)

    @property
    def header_height(self) -> int:
        """Return the height in pixels of the row of hours above the picture of the week."""
        return max(TOP, self._text_high + 4)

    @property
    def _hours_apart(self) -> int:
        """Return how many hours lie between two labels of the hours, so that the labels do not
        touch.
        """
        wide = self._text_wide("00:00") + 8
        return next((hours for hours in (3, 6, 12) if hours * self.hour_width >= wide), 24)

    @property
    def day_height(self) -> float:
        """Return the height in pixels of one day's line in the picture of the week."""
        return (self.height() - self.header_height - 4) / WEEK_DAYS

    @property
    def hour_width(self) -> float:
        """Return the width in pixels of one hour in the picture of the week."""
        return (self.width() - self.label_width - 8) / 24

    def day_and_minute_at(self, at: QPointF) -> tuple[int, float] | None:
        """Return the day (0 is the first shown) and the minute of that day at a point of the
        picture; None for a point outside.
        """
        day = int((at.y() - self.header_height) // self.day_height)
        minute = (at.x() - self.label_width) / self.hour_width * 60
        return (day, minute) if 0 <= day < WEEK_DAYS and 0 <= minute < 24 * 60 else None

    def bars_text_at(self, at: QPointF) -> str:
        """Describe the bars at a point of the week's picture, one line of text for each bar."""
        place = self.day_and_minute_at(at)
        if place is None:
            return ""
        day, hour = self._first + place[0] * DAY, place[1] / 60
        words, lines = kind_words(), []
        for bar in self._bars:
            piece = pieces(bar, day)
            if piece is not None and piece[0] <= hour <= piece[1]:
                times = f"{bar.start:%H:%M}–{bar.end:%H:%M}"
                lines.append(" · ".join(p for p in (times, words[bar.kind], bar.text) if p))
        return "\n".join(lines)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = hover(self.bars_text_at(QPointF(event.pos())))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    # Drawing

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, hour = self.day_height, self.hour_width
        self._paint_grid(painter, line, hour)
        for number in range(WEEK_DAYS):
            day = self._first + number * DAY
            for bar in joined(self._bars):
                piece = pieces(bar, day)
                if piece is not None:
                    x = self.label_width + piece[0] * hour
                    width = max(LEAST_WIDE, (piece[1] - piece[0]) * hour)
                    self._paint_bar(
                        painter, bar, x, self.header_height + number * line, width, line
                    )
        self._paint_now(painter, line, hour)
        self.paint_over(painter)
        painter.end()

    def paint_over(self, painter: QPainter) -> None:
        """Draw on top of the picture of the week; does nothing unless a subclass overrides it."""

    def _paint_grid(self, painter: QPainter, line: float, hour: float) -> None:
        theme, left, top = self._look.theme, self.label_width, self.header_height
        bottom = top + WEEK_DAYS * line
        for mark in range(0, 25, 3):
            x = left + mark * hour
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(int(x), top, int(x), int(bottom))
            painter.setPen(QColor(theme.muted))
            if mark < 24 and mark % self._hours_apart == 0:
                half = self._text_wide("00:00") / 2 + 2
                at = QRectF(x - half, 0, 2 * half, top - 4)
                painter.drawText(at, _MIDDLE, f"{mark:02}:00")
        for number in range(WEEK_DAYS):
            day = self._first + number * DAY
            y = top + number * line
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(left, int(y), self.width() - 8, int(y))
            today = self._now is not None and day == self._now.date()
            painter.setPen(QColor(theme.accent if today else theme.muted))
            words = tr("Today") if today else week_day(day)
            painter.drawText(QRectF(0, y, left - 10, line), _RIGHT, words)

    def _paint_bar(
        self, painter: QPainter, bar: Bar, x: float, y: float, width: float, line: float
    ) -> None:
        theme = self._look.theme
        back = {BarKind.SLEEP: theme.hover, BarKind.ALLOWED: theme.good_back}
        painter.setPen(Qt.PenStyle.NoPen)
        if bar.kind in back:
            painter.fillRect(QRectF(x, y + 1, width, line - 2), QColor(back[bar.kind]))
            return
        colour, top, height = {
            BarKind.BLOCKED: (theme.bad_back, 0.04, 0.92),
            BarKind.AWAY: (theme.good, 0.10, 0.22),
            BarKind.BUSY: (theme.bad, 0.10, 0.22),
            BarKind.IDLE: (theme.edge, 0.90, 0.06),
            BarKind.LULL: (theme.chosen, 0.40, 0.44),
            BarKind.WORK: (theme.accent, 0.50, 0.26),
            BarKind.PLANNED: (theme.accent, 0.50, 0.26),
        }[bar.kind]
        brush = QBrush(QColor(colour))
        if bar.kind is BarKind.PLANNED:
            painter.setPen(QPen(QColor(theme.accent), 1.4))
            brush = QBrush(planned_fill(theme))  # an empty frame of a few minutes looks like a 0
        if bar.kind is BarKind.BLOCKED:
            painter.fillRect(QRectF(x, y + 1, width, line - 2), brush)
            brush = QBrush(QColor(theme.bad), Qt.BrushStyle.BDiagPattern)
        painter.setBrush(brush)
        round_px = min(3.0, width / 4)  # rounder, a few minutes would look like a digit
        painter.drawRoundedRect(QRectF(x, y + line * top, width, line * height), round_px, round_px)

    def _paint_now(self, painter: QPainter, line: float, hour: float) -> None:
        if self._now is None:
            return
        number = (self._now.date() - self._first).days
        if 0 <= number < WEEK_DAYS:
            x = self.label_width + (self._now.hour + self._now.minute / 60) * hour
            y = self.header_height + number * line
            painter.setPen(QPen(QColor(self._look.theme.accent), 2))
            painter.drawLine(int(x), int(y), int(x), int(y + line))


_MIDDLE: Final = Qt.AlignmentFlag.AlignCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
