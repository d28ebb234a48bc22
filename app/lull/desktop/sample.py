"""One request at the address that chat clients use, as they would send it: does it get an answer?

The only time that the window speaks with the data plane; it goes without waiting.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QUrl
from PySide6.QtNetwork import (
    QNetworkAccessManager,
    QNetworkProxy,
    QNetworkReply,
    QNetworkRequest,
)

from lull.desktop.words import tr

WORDS: Final = "write a menu for apple river stone"
MODEL: Final = "pocket"
"""The built-in one: it is always there and answers in a blink."""
WITHIN_MS: Final = 120_000


def body() -> dict[str, object]:
    message = {"role": "user", "content": WORDS}
    return {"model": MODEL, "stream": False, "messages": [message]}


class Sample(QObject):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._network = QNetworkAccessManager(self)
        # It is this machine that is asked, whatever proxy the system has.
        self._network.setProxy(QNetworkProxy(QNetworkProxy.ProxyType.NoProxy))

    def send(self, address: str, token: str, then: Callable[[bool, str], None]) -> None:
        """`then` hears whether it was answered, and the answer or why not."""
        request = QNetworkRequest(QUrl(f"{address}/api/chat"))
        request.setHeader(QNetworkRequest.KnownHeaders.ContentTypeHeader, "application/json")
        request.setHeader(QNetworkRequest.KnownHeaders.UserAgentHeader, "lull-window/1")
        if token:
            request.setRawHeader(b"Authorization", f"Bearer {token}".encode())
        request.setTransferTimeout(WITHIN_MS)
        reply = self._network.post(request, json.dumps(body()).encode())
        reply.finished.connect(lambda: self._read(reply, then))

    def _read(self, reply: QNetworkReply, then: Callable[[bool, str], None]) -> None:
        reply.deleteLater()
        text = bytes(reply.readAll().data()).decode("utf-8", "replace")
        try:
            said = json.loads(text)
            then(True, str(said["message"]["content"]))
        except (ValueError, KeyError, TypeError):
            failed = reply.error() is not QNetworkReply.NetworkError.NoError
            then(False, reply.errorString() if failed else tr("The answer cannot be read."))
