"""Loads the code of the window's pages in advance, one module after the other while the window is
shown, so that opening a page does not have to wait for it.

The pages themselves are still created when they are first opened.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

FIRST_MS: Final = 2_000
"""Milliseconds after the window is first shown until the first module is loaded."""
NEXT_MS: Final = 250
"""Milliseconds from one module to the next, in which the window does what it has to do."""
MODULES: Final = (
    "review.page",
    "skills.page",
    "chat.page",
    "chat.talk",
    "settings.page",
    "learning.page",
    "schedule.page",
    "logs",
)
"""The modules of the pages other than Today, in the order in which most people open them."""


class PageLoading(QObject):
    """Loads the modules of the pages once the window has been shown."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._left: Iterator[str] = iter(MODULES)
        self._timer = QTimer(self, interval=FIRST_MS)
        self._timer.timeout.connect(self._next)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Begin when the window is shown for the first time."""
        if event.type() == QEvent.Type.Show:
            watched.removeEventFilter(self)
            self._timer.start()
        return False

    def _next(self) -> None:
        name = next(self._left, "")
        if not name:
            self._timer.stop()
            return
        importlib.import_module(f"lull.desktop.pages.{name}")
        self._timer.setInterval(min(NEXT_MS, self._timer.interval()))
