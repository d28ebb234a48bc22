"""Tests the address that chat apps use by sending one sample chat request to Lull, without
blocking.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QNetworkReply

from lull.contract.chat_headers import RECORD_HEADER
from lull.desktop.language.words import tr
from lull.desktop.widgets.chat.streamed_chat import ChatAddress, own_network

REQUEST: Final = "Give me three ideas for a rainy Sunday."
MODEL: Final = "lull-mini"
"""Model that the sample asks: the built-in one, which is always there."""
OWN_MODELS: Final = (MODEL, "pocket")
"""The models that ship with Lull; they answer without an Ollama."""
TIMEOUT_MS: Final = 120_000


def body() -> dict[str, object]:
    """Return the body of a sample request in Ollama's format."""
    message = {"role": "user", "content": REQUEST}
    return {"model": MODEL, "stream": False, "messages": [message]}


class SampleChat(QObject):
    """Sends a sample chat request to Lull, as a test of its address for chat apps, and reports the
    answer.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._network = own_network(self)

    def send(self, address: str, token: str, then: Callable[[bool, str], None]) -> None:
        """Send the sample chat request, which tests Lull's address for chat apps.

        Later call `then` with two values: whether the request was answered, and the answer or the
        error.
        """
        # It is Lull's own request, not the user's.
        to = ChatAddress(address=address, token=token, headers={RECORD_HEADER: "no"})
        request = to.request("/api/chat", silence_ms=TIMEOUT_MS)
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
