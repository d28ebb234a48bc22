"""Builds chat requests as clients write them, in three dialects, and finds what Lull added."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from lull.contract.json_object import Json
from lull.core.chat.messages import Message, Role

NATIVE, OPENAI, ANTHROPIC = "/api/chat", "/v1/chat/completions", "/v1/messages"
_ROLES = ("system", "text")


def body_of(route: str, model: str, messages: Sequence[Message]) -> bytes:
    """The request body with the whole history, as clients send it each time."""
    said = [_message(message) for message in messages]
    if route == ANTHROPIC:
        own = [m["content"] for m in said if m["role"] == "system"]
        rest = [m for m in said if m["role"] != "system"]
        return json.dumps(
            {
                "model": model,
                "max_tokens": 90,
                **({"system": own[0]} if own else {}),
                "messages": rest,
            }
        ).encode()
    return json.dumps({"model": model, "stream": False, "messages": said}).encode()


def _message(message: Message) -> Json:
    said: Json = {"role": message.role.value, "content": message.text}
    if message.tool_calls:
        said["tool_calls"] = [
            {"function": {"name": call.name, "arguments": json.loads(call.arguments)}}
            for call in message.tool_calls
        ]
    if message.role is Role.TOOL:
        said["tool_name"] = message.tool_call_id
    return said


def added(plain: bytes, sent: bytes) -> list[str]:
    """The texts in the request as it was sent that are not in the client's own, in order.

    Fails where any text of the client's is missing or has changed other than by growing.
    """
    own, grown = list(_texts(json.loads(plain))), []
    for text in _texts(json.loads(sent)):
        if text in own:
            own.remove(text)
        else:
            grown.append(text)
    new = []
    for text in grown:
        begun = max((one for one in own if text.startswith(one)), key=len, default=None)
        if begun is not None:
            own.remove(begun)
        new.append(text[len(begun or "") :])
    assert not own, f"lost on the way: {own}"
    return [text for text in new if text not in _ROLES]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key in value:
            yield from _texts(value[key])
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
