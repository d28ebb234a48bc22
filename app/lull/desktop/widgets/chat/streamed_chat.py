"""Sends chat requests to Lull's address for chat apps, and emits signals as the answers stream,
without blocking.

Only the chats that the user starts in the window go this way; all else uses the service's control
API.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtNetwork import (
    QNetworkAccessManager,
    QNetworkProxy,
    QNetworkReply,
    QNetworkRequest,
)

from lull.contract.chat_headers import RECORD_HEADER, SKILLS_HEADER, WINDOW_AGENT
from lull.desktop.language.words import plain, reword_for_window, tr

SILENCE_MS: Final = 600_000
"""Milliseconds without a byte after which a request is given up; long, because loading a model can
take minutes.
"""
NO_MODEL: Final = 404
UNTOUCHED: Final[Mapping[str, str]] = {RECORD_HEADER: "no", SKILLS_HEADER: "no"}
"""Request headers that tell Lull neither to record a chat nor to add skills to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAddress:
    """Where the window sends its chat requests: Lull's address for chat apps, with the access token
    and headers if any are needed.
    """

    address: str
    token: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def request(self, route: str, *, silence_ms: int) -> QNetworkRequest:
        """Return a POST request from the window to one of Lull's chat routes.

        The request is given up after `silence_ms` milliseconds without a byte.
        """
        made = QNetworkRequest(QUrl(f"{self.address}{route}"))
        made.setHeader(QNetworkRequest.KnownHeaders.ContentTypeHeader, "application/json")
        made.setHeader(QNetworkRequest.KnownHeaders.UserAgentHeader, WINDOW_AGENT)
        for name, value in self.headers.items():
            made.setRawHeader(name.encode(), value.encode())
        if self.token:
            made.setRawHeader(b"Authorization", f"Bearer {self.token}".encode())
        made.setTransferTimeout(silence_ms)
        return made


def own_network(parent: QObject) -> QNetworkAccessManager:
    """Make a Qt network manager that ignores the system's proxy settings, because Lull's service is
    on this machine.
    """
    made = QNetworkAccessManager(parent)
    made.setProxy(QNetworkProxy(QNetworkProxy.ProxyType.NoProxy))
    return made


class StreamedChat(QObject):
    """Sends one chat request at a time to Lull and signals its answer piece by piece."""

    grown = Signal(str)
    """Emitted with each piece of the answer's text."""
    thinking = Signal()
    """Emitted when the model begins to think before it answers."""
    ended = Signal(str)
    """Emitted once when an answer ends: with what went wrong, in words for the user, or "" for
    success. Not emitted after `stop`.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._network = own_network(self)
        self._reply: QNetworkReply | None = None
        self._begin()

    def _begin(self) -> None:
        self._rest = b""
        self._done = False
        self._thought = False
        self._wrong = ""

    @property
    def busy(self) -> bool:
        """Whether an answer is under way."""
        return self._reply is not None

    def send(self, to: ChatAddress, route: str, body: str) -> None:
        """Send a chat request in Ollama's own format; an answer that is still streaming is
        cancelled first.
        """
        self.stop()
        self._begin()
        reply = self._network.post(to.request(route, silence_ms=SILENCE_MS), body.encode())
        self._reply = reply
        reply.readyRead.connect(lambda: self._read(reply))
        reply.finished.connect(lambda: self._finish(reply))

    def stop(self) -> None:
        """Cancel the answer that is streaming, which makes the model stop generating."""
        reply, self._reply = self._reply, None
        if reply is not None:
            reply.abort()
            reply.deleteLater()

    def _read(self, reply: QNetworkReply) -> None:
        if reply is not self._reply:
            return
        *lines, self._rest = (self._rest + bytes(reply.readAll().data())).split(b"\n")
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            said: Any = json.loads(line)
        except ValueError:
            return
        if not isinstance(said, dict):
            return
        if said.get("error"):
            self._wrong = str(said["error"])
        self._done |= said.get("done") is True
        message = said.get("message")
        if not isinstance(message, dict):
            return
        if message.get("thinking") and not self._thought:
            self._thought = True
            self.thinking.emit()
        if message.get("content"):
            self.grown.emit(str(message["content"]))

    def _finish(self, reply: QNetworkReply) -> None:
        if reply is not self._reply:
            return
        self._read(reply)
        if self._rest.strip():
            self._take(self._rest)
        self._reply = None
        reply.deleteLater()
        status = reply.attribute(QNetworkRequest.Attribute.HttpStatusCodeAttribute)
        self.ended.emit(self._words(int(status or 0)))

    def _words(self, status: int) -> str:
        """Say what went wrong with an answer and what the user can do about it; "" for nothing."""
        if not status:
            return tr("Lull does not answer. Check on the Today page whether it is running.")
        if status == NO_MODEL:
            return tr("This model is not here any more. Choose another one.")
        if self._wrong:
            why = reword_for_window(plain(self._wrong)).strip()
            why = why if why.endswith((".", "!", "?")) else f"{why}."
            return tr("No answer: %1 Try again, or choose another model.", why)
        return "" if self._done else tr("The answer was cut off. Try again.")
