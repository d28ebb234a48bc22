"""Allows one window per data folder: a second instance makes the first show its window, and exits.

The instance that gets a lock file is the first; the lock is released when its process ends. The
second asks the first over a socket.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from lull.desktop.service.place import Place

TIMEOUT_MS: Final = 2_000


class SingleInstance(QObject):
    """Makes sure, with a lock file and a socket, that only one instance of the window runs for each
    data folder.
    """

    asked = Signal()
    """Emitted when Lull was started again, so that the window should be shown."""

    def __init__(self, place: Place, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._socket = str(place.window_socket)
        place.window_socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = QLockFile(str(place.home / "window.lock"))
        self._lock.setStaleLockTime(0)
        self._server: QLocalServer | None = None

    def become_first(self) -> bool:
        """Try to become the only running instance of the window and listen for later instances;
        return whether this succeeded.
        """
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(self._socket)  # a crash leaves its file behind
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._hear)
        self._server.listen(self._socket)
        return True

    def show_first_window(self) -> bool:
        """Ask the instance that was started first to show its window; return False if that instance
        does not listen.

        Blocks briefly.
        """
        socket = QLocalSocket()
        socket.connectToServer(self._socket)
        if not socket.waitForConnected(TIMEOUT_MS):
            return False
        socket.write(b"show\n")
        socket.waitForBytesWritten(TIMEOUT_MS)
        socket.disconnectFromServer()
        return True

    def close(self) -> None:
        """Stop listening for later instances and release the lock file."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.unlock()

    def _hear(self) -> None:
        if self._server is None:
            return
        while (connection := self._server.nextPendingConnection()) is not None:
            connection.disconnected.connect(connection.deleteLater)
            self.asked.emit()
