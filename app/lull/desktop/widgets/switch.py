"""A check box drawn as a sliding switch, with the word "on" or "off" beside it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QApplication, QCheckBox

from lull.desktop.language.words import tr
from lull.desktop.widgets.tokens import GAP

EDGE: Final = 4
"""Pixels around the switch for the ring that shows the keyboard focus."""
LONG: Final = 1.8
"""Width of the switch's track as a multiple of its height."""


class Switch(QCheckBox):
    """A check box that is drawn as a switch with the word "on" or "off" beside it.

    So the state shows not only in the switch's colour and the side of its knob. The mouse wheel
    does not change it but scrolls the page.
    """

    def __init__(self, name: str) -> None:
        """Create a switch that is off; `name` says what it turns on and off."""
        super().__init__()
        self.setAccessibleName(name)
        self.toggled.connect(self._say)
        self._say(False)

    def _say(self, on: bool) -> None:
        self.setText(tr("on") if on else tr("off"))

    def _track(self) -> int:
        """The height of the track, which grows with the size of texts."""
        return self.fontMetrics().height() + 1

    # Qt's own

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics: QFontMetrics = self.fontMetrics()
        words = max(metrics.horizontalAdvance(one) for one in (tr("on"), tr("off")))
        width = words + GAP + round(LONG * self._track()) + 2 * EDGE
        return QSize(width, metrics.height() + 2 * EDGE)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def hitButton(self, at: QPoint) -> bool:  # noqa: N802
        """Make the word beside the switch clickable too."""
        return self.rect().contains(at)

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high = self._track()
        track = QRectF(0, 0, round(LONG * high), high)
        track.moveCenter(QRectF(self.rect()).center())
        track.moveRight(self.width() - EDGE)
        words = self.rect().adjusted(EDGE, 0, -round(track.width()) - GAP - EDGE, 0)
        painter.setPen(_colour(QPalette.ColorRole.Text))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(words, right, self.text())
        self._paint_track(painter, track)
        if self.hasFocus():
            painter.setPen(QPen(_colour(QPalette.ColorRole.Accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), EDGE, EDGE)

    def _paint_track(self, painter: QPainter, track: QRectF) -> None:
        on, radius = self.isChecked(), track.height() / 2
        edge = _colour(QPalette.ColorRole.Accent if on else QPalette.ColorRole.Dark)
        painter.setPen(QPen(edge, 1))
        painter.setBrush(edge if on else _colour(QPalette.ColorRole.Base))
        painter.drawRoundedRect(track.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        knob = QRectF(0, 0, track.height() - 6, track.height() - 6)
        knob.moveCenter(track.center())
        if on:
            knob.moveRight(track.right() - 3)
        else:
            knob.moveLeft(track.left() + 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_colour(QPalette.ColorRole.BrightText) if on else edge)
        painter.drawEllipse(knob)


def _colour(role: QPalette.ColorRole) -> QColor:
    """Return a colour from the theme, because a style sheet changes some colours in a widget's own
    palette.
    """
    return QApplication.palette().color(role)
