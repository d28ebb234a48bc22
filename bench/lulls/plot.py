"""Draws one simulated week: a row per day with the person's presence, the free time, and which
policy used it.
"""

import os
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Final

from bench.lulls.spans import Span, Spans, both
from bench.lulls.world import World
from lull.core.calendars.event import Meaning

_LEFT, _TOP, _HOUR, _LANE, _GAP, _FOOT = 110, 70, 44, 14, 26, 70
_LANES: Final = (
    ("somebody is here", "#b8bcc4"),
    ("calendar: away / busy", "#8fb4e3"),
    ("free, five minutes or more", "#d8e8c8"),
    ("used by Lull", "#2f8f4e"),
    ("used by MetaClaw's policy", "#c9762b"),
)
_DISTURBED: Final = "#c0282d"
_NOTE: Final = (
    "Each day from top to bottom in this order. Red is never drawn thinner than a line; "
    "Lull's is a fifth of a second."
)


def draw_week(
    world: World, lull: Spans, metaclaw: Spans, usable: Spans, *, week: int, path: Path
) -> None:
    """Draw one week of a simulated year as a PNG file. Needs Qt, which renders off-screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

    app = QGuiApplication.instance() or QGuiApplication([])
    height = _TOP + 7 * (len(_LANES) * _LANE + _GAP) + _FOOT
    image = QImage(_LEFT + 24 * _HOUR + 40, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setPen(QColor("#222222"))
    title = f"{world.person.name}, one simulated week (simulated)"
    painter.drawText(_LEFT, 28, title)
    lanes = (
        world.sessions,
        _calendar(world),
        usable,
        lull,
        metaclaw,
    )
    for day in range(7):
        y = _TOP + day * (len(_LANES) * _LANE + _GAP)
        begin = _midnight(world, week * 7 + day)
        _day(painter, y, world.local(begin))
        for lane, (spans, (_, colour)) in enumerate(zip(lanes, _LANES, strict=True)):
            _bars(painter, y + lane * _LANE, spans, begin, colour)
            if lane >= 3:
                seen = both(spans, world.shows_itself())
                _bars(painter, y + lane * _LANE, seen, begin, _DISTURBED)
    _legend(painter, height - _FOOT + 20)
    painter.end()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not image.save(str(path)):
        raise OSError(f"{path} cannot be written")
    del app


def _calendar(world: World) -> Spans:
    return sorted(world.busy_spans(Meaning.AWAY) + world.busy_spans(Meaning.BUSY))


def _midnight(world: World, day: int) -> float:
    date = (world.start + timedelta(days=day)).date()
    return world.seconds(datetime.combine(date, time(), tzinfo=world.zone))


def _day(painter, y: int, at: datetime) -> None:  # type: ignore[no-untyped-def]
    from PySide6.QtGui import QColor

    painter.setPen(QColor("#222222"))
    painter.drawText(12, y + 3 * _LANE, f"{at:%a %d %b}")
    for hour in range(0, 25, 3):
        x = _LEFT + hour * _HOUR
        painter.setPen(QColor("#dddddd"))
        painter.drawLine(x, y, x, y + len(_LANES) * _LANE)
        painter.setPen(QColor("#888888"))
        painter.drawText(x - 8, y - 4, f"{hour:02d}")


def _bars(painter, y: int, spans: Sequence[Span], begin: float, colour: str) -> None:  # type: ignore[no-untyped-def]
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QColor

    for start, end in both(list(spans), [(begin, begin + 24 * 3600.0)]):
        x = _LEFT + (start - begin) / 3600 * _HOUR
        # Whoever is disturbed for a fifth of a second is still to be seen.
        width = max((end - start) / 3600 * _HOUR, 0.3)
        painter.fillRect(QRectF(x, y + 2, width, _LANE - 4), QColor(colour))


def _legend(painter, y: int) -> None:  # type: ignore[no-untyped-def]
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QColor

    x = _LEFT
    entries = (*_LANES, ("working while somebody shows", _DISTURBED))
    for text, colour in entries:
        painter.fillRect(QRectF(x, y - 9, 12, 10), QColor(colour))
        painter.setPen(QColor("#222222"))
        painter.drawText(x + 17, y, text)
        x += 30 + 7 * len(text)
    painter.drawText(_LEFT, y + 24, _NOTE)
