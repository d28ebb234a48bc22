"""Hash-linked chains of messages: the newest link identifies the conversation, so clients need not
send a session header.

Each link is a keyed hash of the parent link and one message. Equal beginnings of conversations have
equal links and are stored once. The key is random and belongs to one data folder, so a link in a
leaked database reveals nothing about a short secret inside a message.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from lull.core.chat.messages import Message, MessagePart, PartKind, Role, ToolCall

LINK_BYTES = 16

_THOUGHT = re.compile(r"^<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
"""Matches thinking that a model without a thinking channel writes before its answer."""


_escaped = json.JSONEncoder(separators=(",", ":")).encode
_readable = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def root(key: bytes, client: str) -> str:
    """Return the hash from which all message chains of this client program start. Each client has
    another one, so no two clients share a chain.
    """
    return hashlib.blake2b(
        client.encode(errors="replace"), digest_size=LINK_BYTES, key=key
    ).hexdigest()


def link(key: bytes, parent: str, message: Message) -> str:
    """Return the hash that identifies a message together with all messages before it, as 32 hex
    digits. It is a keyed hash of the message and of `parent`, the hash of the message before.
    """
    data = parent.encode() + b"\0" + canonical(message).encode()
    return hashlib.blake2b(data, digest_size=LINK_BYTES, key=key).hexdigest()


def links(key: bytes, client: str, messages: Iterable[Message]) -> list[str]:
    """Return for each message of a conversation, oldest first, the hash that identifies it together
    with all messages before it.
    """
    out: list[str] = []
    tip = root(key, client)
    for message in messages:
        tip = link(key, tip, message)
        out.append(tip)
    return out


def canonical(message: Message) -> str:
    """Return a message in the normal form that is hashed, so that messages which differ only in
    form get the same hash.

    Omits thinking (clients drop it from their history), white space around the words, and
    differences in the formatting of a tool call's JSON.
    """
    thinking = PartKind.THINKING
    parts = [[p.kind.value, p.text.strip()] for p in message.parts if p.kind is not thinking]
    if message.role is Role.ASSISTANT:
        parts = [[kind, _THOUGHT.sub("", text)] for kind, text in parts]
    calls = [[call.name, _one_spelling(call.arguments), call.id] for call in message.tool_calls]
    fields = [message.role.value, [p for p in parts if p[1]], calls, message.tool_call_id]
    # Escaped, because a client may send half of a surrogate pair, which must still have a hash.
    return _escaped(fields)


def _one_spelling(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments.strip()


def message_to_json(message: Message) -> str:
    """Convert the whole message, thinking included, to JSON for the database."""
    fields: dict[str, Any] = {"role": message.role.value}
    fields["parts"] = [[part.kind.value, part.text] for part in message.parts]
    if message.tool_calls:
        fields["calls"] = [[c.name, c.arguments, c.id] for c in message.tool_calls]
    if message.tool_call_id:
        fields["call_id"] = message.tool_call_id
    text = _readable(fields)
    return text if encodable(text) else _escaped(fields)


def encodable(text: str) -> bool:
    """Whether UTF-8 can encode the text; it cannot encode half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def message_from_json(text: str) -> Message:
    """Parse a chat message from the JSON in which it is stored."""
    fields = json.loads(text)
    return Message(
        role=Role(fields["role"]),
        parts=tuple(
            MessagePart(kind=PartKind(kind), text=words) for kind, words in fields["parts"]
        ),
        tool_calls=tuple(
            ToolCall(name=name, arguments=arguments, id=call_id)
            for name, arguments, call_id in fields.get("calls", ())
        ),
        tool_call_id=fields.get("call_id", ""),
    )
