"""Remembers the newest chat requests that were answered with an error, so the user can see why.

They are kept in memory only, without the prompts. If the upstream Ollama sent the error, its
message is kept, too.
"""

from __future__ import annotations

import json
import logging
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from lull.contract.chat_headers import RECORD_HEADER, WINDOW_CLIENT
from lull.core.provenance.redaction import redact_text
from lull.core.secrets.finding import secrets_in
from lull.service.proxy.auth import origin_form, split_client
from lull.service.proxy.forward import ProxyAnswer
from lull.service.proxy.relay import relay

log = logging.getLogger(__name__)

MOST_FAILED: Final = 20
MOST_ERROR_BYTES: Final = 4096
"""Most bytes of an upstream's error answer that are read."""
MOST_TOLD_CHARACTERS: Final = 300
MOST_JOINTS: Final = 32
"""Most punctuation marks in a long word. After each of them a secret is looked for; a word with
more marks is blacked out without a search.
"""
_LONG_WORD: Final = re.compile(r"[^\s⟨⟩]{20,1000}")
_JOINT: Final = re.compile(r"\W|_")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRequest:
    """One chat request that was answered with an error."""

    at_s: float
    """Time of the answer in seconds, on the service's monotonic clock."""
    client: str
    path: str
    status: int
    why: str


class FailedRequests:
    """Keeps the newest chat requests that were answered with an error, in memory."""

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._monotonic_s = monotonic_s
        self._newest: deque[FailedRequest] = deque(maxlen=MOST_FAILED)

    def note(self, request: web.Request, status: int, why: str) -> None:
        """Remember a chat request that is answered with an error: its HTTP status and `why`, the
        error text.
        """
        client, raw_path = split_client(origin_form(request.raw_path), request.headers)
        if client.name == WINDOW_CLIENT and request.headers.get(RECORD_HEADER) == "no":
            return  # the user tries something out in the window, which shows the error itself
        path = _safe(raw_path.partition("?")[0][: 2 * MOST_TOLD_CHARACTERS])[:MOST_TOLD_CHARACTERS]
        log.info("a request to %s was answered with %d", path, status)
        text = _safe(" ".join(why.split())[: 2 * MOST_TOLD_CHARACTERS])[:MOST_TOLD_CHARACTERS]
        self._newest.appendleft(
            FailedRequest(
                at_s=self._monotonic_s(),
                client=_safe(client.identity),
                path=path,
                status=status,
                why=text,
            )
        )

    async def relay(
        self,
        request: web.Request,
        answer: ProxyAnswer,
        hear: Callable[[bytes], None] | None = None,
    ) -> web.StreamResponse:
        """Relay the answer of a chat request to the client, and remember it if it is an error."""
        if answer.status < 400:
            return await relay(request, answer, hear)
        text = ErrorText()
        response = await relay(request, answer, text)
        self.note(request, answer.status, text.words)
        return response

    def newest(self) -> list[FailedRequest]:
        """Return the chat requests that were answered with an error, newest first."""
        return list(self._newest)


class ErrorText:
    """Collects the start of an error answer's bytes while the proxy relays them."""

    def __init__(self) -> None:
        self._data = b""

    def __call__(self, chunk: bytes) -> None:
        self._data += chunk[: MOST_ERROR_BYTES - len(self._data)]

    @property
    def words(self) -> str:
        """The message in the error answer; if the answer has another shape, its whole text."""
        try:
            said: Any = json.loads(self._data)
        except (ValueError, RecursionError):
            return self._data.decode("utf-8", "replace")
        error = said.get("error", said) if isinstance(said, dict) else said
        if isinstance(error, dict):
            error = error.get("message", error)
        return error if isinstance(error, str) else json.dumps(error)


def _safe(text: str) -> str:
    """Black out secrets: a client sets its name and path freely, and servers echo API keys and
    names of models. A secret counts in the midst of a longer name, too.
    """
    return _LONG_WORD.sub(_blacked_out, redact_text(text, lambda kind, secret: 1))


def _blacked_out(word: re.Match[str]) -> str:
    joints = [mark.end() for mark in _JOINT.finditer(word[0])]
    if len(joints) > MOST_JOINTS or any(secrets_in(word[0][at:]) for at in joints):
        return "⟨secret⟩"
    return word[0]
