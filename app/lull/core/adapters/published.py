"""Versions of a model that Lull publishes in Ollama (the base model with an adapter merged into its
weights): their states, and the test that a version must pass before it may answer users.

Clients keep using the model's public name. Each version is stored in Ollama under a name of its
own, so no model of the user's is overwritten; the active adapter decides which version answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.models.weight_work import NextToken

FEWEST_PROMPTS: Final = 2
ROUNDING_NATS: Final = 0.05
"""Difference in nats that half-precision rounding of two engines may cause, whatever the weights.
"""
LOGPROBS_COMPARED: Final = 20
"""Number of most likely next tokens whose log-probabilities are compared after each prompt."""
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
    """How far the publication of a model version in Ollama has come."""

    MAKING = "making"
    """The version's name is reserved by Lull, and the model under this name in Ollama may be
    incomplete.
    """
    MADE = "made"
    """The version is in Ollama, identical to its base except for the weights; not tested yet."""
    READY = "ready"
    """The test showed that the version's outputs match the trained model's."""
    REMOVED = "removed"
    FAILED = "failed"
    """The test showed that the version differs from the trained model; it has been removed."""


def answers_from_ollama(serve: str, *, metal: bool) -> bool:
    """Whether Ollama answers for the model that Lull trains, with a copy that has the adapter
    merged into its weights, rather than Lull's own engine (inference process).

    `serve` is the setting `training.serve`; "auto" means the engine on a machine with Metal only.
    """
    return serve == "ollama" or (serve == "auto" and not metal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How well a published model version agrees with the trained weights: the largest differences
    of next-token log-probabilities between two inference engines, in nats.
    """

    gap: float
    """Largest difference in nats between the published version and the trained weights."""
    base_gap: float
    """Largest difference in nats between two engines on the base weights, caused by rounding alone.
    """
    prompts: int

    @property
    def holds(self) -> bool:
        """Whether a model version published in Ollama agrees with the trained weights, up to
        rounding differences between the two inference engines.
        """
        return self.prompts >= FEWEST_PROMPTS and self.gap <= 2 * self.base_gap + ROUNDING_NATS

    @property
    def text(self) -> str:
        """The result of comparing a published version with the trained model, in words."""
        return (
            f"log-probabilities differ by {self.gap:.3f} nats at most (the base's by"
            f" {self.base_gap:.3f}) after {self.prompts} prompts"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedVersion:
    """The record of a copy of a model, with a LoRA adapter merged in, that Lull published in
    Ollama.
    """

    model: str
    """The model's public name in canonical form."""
    number: int
    name: str
    """The version's own name in Ollama."""
    adapter: str
    """sha256 of the adapter merged into the version."""
    base: str
    """sha256 of the base weights that the adapter was merged into."""
    status: PublishedStatus
    at: datetime
    why: str = ""
    """Why the version failed, or the result of its test."""
    agreement: Agreement | None = None


def gap_between(one: NextToken, other: NextToken) -> float | None:
    """Compare two inference engines' predictions of the next token: return the largest difference
    of their log-probabilities, in nats. None if they cannot be compared (different prompt tokens,
    or no output).
    """
    if one.prompt_tokens != other.prompt_tokens:
        return None
    both = list(zip(one.logprobs, other.logprobs, strict=False))
    return max(abs(a - b) for a, b in both) if both else None
