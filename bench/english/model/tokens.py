"""The small model's tokenizer, as both ways to run the model here need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mlx_lm.utils import load_tokenizer

Messages = Sequence[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of the model."""

    text: str
    ended: bool
    """Whether the model ended it; else it was cut off at the most tokens."""


class Tokenizer:
    """The tokenizer of an MLX folder, with its chat template."""

    def __init__(self, base: Path) -> None:
        self.tokenizer: Any = load_tokenizer(base)

    @property
    def end(self) -> int:
        """The token that ends an answer."""
        return int(self.tokenizer.eos_token_id)

    @property
    def ends(self) -> frozenset[int]:
        """All tokens at which an answer is over."""
        return frozenset(int(one) for one in self.tokenizer.eos_token_ids)

    def prompt(self, messages: Messages) -> list[int]:
        ids = self.tokenizer.apply_chat_template(list(messages), add_generation_prompt=True)
        return [int(one) for one in ids]

    def tokens(self, text: str) -> list[int]:
        return [int(one) for one in self.tokenizer.encode(text, add_special_tokens=False)]

    def text(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids))).strip()


class Speaker(Protocol):
    """The small model that answers, with the adapter or without it."""

    def wear(self, *, adapter: bool) -> None:
        """Switch the adapter on or off; off, the model is exactly the base."""

    @property
    def end(self) -> int:
        """The token that ends an answer."""

    def prompt(self, messages: Messages) -> list[int]:
        """Return the tokens of a conversation, up to where the model answers."""

    def tokens(self, text: str) -> list[int]:
        """Return a text's tokens."""

    def answers(
        self, asked: Sequence[Messages], *, most: int, temperature: float = 0.0, seed: int = 0
    ) -> list[Said]:
        """Answer conversations side by side; greedily at temperature 0."""

    def log_shares(self, prompt: Sequence[int], answer: Sequence[int]) -> Any:
        """Return the log-probabilities at each token of an answer, shape (tokens, vocabulary)."""

    def fingerprint(self) -> str:
        """Return a short hash of the adapter."""
