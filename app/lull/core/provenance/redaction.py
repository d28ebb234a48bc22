"""Replaces secrets (passwords, keys, …) by placeholders that name their kind, before a conversation
is stored.

Only the secret is replaced, so the conversation stays readable. Code that merely names a secret
(`password = read_password()`) contains none and stays unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate

from lull.core.chat.messages import Message, MessagePart, PartKind, ToolCall
from lull.core.secrets.finding import secrets_in
from lull.core.skills.skill import SkillText

Number = Callable[[str, str], int]
"""Type of a function that numbers secrets: (kind, secret) → its number, always the same for the
same secret.
"""


def redact_text(text: str, number: Number) -> str:
    """Return the text with each secret in it (password, key, …) replaced by `⟨secret:KIND:N⟩`; N is
    the number that the function `number` gives the secret.
    """
    found = secrets_in(text)
    if not found:
        return text
    pieces, last = [], 0
    for begin, end, kind in found:
        pieces += [text[last:begin], f"⟨secret:{kind}:{number(kind, text[begin:end])}⟩"]
        last = end
    return "".join([*pieces, text[last:]])


def redact_skill(text: SkillText) -> SkillText:
    """Return a skill's text with each secret in it replaced by a placeholder; secrets are numbered
    in order of appearance.
    """
    known: dict[str, int] = {}

    def number(kind: str, secret: str) -> int:
        return known.setdefault(secret, len(known) + 1)

    def redact_value(key: str, value: str) -> str:
        """Redact a metadata value; its key may be what tells that it is a secret."""
        return redact_text(f"{key}: {value}", number).removeprefix(f"{key}: ")

    return replace(
        text,
        description=redact_text(text.description, number),
        body=redact_text(text.body, number),
        extra=redact_text(text.extra, number),
        metadata={key: redact_value(key, value) for key, value in text.metadata.items()},
    )


def redact_message(message: Message, number: Number) -> Message:
    """Return a message with each secret in it replaced by a placeholder, also one that is divided
    over several of its text parts: their texts then stand together in the first of them.
    """
    calls = tuple(
        ToolCall(
            name=redact_text(c.name, number),
            arguments=redact_text(c.arguments, number),
            id=redact_text(c.id, number),
        )
        for c in message.tool_calls
    )
    parts = tuple(
        MessagePart(kind=p.kind, text=redact_text(p.text, number))
        for p in _without_divided(message.parts)
    )
    answers = redact_text(message.tool_call_id, number)
    return replace(message, parts=parts, tool_calls=calls, tool_call_id=answers)


def _without_divided(parts: tuple[MessagePart, ...]) -> tuple[MessagePart, ...]:
    """The parts; if a secret is divided over their texts, with all of these in the first."""
    texts = [at for at, part in enumerate(parts) if part.kind is PartKind.TEXT]
    if len(texts) < 2:
        return parts
    *ends, _ = accumulate(len(parts[at].text) for at in texts)
    whole = "".join(parts[at].text for at in texts)
    if not any(begin < cut < end for begin, end, _ in secrets_in(whole) for cut in ends):
        return parts
    first, *others = texts
    joined = (*parts[:first], replace(parts[first], text=whole), *parts[first + 1 :])
    return tuple(part for at, part in enumerate(joined) if at not in others)
