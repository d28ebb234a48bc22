"""Draws Lull's own icons in a given colour. The tray's six states differ by shape, not colour."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from lull.resources import icons_dir

SIZES: Final = (16, 22, 24, 32, 44, 64)


class TrayShape(StrEnum):
    """The shapes of the tray icon, one for each state of Lull, such as paused or training."""

    IDLE = "idle"
    TRAINING = "training"
    PAUSED = "paused"
    REVIEW = "review"
    ERROR = "error"
    OFF = "off"


def tray_icon(shape: TrayShape, colour: str, *, mask: bool = False) -> QIcon:
    """Draw the tray icon in one of its shapes; `mask` lets macOS choose its colour."""
    made = QIcon(icon(f"tray-{shape}", colour))
    made.setIsMask(mask)
    return made


@lru_cache(maxsize=128)
def icon(name: str, colour: str) -> QIcon:
    """Return the icon of this name, drawn in this colour in all sizes."""
    made = QIcon()
    for size in SIZES:
        made.addPixmap(pixmap(name, colour, size))
    return made


def pixmap(name: str, colour: str, size: int, *, ratio: float = 1.0) -> QPixmap:
    """Draw an icon at `size` logical pixels; `ratio` is the screen's device pixel ratio."""
    text = (icons_dir() / f"{name}.svg").read_text("utf-8").replace("currentColor", colour)
    pixels = round(size * ratio)
    drawn = QPixmap(pixels, pixels)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn
