"""Follows the events of Lull's service on a thread, and signals when the connection to the service
is lost or made again.

It first reads a snapshot of the service's state, then all later events. When the connection breaks,
it tries twice a second to reconnect, and asks for the events after the last one it received, so
that none is missed.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.service.client import ControlRequest, ReplyOutcome, UnixConnection, send_request

RECONNECT_EVERY_S: Final = 0.5
SNAPSHOT_TIMEOUT_S: Final = 60.0
READ_TIMEOUT_S: Final = 40.0
"""Read timeout of the event stream. The service sends an empty line every 15 s."""

CLOSE_TIMEOUT_S: Final = 0.5
"""Longest time in seconds that Quit waits for the event stream's thread."""


class EventStream(QObject):
    """Connects to the stream of events from Lull's service and emits a Qt signal for each event."""

    snapshot = Signal(object)
    """Emitted with a full snapshot of the service's data.

    That is at the first connection, and when events may have been missed.
    """
    resumed = Signal()
    """Emitted after a reconnection that missed no events."""
    lost = Signal()
    """Emitted when the connection to the service broke, or could not be made at first."""
    happened = Signal(object)
    """Emitted for each event, with its JSON object."""

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
        """Connect in a thread of its own; it connects again whenever the stream breaks off."""
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)
        self._thread.start()

    def reconnect_now(self) -> None:
        """Try at once to reconnect to the service; called when the service was just started."""
        self._at_once.set()

    def close(self) -> None:
        """Disconnect, and wait until the thread has ended."""
        self._over.set()
        self._at_once.set()
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)
        if self._thread is not None:
            # A thread that emits a signal while Python exits would crash the process.
            self._thread.join(CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        # RuntimeError: Qt has already deleted this object.
        with contextlib.suppress(RuntimeError):
            while not self._over.is_set():
                self._once()
                if self._over.is_set():
                    return
                if not self._told_lost:
                    self._told_lost = True
                    self.lost.emit()
                self._at_once.wait(RECONNECT_EVERY_S)
                self._at_once.clear()

    def _once(self) -> None:
        """Connect and emit events until the connection ends."""
        fresh: Json | None = None
        if self._after is None:
            fresh = self._snapshot()
            if fresh is None:
                return
            self._after = int(fresh.get("seq", 0))
        self._connection = UnixConnection(self._path, READ_TIMEOUT_S)
        try:
            self._follow(self._connection, fresh)
        except (OSError, http.client.HTTPException, ValueError):
            pass
        finally:
            self._connection.close()

    def _snapshot(self) -> Json | None:
        question = ControlRequest(method="GET", path=routes.SNAPSHOT)
        answer = send_request(self._path, question, timeout_s=SNAPSHOT_TIMEOUT_S)
        return answer.value if answer.outcome is ReplyOutcome.DONE else None

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
