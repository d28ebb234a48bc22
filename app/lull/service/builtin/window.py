"""Fits a long conversation into the context window by dropping the oldest messages, as Ollama does.

Ollama shifts the oldest tokens out while it generates. Lull's engine cannot, so room for the answer
is reserved here. The system text and the newest message always stay; if they alone are too long,
the engine refuses. Tokens are not counted when the text certainly fits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lull.core.chat.context_window import reply_reserve
from lull.core.chat.messages import Message, Role
from lull.core.errors import RequestError
from lull.core.models.engine import Engine, GenerateRequest

LONGEST_TOKEN: Final = 64
"""Most characters per token, on average, of any realistic prompt."""
_TEMPLATE_TOKENS: Final = 16
"""Upper bound on the tokens a template adds per message."""


async def drop_oldest_to_fit(
    engine: Engine, asked: GenerateRequest, *, window_tokens: int
) -> GenerateRequest:
    """Drop as few of the oldest messages as needed for a request to fit into the context window,
    and return the request.
    """
    reply_tokens = reply_reserve(window_tokens, asked.sampling.max_tokens)
    # Clients often set limits far above any real answer; history is worth more than that room.
    most_tokens = window_tokens - min(reply_tokens, window_tokens // 4)
    messages = _possible(asked.messages, most_tokens)
    asked = replace(asked, messages=messages)
    if _at_most(messages) < most_tokens:
        return asked

    async def fits(dropped: int) -> bool:
        try:
            tokens = await engine.tokenize(replace(asked, messages=_without(messages, dropped)))
        except RequestError:
            return False  # an engine refuses to count beyond its own window
        return len(tokens) < most_tokens

    fewest, most = 0, sum(message.role is not Role.SYSTEM for message in messages[:-1])
    while fewest < most:
        middle = (fewest + most) // 2
        if await fits(middle):
            most = middle
        else:
            fewest = middle + 1
    return replace(asked, messages=_without(messages, fewest))


def _possible(messages: tuple[Message, ...], most_tokens: int) -> tuple[Message, ...]:
    """Drop the oldest messages that cannot fit the window, by a lower bound that needs no
    tokenizer.

    Each message counts as one token plus one per LONGEST_TOKEN characters.
    """
    tokens, kept = 0, list[Message]()
    for message in reversed(messages[:-1]):
        if message.role is not Role.SYSTEM:
            tokens += 1 + len(message.text) // LONGEST_TOKEN
        if message.role is Role.SYSTEM or tokens <= most_tokens:
            kept.append(message)
    return (*reversed(kept), *messages[-1:])


def _at_most(messages: tuple[Message, ...]) -> int:
    """Upper bound on a request's tokens: no tokenizer makes more tokens than there are bytes."""
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
