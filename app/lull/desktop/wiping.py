"""Forgetting many conversations, one after the other, with all that was made of each; and taking
everything away that Lull ever kept.

Each conversation is forgotten whole or not at all, so that stopping half-way, or a service that
falls, leaves nothing half-done: what is left is there, and is said. Everything goes only while no
service runs, and a new one begins with nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from lull.contract import routes
from lull.desktop.client import Answer
from lull.desktop.place import Place
from lull.desktop.service_process import ServiceProcess
from lull.desktop.state import AppState, said
from lull.desktop.words import tr

Json = dict[str, Any]
PAGE: Final = 200
MOST_PAGES: Final = 2_000
LOOK_MS: Final = 100
LEAVES_MS: Final = 60_000
STAYS: Final = frozenset({"run", "window.ini", "service.lock"})
"""Of the home: what a running window and the next service hold open, and the window's own size."""


class Wiping(QObject):
    counted = Signal(int)
    """So many conversations it would be."""
    went = Signal(int, int)
    """So many of so many are gone."""
    over = Signal(str)
    """It has ended; why before its end, or nothing."""

    def __init__(self, state: AppState, client: str, parent: QObject | None = None) -> None:
        """`client` alone; empty: everybody's."""
        super().__init__(parent)
        self._state = state
        self._client = client
        self._ids: list[str] = []
        self._pages = 0
        self._at = 0
        self._stopped = False

    def count(self) -> None:
        """Look which there are; nothing is changed."""
        self._ids, self._pages = [], 0
        self._page("")

    def _page(self, after: str) -> None:
        self._pages += 1
        query = {"client": self._client, "after": after, "limit": PAGE}
        self._state.get(routes.CONVERSATIONS, self._take, **query)

    def _take(self, answer: Answer) -> None:
        if self._stopped:
            return
        if not answer.ok:
            self.over.emit(said(answer))
            return
        rows = answer.value.get("conversations", ())
        self._ids += [str(row["id"]) for row in rows]
        after = str(answer.value.get("next") or "")
        if after and rows and self._pages < MOST_PAGES:
            self._page(after)
        else:
            self.counted.emit(len(self._ids))

    def begin(self) -> None:
        """After `counted`. Cannot be undone."""
        self._at = 0
        self._next()

    def stop(self) -> None:
        """After the one that is under way."""
        self._stopped = True

    def _next(self) -> None:
        self.went.emit(self._at, len(self._ids))
        if self._at == len(self._ids):
            self.over.emit("")
        elif self._stopped:
            self.over.emit(tr("Stopped: %1 are still there.", len(self._ids) - self._at))
        else:
            wanted = {"conversation": self._ids[self._at], "yes": True}
            self._state.act(
                routes.FORGET,
                wanted,
                words=tr("Forgetting"),
                answered=lambda _: None,
                then=self._gone,
            )

    def _gone(self, done: bool) -> None:
        if not done:
            self.over.emit(tr("Not gone further: %1 are still there.", len(self._ids) - self._at))
            return
        self._at += 1
        self._next()


def clients_of(state: AppState, then: Callable[[list[str]], None]) -> None:
    """Of the newest conversations, by name."""

    def take(answer: Answer) -> None:
        rows = answer.value.get("conversations", ()) if answer.ok else ()
        then(sorted({str(row["client"]) for row in rows if row.get("client")}))

    state.get(routes.CONVERSATIONS, take, limit=PAGE)


class WipingEverything(QObject):
    """Calendars first, whose addresses lie in the keychain; then the service stops, the files go,
    and a new service begins."""

    over = Signal(str)

    def __init__(
        self, state: AppState, process: ServiceProcess, place: Place, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._process = process
        self._place = place
        self._waited_ms = 0
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    def begin(self) -> None:
        self._state.get(routes.CALENDARS, self._take)

    def _take(self, answer: Answer) -> None:
        if not answer.ok:
            self.over.emit(said(answer))
            return
        self._remove([str(one["id"]) for one in answer.value.get("calendars", ())])

    def _remove(self, calendars: list[str]) -> None:
        if not calendars:
            self._stop()
            return
        first, *rest = calendars

        def then(done: bool) -> None:
            if done:
                self._remove(rest)
            else:
                self.over.emit(tr("A calendar could not be removed; nothing else was touched."))

        wanted = {"calendar": first}
        self._state.act(routes.CALENDAR_REMOVE, wanted, words=tr("Removing a calendar"), then=then)

    def _stop(self) -> None:
        self._process.stopping()
        self._state.act(routes.STOP, {}, words=tr("Stopping the service"))
        self._timer.start()

    def _look(self) -> None:
        self._waited_ms += LOOK_MS
        if not self._place.running():
            self._timer.stop()
            left = wiped(self._place.home)
            self._process.start()
            self.over.emit(tr("Not removed: %1", ", ".join(left)) if left else "")
        elif self._waited_ms >= LEAVES_MS:
            self._timer.stop()
            self._process.start()
            self.over.emit(tr("The service does not stop; nothing was removed."))


def wiped(home: Path) -> list[str]:
    """What could not be removed."""
    left = []
    for one in home.iterdir():
        if one.name in STAYS:
            continue
        try:
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one)
            else:
                one.unlink()
        except OSError:
            left.append(one.name)
    return left
