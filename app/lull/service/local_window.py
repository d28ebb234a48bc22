"""Making a long conversation fit: the oldest messages go, silently, as Ollama does it.

Ollama goes on answering in a full window, because it pushes the oldest tokens out as it speaks. Our
engine cannot, so the answer's room is kept free here: an answer of one word is none.
The system text and the newest message always stay. When those alone are too long the engine says
so. Nothing is counted while the text is short enough to fit however it is cut into tokens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lull.core.errors import RequestError
from lull.core.messages import Message, Role
from lull.core.ports import Engine, GenerateRequest
from lull.core.window import reply_reserve

_TEMPLATE_TOKENS: Final = 16
"""More than any template puts around a message."""


async def fitted(engine: Engine, asked: GenerateRequest, *, window_tokens: int) -> GenerateRequest:
    """The request without as many of the oldest messages as it takes, found by bisection."""
    messages = asked.messages
    reply_tokens = reply_reserve(window_tokens, asked.sampling.max_tokens)
    # Clients name round limits far beyond what is ever said: history is worth more than those.
    most_tokens = window_tokens - min(reply_tokens, window_tokens // 4)
    if _at_most(messages) < most_tokens:
        return asked

    async def fits(dropped: int) -> bool:
        try:
            tokens = await engine.tokenize(replace(asked, messages=_without(messages, dropped)))
        except RequestError:
            return False  # an engine counts no further than its own window
        return len(tokens) < most_tokens

    fewest, most = 0, sum(message.role is not Role.SYSTEM for message in messages[:-1])
    while fewest < most:
        middle = (fewest + most) // 2
        if await fits(middle):
            most = middle
        else:
            fewest = middle + 1
    return replace(asked, messages=_without(messages, fewest))


def _at_most(messages: tuple[Message, ...]) -> int:
    """No tokenizer makes more tokens than there are bytes."""
    return sum(len(message.text.encode("utf-8", "replace")) for message in messages) + (
        _TEMPLATE_TOKENS * (len(messages) + 1)
    )


def _without(messages: tuple[Message, ...], dropped: int) -> tuple[Message, ...]:
    kept: list[Message] = []
    for message in messages[:-1]:
        if message.role is not Role.SYSTEM and dropped > 0:
            dropped -= 1
        else:
            kept.append(message)
    return (*kept, *messages[-1:])
