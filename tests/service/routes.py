"""The chat routes: the smallest valid request of each, and the form of its errors."""

from __future__ import annotations

from typing import Any

USER = [{"role": "user", "content": "hello there"}]
CHATS: dict[str, dict[str, Any]] = {
    "/api/chat": {"model": "any", "messages": USER},
    "/api/generate": {"model": "any", "prompt": "hello there"},
    "/v1/chat/completions": {"model": "any", "messages": USER},
    "/v1/completions": {"model": "any", "prompt": "hello there"},
    "/v1/responses": {"model": "any", "input": "hello there"},
    "/v1/messages": {"model": "any", "max_tokens": 16, "messages": USER},
}


def asking(path: str, **more: Any) -> dict[str, Any]:
    return {**CHATS[path], **more}


def error_words(path: str, document: Any) -> str:
    """Return an error's message; fail where it does not have the dialect's form."""
    if not path.startswith("/v1/"):
        assert set(document) == {"error"}
        words = document["error"]
    elif path == "/v1/messages":
        assert document["type"] == "error"
        words = document["error"]["message"]
        assert document["error"]["type"]
    else:
        words = document["error"]["message"]
        assert {"type", "param", "code"} <= set(document["error"])
    assert isinstance(words, str)
    return words
