"""How much room a prompt has, judged from characters, corrected by what the upstream counted.

Overflow is silent upstream: history is dropped with HTTP 200. So we estimate on the safe side,
drop skills first, and compare the count that comes back with our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.messages import Message, PartKind

DEFAULT_WINDOW = 4096
"""Ollama's own default below 24 GB of video memory."""
TOKENS_A_MESSAGE = 8
"""What a chat template adds around one message, on the safe side."""
TOKENS_AN_IMAGE = 768
"""No two models agree; common ones spend 256 to 1,600."""
_FIRST_RATE = 0.30
_SAFE_FROM, _SAFE_TO = 0.15, 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRate:
    """Tokens a character of one model, learned from its own counts."""

    per_character: float = _FIRST_RATE
    lowest: float | None = None
    """The lowest rate that was ever counted; None before the first count."""

    def updated(self, *, characters: int, tokens: int) -> TokenRate:
        """After a prompt of that many characters was counted. Small prompts say nothing."""
        if characters < 200 or tokens < 20:
            return self
        seen = min(max(tokens / characters, _SAFE_FROM), _SAFE_TO)
        return TokenRate(
            per_character=0.8 * self.per_character + 0.2 * seen,
            lowest=seen if self.lowest is None else min(self.lowest, seen),
        )

    def fewest(self, characters: int) -> int:
        """Tokens that so many characters surely have, whatever language or code they are."""
        rate = _SAFE_FROM if self.lowest is None else 0.8 * self.lowest
        return int(characters * rate)

    def text(self, text: str) -> int:
        """Tokens of a text, rounded up. A sign outside ASCII counts at least as one."""
        plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
        return int(plain * self.per_character + (len(text) - plain)) + 1

    def prompt(self, messages: Sequence[Message], tools: str = "") -> int:
        """Tokens of a whole request, template included."""
        words = sum(
            TOKENS_AN_IMAGE if part.kind is PartKind.IMAGE else self.text(part.text)
            for message in messages
            for part in message.parts
        )
        calls = sum(
            self.text(call.name + call.arguments)
            for message in messages
            for call in message.tool_calls
        )
        return words + calls + self.text(tools) + TOKENS_A_MESSAGE * (len(messages) + 1)


def reply_reserve(window_tokens: int, max_tokens: int | None) -> int:
    """Tokens kept free for the answer."""
    wanted = window_tokens // 4 if max_tokens is None or max_tokens <= 0 else max_tokens
    return min(wanted, window_tokens // 2)


def was_cut(
    *, expected_tokens: int, fewest_tokens: int, counted_tokens: int | None, window_tokens: int
) -> bool:
    """True when the upstream must have dropped part of the prompt: the estimate is beyond the
    window, and fewer were counted than any text of that length has."""
    if counted_tokens is None or expected_tokens <= window_tokens:
        return False
    return counted_tokens <= window_tokens and counted_tokens < fewest_tokens
