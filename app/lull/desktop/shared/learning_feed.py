"""Keeps the Learning page's data about training and adapters up to date while the page is visible,
and says a day's share of good answers in the same words on each page.

After events of the service the data are read at most once per `READ_GAP_MS`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import count, now, percent
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, Phase

READ_GAP_MS: Final = 15_000
"""Shortest time in ms between reads; the service needs a second for a hundred thousand answers."""
LEAST_FOR_SHARE: Final = 10
"""Fewest answers of which a share is told; of 1 answer, "3 %" were good tells nothing."""
_TOUCHES: Final = frozenset({"turn-recorded", "label", "generation", "training", "adapter"})


def good_words(share: float, number: int) -> str:
    """Say how many of a number of answers were good: as a share, or of few answers as their
    number.
    """
    return count(round(share * number)) if number < LEAST_FOR_SHARE else percent(share)


class LearningFeed(QObject):
    """Reads the Learning page's data about training and adapters from the service: when the page is
    shown, and after events that change the data.
    """

    changed = Signal()

    def __init__(self, state: AppState, *, days: int) -> None:
        super().__init__()
        self._state = state
        self._days = days
        self._wanted: dict[str, str] = {}
        self._due = True
        self._number = 0
        """Number of the latest request; replies to earlier ones are dropped."""
        self._seen = False
        self._rest = QTimer(self, singleShot=True, interval=READ_GAP_MS)
        self._rest.timeout.connect(self._read)
        self.value: Json = {}
        self.answered = False
        """Whether the service has answered once, be it with an error."""
        state.happened.connect(self._hear)
        state.phase_changed.connect(self._again)

    def set_page_visible(self, visible: bool) -> None:
        """Tell the feed whether the Learning page is visible; no data are read for a hidden
        page.
        """
        self._seen = visible
        if visible and not self._rest.isActive():
            self._read()

    def set_days(self, days: int) -> None:
        """Set how many past days the charts' data about answers and training cover, and read the
        data again; 0 means all days.
        """
        self._days = days
        self._due = True
        self._read()

    def set_filter(self, wanted: dict[str, str]) -> None:
        """Limit the charts to the answers of one client (chat app), model or skill, and read the
        data again.

        `wanted` maps "client", "model" and "skill" to a name; "" means all.
        """
        if wanted != self._wanted:
            self._wanted = wanted
            self._due = True
            self._read()

    @property
    def is_filtered(self) -> bool:
        """Whether the charts' data are limited to the answers of one client (chat app), model or
        skill.
        """
        return any(self._wanted.values())

    def _hear(self, event: Json) -> None:
        if event.get("kind") in _TOUCHES:
            self._due = True
            if self._seen and not self._rest.isActive():
                self._rest.start()

    def _again(self) -> None:
        if self._state.phase is Phase.LIVE:
            self._due = True
            if self._seen:
                self._read()

    def _read(self) -> None:
        if not (self._due and self._seen) or self._state.phase is not Phase.LIVE:
            return
        self._due = False
        self._number += 1
        number = self._number
        query = {"from": (now() - timedelta(days=self._days)).isoformat()} if self._days else {}
        query |= self._wanted
        self._state.get(routes.LEARNING, lambda answer: self._take(number, answer), **query)
        self._rest.start()

    def _take(self, number: int, answer: Reply) -> None:
        if number != self._number:
            return
        first, self.answered = not self.answered, True
        if not answer.ok:
            self._due = True
            if first:
                self.changed.emit()
            return
        if answer.value != self.value:
            self.value = answer.value
        self.changed.emit()
