"""Follows the service's events, and says when it is there and when it is gone.

One thread: it takes the snapshot, then every event behind it; after a break it tries again twice a
second, and goes on behind the last event that it saw, so that none is missed.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, Signal

from lull.contract import routes
from lull.desktop.client import Outcome, Question, UnixConnection, ask

Json = dict[str, Any]
AGAIN_S: Final = 0.5
SNAPSHOT_WITHIN_S: Final = 60.0
SILENT_S: Final = 40.0
"""The service sends an empty line every 15 s; so long without one, it is gone."""

LEAVES_S: Final = 0.5
"""Quit waits so long for the thread, and no longer."""


class EventStream(QObject):
    snapshot = Signal(object)
    """Everything, at the first connection and where a place in the stream was lost."""
    resumed = Signal()
    """There again; events go on where they broke off."""
    lost = Signal()
    """The service is gone; told once for each break, and once if it was never there."""
    happened = Signal(object)
    """One event, as the control API writes it."""

    def __init__(self, socket_path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = socket_path
        self._after: int | None = None
        self._told_lost = False
        self._over = threading.Event()
        self._at_once = threading.Event()
        self._connection: UnixConnection | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)
        self._thread.start()

    def look_now(self) -> None:
        """Do not wait for the next try: a service was just started."""
        self._at_once.set()

    def close(self) -> None:
        self._over.set()
        self._at_once.set()
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)
        if self._thread is not None:
            # One that is in the middle of a signal when Python ends takes the process with it.
            self._thread.join(LEAVES_S)

    def _run(self) -> None:
        # RuntimeError: the window is gone, and its half of us with it.
        with contextlib.suppress(RuntimeError):
            while not self._over.is_set():
                self._once()
                if self._over.is_set():
                    return
                if not self._told_lost:
                    self._told_lost = True
                    self.lost.emit()
                self._at_once.wait(AGAIN_S)
                self._at_once.clear()

    def _once(self) -> None:
        """One connection, from its beginning to its end."""
        fresh: Json | None = None
        if self._after is None:
            fresh = self._snapshot()
            if fresh is None:
                return
            self._after = int(fresh.get("seq", 0))
        self._connection = UnixConnection(self._path, SILENT_S)
        try:
            self._follow(self._connection, fresh)
        except (OSError, http.client.HTTPException, ValueError):
            pass
        finally:
            self._connection.close()

    def _snapshot(self) -> Json | None:
        question = Question(method="GET", path=routes.SNAPSHOT)
        answer = ask(self._path, question, within_s=SNAPSHOT_WITHIN_S)
        return answer.value if answer.outcome is Outcome.DONE else None

    def _follow(self, connection: UnixConnection, fresh: Json | None) -> None:
        connection.request("GET", f"{routes.EVENTS}?after={self._after}")
        response = connection.getresponse()
        if response.status != 200:
            self._after = None
            return
        self._told_lost = False
        if fresh is not None:
            self.snapshot.emit(fresh)
        else:
            self.resumed.emit()
        while line := response.readline():
            if line.strip():
                self._tell(json.loads(line))

    def _tell(self, event: Json) -> None:
        if not self._over.is_set():
            self._after = int(event["seq"])
            self.happened.emit(event)
