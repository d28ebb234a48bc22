"""Makes the window's pages in advance, in small steps while the window is shown and its user does
nothing, so that opening a page for the first time does not hold the window up.

A page takes three steps: its code is loaded, it is created, and its widgets get their styles. Its
contents are read and drawn when it is first opened.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.style import style_now

FIRST_MS: Final = 2_000
"""Milliseconds after the window is first shown until the first step."""
NEXT_MS: Final = 120
"""Milliseconds from one step to the next, in which the window does what it has to do."""
MODULES: Final = {
    PageName.REVIEW: "review.page",
    PageName.SKILLS: "skills.page",
    PageName.CONVERSATIONS: "chat.page",
    PageName.CHAT: "chat.talk",
    PageName.CONNECT: "connect",
    PageName.SETTINGS: "settings.page",
    PageName.LEARNING: "learning.page",
    PageName.SCHEDULE: "schedule.page",
    PageName.LOGS: "logs",
}
"""The modules of the pages other than Today, in the order in which most people open them."""
STEPS: Final = 3 * len(MODULES)


class PageLoading(QObject):
    """Makes the pages once the window has been shown."""

    def __init__(self, window: QWidget, make: Callable[[PageName], QWidget]) -> None:
        """The function `make` returns a page, which it creates at its first call."""
        super().__init__(window)
        self._make = make
        self._left = self._steps()
        self._timer = QTimer(self, interval=FIRST_MS)
        self._timer.timeout.connect(self._next)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Begin when the window is shown for the first time."""
        if event.type() == QEvent.Type.Show:
            watched.removeEventFilter(self)
            self._timer.start()
        return False

    def _steps(self) -> Iterator[Callable[[], object]]:
        for name, module in MODULES.items():
            yield functools.partial(importlib.import_module, f"lull.desktop.pages.{module}")
            yield functools.partial(self._make, name)
            yield lambda name=name: style_now(self._make(name))  # type: ignore[misc]

    def _next(self) -> None:
        step = next(self._left, None)
        if step is None:
            self._timer.stop()
            return
        step()
        self._timer.setInterval(min(NEXT_MS, self._timer.interval()))
