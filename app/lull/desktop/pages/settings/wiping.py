"""Deletes many conversations one after the other, or everything that Lull has stored.

A conversation is deleted together with all that was learned from it, or not at all, so stopping or
a crash leaves none half deleted. To delete everything, the service is stopped first; afterwards a
new one is started, with empty data.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from lull.contract import routes
from lull.desktop.language.words import counted, problem_text, tr
from lull.desktop.service.client import Reply
from lull.desktop.service.place import Place
from lull.desktop.service.service_process import ServiceProcess
from lull.desktop.service.state import AppState, failure_words

PAGE_SIZE: Final = 200
MOST_PAGES: Final = 2_000
LOOK_MS: Final = 100
STOP_TIMEOUT_MS: Final = 60_000
KEPT_NAMES: Final = frozenset({"run", "window.ini", "service.lock"})
"""Names in the data folder that are not deleted with everything else: sockets and the lock, which
are in use, and the window's preferences.
"""


class Wiping(QObject):
    """Deletes all conversations, or those of one chat app, one after the other, and reports the
    progress by signals.
    """

    counted = Signal(int)
    """Emitted with the number of conversations that would be deleted."""
    went = Signal(int, int)
    """Emitted as progress: the number of conversations deleted so far, and the total."""
    over = Signal(str)
    """Emitted at the end; the text says why it ended early, or is empty."""

    def __init__(self, state: AppState, client: str, parent: QObject | None = None) -> None:
        """Prepare the deletion; `client` names the chat app whose conversations are deleted, ""
        means all.
        """
        super().__init__(parent)
        self._state = state
        self._client = client
        self._ids: list[str] = []
        self._pages = 0
        self._at = 0
        self._stopped = False

    def find_conversations(self) -> None:
        """Find the conversations that would be deleted, and emit their number; nothing is deleted
        yet.
        """
        self._ids, self._pages = [], 0
        self._page("")

    def _page(self, after: str) -> None:
        self._pages += 1
        query = {"client": self._client, "after": after, "limit": PAGE_SIZE}
        self._state.get(routes.CONVERSATIONS, self._take, **query)

    def _take(self, answer: Reply) -> None:
        if self._stopped:
            return
        if not answer.ok:
            self.over.emit(failure_words(answer))
            return
        rows = answer.value.get("conversations", ())
        self._ids += [str(row["id"]) for row in rows]
        after = str(answer.value.get("next") or "")
        if after and rows and self._pages < MOST_PAGES:
            self._page(after)
        else:
            self.counted.emit(len(self._ids))

    def begin(self) -> None:
        """Start deleting the conversations that were counted; this cannot be undone.

        Call it only after the signal `counted`.
        """
        self._at = 0
        self._next()

    def stop(self) -> None:
        """Stop deleting after the conversation that is being deleted now."""
        self._stopped = True

    def _next(self) -> None:
        self.went.emit(self._at, len(self._ids))
        if self._at == len(self._ids):
            self.over.emit("")
        elif self._stopped:
            left = len(self._ids) - self._at
            words = counted(
                left,
                "Stopped: %1 conversation is still there.",
                "Stopped: %1 conversations are still there.",
            )
            self.over.emit(words)
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
            words = counted(
                len(self._ids) - self._at,
                "Could not finish: %1 conversation is still there.",
                "Could not finish: %1 conversations are still there.",
            )
            self.over.emit(words)
            return
        self._at += 1
        self._next()


def clients_of(state: AppState, then: Callable[[list[str]], None]) -> None:
    """Ask the service which chat apps have conversations, and call `then` with their names,
    sorted.
    """

    def take(answer: Reply) -> None:
        clients = answer.value.get("clients", ()) if answer.ok else ()
        then(sorted(str(client) for client in clients if client))

    state.get(routes.CONVERSATION_KINDS, take)


class WipingEverything(QObject):
    """Deletes all of Lull's data from the keychain and its data folder.

    The service is stopped before the files are deleted, and a new one started afterwards.
    """

    over = Signal(str)

    def __init__(
        self, state: AppState, process: ServiceProcess, place: Place, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._process = process
        self._place = place
        self._waited_ms = 0
        self._left: list[str] = []
        """What the service reported about secrets that may still be in the keychain."""
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    def begin(self) -> None:
        """Begin by fetching the calendars, whose addresses are in the keychain."""
        self._state.get(routes.CALENDARS, self._take)

    def _take(self, answer: Reply) -> None:
        if not answer.ok:
            self.over.emit(failure_words(answer))
            return
        self._remove([str(one["id"]) for one in answer.value.get("calendars", ())])

    def _remove(self, calendars: list[str]) -> None:
        if not calendars:
            self._forget_token()
            return
        first, *rest = calendars

        def then(done: bool) -> None:
            if done:
                self._remove(rest)
            else:
                self.over.emit(tr("A calendar could not be removed; nothing else was touched."))

        def answered(answer: Reply) -> None:
            if problem := answer.value.get("problem"):
                self._left.append(problem_text(problem))

        self._state.act(
            routes.CALENDAR_REMOVE,
            {"calendar": first},
            words=tr("Removing a calendar"),
            then=then,
            answered=answered,
        )

    def _forget_token(self) -> None:
        """Delete from the keychain the token with which other machines reach Lull.

        A failure is reported and does not stop the rest: without its data folder the token opens
        nothing.
        """

        def then(done: bool) -> None:
            if not done:
                self._left.append(
                    tr("Lull's access token for the network may still be in the keychain.")
                )
            self._stop()

        self._state.act(
            routes.TOKEN, {"do": "forget"}, words=tr("Forgetting the network token"), then=then
        )

    def _stop(self) -> None:
        self._process.expect_stop()
        self._state.act(routes.STOP, {}, words=tr("Stopping the service"))
        self._timer.start()

    def _look(self) -> None:
        self._waited_ms += LOOK_MS
        if not self._place.service.is_running():
            self._timer.stop()
            left = delete_data_files(self._place.home)
            self._process.start()
            self.over.emit(self._said_of(left))
        elif self._waited_ms >= STOP_TIMEOUT_MS:
            self._timer.stop()
            self._process.start()
            self.over.emit(tr("The service could not be stopped; nothing was removed."))

    def _said_of(self, files: list[str]) -> str:
        """Say which files and which entries of the keychain could not be deleted; "" if everything
        was.
        """
        said = [tr("Not removed: %1.", ", ".join(files))] if files else []
        if self._left:
            said += [] if files else [tr("The files are gone.")]
            said += self._left
            name = self._place.keychain_service
            said.append(tr("Unlock the keychain and delete the entries of “%1”.", name))
        return " ".join(said)


def has_connected(home: Path) -> bool:
    """Whether any chat app is connected to Lull; the data folder then holds the records that are
    needed to disconnect it.
    """
    return any((home / "clients").glob("*/connection.json"))


def delete_data_files(home: Path) -> list[str]:
    """Delete the files in Lull's data folder; return the names of those that could not be deleted.

    Some files stay: those named in `KEPT_NAMES`, and the records of connected chat apps, because
    nothing else can restore the apps' settings.
    """
    kept = KEPT_NAMES | ({"clients"} if has_connected(home) else set())
    left = []
    for one in home.iterdir():
        if one.name in kept:
            continue
        try:
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one)
            else:
                one.unlink()
        except OSError:
            left.append(one.name)
    return left
