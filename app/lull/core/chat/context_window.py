"""Estimates prompt sizes in tokens from characters, corrected by the model server's own counts.

A server such as Ollama does not report that a prompt is too long: it silently drops history and
answers HTTP 200. So the estimates err on the safe side, Lull's skills are left out of a prompt
first, and the server's count is compared with the estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.chat.messages import ChatRequest, Message, PartKind

DEFAULT_WINDOW = 4096
"""Context window in tokens that Ollama uses by default on machines with less than 24 GB of video
memory.
"""
TOKENS_A_MESSAGE = 8
"""Tokens that a chat template adds around one message (an upper estimate)."""
TOKENS_AN_IMAGE = 768
"""Estimated tokens of an image; common models spend 256 to 1,600."""
_FIRST_RATE = 0.30
_SAFE_FROM, _SAFE_TO = 0.15, 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRate:
    """A model's ratio of tokens to characters, learned from the model server's token counts."""

    per_character: float = _FIRST_RATE
    lowest: float | None = None
    """The lowest ratio ever counted; None before the first count."""

    def updated(self, *, characters: int, tokens: int) -> TokenRate:
        """Return the model's tokens-per-character ratio, corrected by one more prompt with
        `characters` characters, in which the model server counted `tokens` tokens.

        Small prompts change nothing.
        """
        if characters < 200 or tokens < 20:
            return self
        seen = min(max(tokens / characters, _SAFE_FROM), _SAFE_TO)
        return TokenRate(
            per_character=0.8 * self.per_character + 0.2 * seen,
            lowest=seen if self.lowest is None else min(self.lowest, seen),
        )

    def min_tokens(self, characters: int) -> int:
        """Return a lower bound of the number of tokens in this many characters, whatever the
        language.
        """
        rate = _SAFE_FROM if self.lowest is None else 0.8 * self.lowest
        return int(characters * rate)

    def text_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, rounded up; each non-ASCII character counts as at least
        one.
        """
        plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
        return int(plain * self.per_character + (len(text) - plain)) + 1

    def request_tokens(self, request: ChatRequest) -> int:
        """Estimate the tokens of a chat request, with what the chat template adds. If the request's
        body is so large that another process parses it, only its character counts are used.
        """
        outline = request.outline
        if outline is None:
            return self.prompt_tokens(request.messages, request.tools)
        words = int(outline.plain * self.per_character) + outline.others + outline.pieces
        images = TOKENS_AN_IMAGE * outline.images
        return words + images + TOKENS_A_MESSAGE * (len(request.messages) + 1)

    def prompt_tokens(self, messages: Sequence[Message], tools: str = "") -> int:
        """Estimate the tokens of messages and tool definitions, with what the chat template
        adds.
        """
        words = sum(
            TOKENS_AN_IMAGE if part.kind is PartKind.IMAGE else self.text_tokens(part.text)
            for message in messages
            for part in message.parts
        )
        calls = sum(
            self.text_tokens(call.name + call.arguments)
            for message in messages
            for call in message.tool_calls
        )
        return words + calls + self.text_tokens(tools) + TOKENS_A_MESSAGE * (len(messages) + 1)


def reply_reserve(window_tokens: int, max_tokens: int | None) -> int:
    """Return the number of tokens to keep free in the context window for the model's answer."""
    wanted = window_tokens // 4 if max_tokens is None or max_tokens <= 0 else max_tokens
    return min(wanted, window_tokens // 2)


def was_cut(
    *, expected_tokens: int, fewest_tokens: int, counted_tokens: int | None, window_tokens: int
) -> bool:
    """Whether the model server must have cut off part of a prompt: the estimated size exceeds the
    context window, and the server counted fewer tokens than any text of that length can have.
    """
    if counted_tokens is None or expected_tokens <= window_tokens:
        return False
    return counted_tokens <= window_tokens and counted_tokens < fewest_tokens
