"""A fake tray that a test looks at and clicks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu


class FakeTray:
    def __init__(self, *, there: bool = True) -> None:
        self.there = there
        self.tooltip = ""
        self.shown = 0
        self.notices: list[tuple[str, str]] = []
        self.menu: QMenu | None = None
        self.click: Callable[[], None] = lambda: None
        self.click_notice: Callable[[], None] = lambda: None
        self.ended = False

    def available(self) -> bool:
        return self.there

    def begin(
        self, menu: QMenu, *, clicked: Callable[[], None], noticed: Callable[[], None]
    ) -> None:
        self.menu, self.click, self.click_notice = menu, clicked, noticed

    def show(self, icon: QIcon, tooltip: str) -> None:
        assert not icon.isNull()
        self.tooltip = tooltip
        self.shown += 1

    def notify(self, title: str, text: str) -> None:
        self.notices.append((title, text))

    def end(self) -> None:
        self.ended = True
