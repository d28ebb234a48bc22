"""Small requests, for the tests that read and edit them."""

from __future__ import annotations

import json
from typing import Any

from lull.service.proxy.dialects import CHAT_ROUTES

CHAT = CHAT_ROUTES["/api/chat"]
GENERATE = CHAT_ROUTES["/api/generate"]
OPENAI = CHAT_ROUTES["/v1/chat/completions"]
COMPLETIONS = CHAT_ROUTES["/v1/completions"]
RESPONSES = CHAT_ROUTES["/v1/responses"]
ANTHROPIC = CHAT_ROUTES["/v1/messages"]


def body(**fields: Any) -> bytes:
    return json.dumps({"model": "m", **fields}).encode()


def user(content: Any = "hi") -> dict[str, Any]:
    return {"role": "user", "content": content}


def system(content: Any = "S") -> dict[str, Any]:
    return {"role": "system", "content": content}
