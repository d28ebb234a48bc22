"""Draws the arms' learning curves and the contribution of each part of Lull as one picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

Row = dict[str, Any]
_WIDTH, _HEIGHT, _LEFT, _TOP = 1120, 580, 70, 70
_CURVES, _BARS = 560, 260
_NAME = 15
"""Height in pixels of a curve's name."""
_COLOURS: Final = {
    "baseline": "#8a8f98",
    "pasted by hand": "#b0703c",
    "skills": "#3d7fd0",
    "full": "#2f8f4e",
    "oracle": "#7a5fb0",
}
_BETWEEN = 42
"""Height in pixels of one difference with its words."""


def draw(rows: Sequence[Row], effects: Sequence[Row], *, path: Path) -> None:
    """Draw the chart as a PNG file, of the differences those that were measured. Needs Qt, which
    renders off-screen.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

    app = QGuiApplication.instance() or QGuiApplication([])
    image = QImage(_WIDTH, _HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor("#222222"))
    painter.drawText(_LEFT, 28, "Requests done as the person wants, by day (simulated person)")
    painter.drawText(
        _LEFT + 600, 28, "Differences in the second half, 95 % of resampled persons and days"
    )
    _axes(painter, len(rows[0]["right_by_day"]))
    # From the lowest upwards: each name stands clear of the one below it.
    free = float(_HEIGHT)
    for row in sorted(rows, key=lambda row: float(row["right_by_day"][-1])):
        if row["arm"] in _COLOURS:
            free = _curve(painter, row, below=free)
    _effects(painter, [effect for effect in effects if "effect" in effect])
    painter.end()
    image.save(str(path))
    del app


def _y(share: float) -> float:
    return _TOP + (1 - share) * 360


def _x(day: int, days: int) -> float:
    return _LEFT + (day - 1) * (_CURVES - 90) / max(1, days - 1)


def _axes(painter: QPainter, days: int) -> None:
    from PySide6.QtCore import QLineF, QPointF
    from PySide6.QtGui import QColor

    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        painter.setPen(QColor("#e3e5e8"))
        painter.drawLine(QLineF(_LEFT, y, _x(days, days), y))
        painter.setPen(QColor("#555555"))
        painter.drawText(QPointF(_LEFT - 42, y + 5), f"{tenth * 10} %")
    for day in range(1, days + 1):
        painter.drawText(QPointF(_x(day, days) - 4, _y(0) + 22), str(day))


def _curve(painter: QPainter, row: Row, *, below: float) -> float:
    """Draw a curve with its name; return the limit for the next name's position."""
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QColor, QPen, QPolygonF

    shares = row["right_by_day"]
    points = [QPointF(_x(day, len(shares)), _y(share)) for day, share in enumerate(shares, 1)]
    painter.setPen(QPen(QColor(_COLOURS[row["arm"]]), 2.5))
    painter.drawPolyline(QPolygonF(points))
    y = min(points[-1].y() + 5, below)
    painter.drawText(QPointF(points[-1].x() + 8, y), row["arm"])
    return y - _NAME


def _effects(painter: QPainter, effects: Sequence[Row]) -> None:
    from PySide6.QtCore import QLineF, QPointF, QRectF
    from PySide6.QtGui import QColor, QPen

    middle = _LEFT + 840
    ends = [abs(effect[end] or 0) for effect in effects for end in ("low", "high", "effect")]
    scale = _BARS / 2 / max([0.2, *ends])
    painter.setPen(QColor("#bbbbbb"))
    painter.drawLine(QLineF(middle, _TOP, middle, _TOP + _BETWEEN * len(effects)))
    for number, effect in enumerate(effects):
        y = _TOP + _BETWEEN * number
        width = effect["effect"] * scale
        painter.fillRect(QRectF(min(middle, middle + width), y, abs(width), 14), QColor("#9cc7a8"))
        painter.setPen(QPen(QColor("#222222"), 1.5))
        if effect["low"] is not None:
            low, high = (middle + effect[end] * scale for end in ("low", "high"))
            painter.drawLine(QLineF(low, y + 7, high, y + 7))
        said = f"{effect['part']}: {100 * effect['effect']:+.1f} points"
        painter.drawText(QPointF(_LEFT + 600, y + 30), said)
