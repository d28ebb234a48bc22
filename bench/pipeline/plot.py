"""Draws the composite score by run: how much a series gains while Lull learns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

Row = dict[str, Any]
_WIDTH, _HEIGHT, _LEFT, _TOP, _DEEP = 760, 440, 70, 60, 310
_COLOURS: Final = {
    "baseline": "#8a8f98",
    "passthrough": "#c2a15a",
    "skills": "#3d7fd0",
    "full": "#2f8f4e",
}


def draw(rows: Sequence[Row], *, path: Path, simulated: bool) -> None:
    """Draw the chart as a PNG file. Needs Qt, which renders off-screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QLineF, QPointF
    from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QPen, QPolygonF

    curves = [(r["condition"], r["composite_by_run"]) for r in rows if "composite_by_run" in r]
    runs = max((len(curve) for _, curve in curves), default=1)
    app = QGuiApplication.instance() or QGuiApplication([])
    image = QImage(_WIDTH, _HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor("#222222"))
    who = "scripted student, simulated" if simulated else "one model"
    painter.drawText(_LEFT, 28, f"Composite of each run of a course, mean over seeds ({who})")

    def at(run: int, value: float) -> QPointF:
        wide = (_WIDTH - _LEFT - 120) / max(1, runs - 1)
        return QPointF(_LEFT + (run - 1) * wide, _TOP + (1 - value) * _DEEP)

    for tenth in range(0, 11, 2):
        painter.setPen(QColor("#e3e5e8"))
        painter.drawLine(QLineF(at(1, tenth / 10), at(runs, tenth / 10)))
        painter.setPen(QColor("#555555"))
        painter.drawText(at(1, tenth / 10) + QPointF(-36, 5), f"{tenth / 10:.1f}")
    for run in range(1, runs + 1):
        painter.drawText(at(run, 0) + QPointF(-4, 22), str(run))
    for name, curve in curves:
        points = [at(run, value) for run, value in enumerate(curve, 1)]
        dashed = name == "passthrough"  # it lies on the baseline
        pen = QPen(QColor(_COLOURS.get(name, "#222222")), 2.5)
        if dashed:
            pen.setDashPattern([3.0, 4.0])
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(points))
        painter.drawText(points[-1] + QPointF(8, 18 if dashed else 5), name)
    painter.end()
    image.save(str(path))
    del app
