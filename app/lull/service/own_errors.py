"""An error of Lull's own, said as the server would that the client believes to speak to."""

from __future__ import annotations

from multidict import CIMultiDict

from lull.core.errors import LullError
from lull.service.dialects import CHAT_ROUTES
from lull.service.dialects.base import Dialect
from lull.service.forward import Answer
from lull.service.relay import once


def error_answer(path: str, status: int, message: str, *, body: bool = True) -> Answer:
    """In the shape of the dialect that the path belongs to. Without `body` only its headers."""
    data = _shape(path).error(status, message)
    headers = CIMultiDict({"Content-Type": "application/json", "Content-Length": str(len(data))})
    return Answer(status, headers, once(data if body else b""), error=True)


def sentence(error: LullError) -> str:
    """The detail, and the hint behind it."""
    if not error.hint:
        return error.detail
    stop = "" if error.detail.endswith((".", "!", "?")) else "."
    return f"{error.detail}{stop} {error.hint}"


def _shape(path: str) -> Dialect:
    if path.startswith("/v1/messages"):
        return CHAT_ROUTES["/v1/messages"]
    return CHAT_ROUTES["/v1/chat/completions" if path.startswith("/v1/") else "/api/chat"]
