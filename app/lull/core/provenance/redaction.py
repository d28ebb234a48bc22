"""Replaces secrets (passwords, keys, …) by placeholders that name their kind, before a conversation
is stored.

Only the secret is replaced, so the conversation stays readable. Code that merely names a secret
(`password = read_password()`) contains none and stays unchanged.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Final

from lull.core.chat.messages import Message, MessagePart, PartKind, ToolCall
from lull.core.secrets.finding import secrets_in
from lull.core.skills.skill import SkillText

Number = Callable[[str, str], int]
"""Type of a function that numbers secrets: (kind, secret) → its number, always the same for the
same secret.
"""

_USUAL_NAME: Final = 200
"""Most characters of a model's name whose redacted form is cached."""


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


def redact_name(name: str, number: Number) -> str:
    """Return the name of a model, or its digest, with each secret in it replaced by a placeholder:
    as `redact_text` does, and at once for a name that was seen before.
    """
    return name if len(name) <= _USUAL_NAME and _is_plain(name) else redact_text(name, number)


# The same few models answer all requests.
@lru_cache(maxsize=64)
def _is_plain(name: str) -> bool:
    return not secrets_in(name)


def redact_skill(text: SkillText) -> SkillText:
    """Return a skill's text with each secret in it replaced by a placeholder; secrets are numbered
    in order of appearance.
    """
    known: dict[str, int] = {}

    def number(kind: str, secret: str) -> int:
        return known.setdefault(secret, len(known) + 1)

    def redact_value(key: str, value: str) -> str:
        """Redact a metadata value; its key may be what tells that a line of it is a secret."""
        whole = redact_text(f"{key}: {value}", number).removeprefix(f"{key}: ")
        lines = (redact_text(f"{key}: {line}", number) for line in whole.split("\n"))
        return "\n".join(line.removeprefix(f"{key}: ") for line in lines)

    return replace(
        text,
        description=redact_text(text.description, number),
        body=redact_text(text.body, number),
        extra=redact_text(text.extra, number),
        metadata={key: redact_value(key, value) for key, value in text.metadata.items()},
    )


def redact_message(message: Message, number: Number) -> Message:
    """Return a message with each secret in it replaced by a placeholder, also one that is divided
    over several of its text parts.
    """
    parts = tuple(
        MessagePart(kind=p.kind, text=redact_text(p.text, number))
        for p in _without_divided(message.parts, number)
    )
    calls = tuple(
        ToolCall(
            name=redact_text(c.name, number),
            arguments=redact_text(c.arguments, number),
            id=redact_text(c.id, number),
        )
        for c in message.tool_calls
    )
    answers = redact_text(message.tool_call_id, number)
    return replace(message, parts=parts, tool_calls=calls, tool_call_id=answers)


def _without_divided(parts: tuple[MessagePart, ...], number: Number) -> tuple[MessagePart, ...]:
    """The parts without secrets that begin in one text and end in another: the placeholder stands
    in the first of them. All else stays in its part, to be looked through there.

    What is found in its first text alone is no divided one: a password that ends a text seems to go
    on in the next, whose words are another matter.
    """
    texts = [part.text for part in parts if part.kind is PartKind.TEXT]
    if len(texts) < 2:
        return parts
    starts = [0, *accumulate(map(len, texts))]
    whole = "".join(texts)
    for begin, end, kind in reversed(secrets_in(whole)):
        first = bisect_right(starts, begin) - 1
        if end <= starts[first + 1] or _is_found_alone(texts[first], begin - starts[first], kind):
            continue
        placeholder = f"⟨secret:{kind}:{number(kind, whole[begin:end])}⟩"
        last = bisect_left(starts, end) - 1
        texts[last] = texts[last][end - starts[last] :]
        for between in range(first + 1, last):
            texts[between] = ""
        texts[first] = texts[first][: begin - starts[first]] + placeholder
    left = iter(texts)
    return tuple(
        replace(part, text=next(left)) if part.kind is PartKind.TEXT else part for part in parts
    )


def _is_found_alone(text: str, begin: int, kind: str) -> bool:
    return any(at <= begin < end and alone == kind for at, end, alone in secrets_in(text))
