"""Versions of a model that Lull publishes in Ollama: their standing, and when one may serve.

The public name stays the user's; a version has a name of its own and nothing of the user's is ever
overwritten. Which version answers is said by the adapter that is in force (`core/adapter.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.weight_work import NextToken

FEWEST_COMPARED: Final = 2
ROUNDING: Final = 0.05
"""Nats that half-precision arithmetic of two engines may differ in, whatever the weights."""
MOST_LIKELY: Final = 20
"""Log-probabilities compared after each prompt."""
TEST_PROMPTS: Final = (
    "The capital of France is",
    "def add(a, b):\n    return",
    "1, 2, 3, 4,",
    "Once upon a time there was a",
    '{"name": "',
    "Dear Sir or Madam,\n\nI am writing to",
    "Question: What is 7 times 8?\nAnswer:",
    "the cat and the dog and the",
)


class PublishedStatus(StrEnum):
    MAKING = "making"
    """Its name is taken; what is in Ollama under it is ours and may be half done."""
    MADE = "made"
    """In Ollama and like its base in all but the weights; not tested yet."""
    READY = "ready"
    """Tested: it says what was trained."""
    REMOVED = "removed"
    FAILED = "failed"
    """It did not say what was trained; it is removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far next-token log-probabilities of two engines lie apart, in nats."""

    gap: float
    """The largest, of the published version and the weights that were trained."""
    base_gap: float
    """The same without what was learned: what the engines and roundings alone make."""
    prompts: int

    @property
    def holds(self) -> bool:
        """The published version must be as much like what was trained as the base is."""
        return self.prompts >= FEWEST_COMPARED and self.gap <= 2 * self.base_gap + ROUNDING

    @property
    def text(self) -> str:
        return (
            f"log-probabilities differ by {self.gap:.3f} nats at most (the base's by"
            f" {self.base_gap:.3f}) after {self.prompts} prompts"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedVersion:
    model: str
    """The public name, canonical."""
    number: int
    name: str
    """In Ollama."""
    adapter: str
    """sha256 of the adapter that is merged into it."""
    base: str
    """sha256 of the base's weights."""
    status: PublishedStatus
    at: datetime
    why: str = ""
    """Why it failed, or what the test found."""
    agreement: Agreement | None = None


def gap_between(one: NextToken, other: NextToken) -> float | None:
    """None where they cannot be compared: other tokens went in, or too few came out."""
    if one.prompt_tokens != other.prompt_tokens:
        return None
    both = list(zip(one.logprobs, other.logprobs, strict=False))
    return max(abs(a - b) for a, b in both) if both else None
