"""What a training run is asked to do: the nouns of `spec.json`, with the default of each number.

A run is a function of its folder: nothing that changes the result stands anywhere else. Which
examples go into it is `training_examples`', how the file is read and written `run_format`'s, and
when a run is made at all the night's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lull.core.errors import TrainingError

FORMAT: Final = 1


class RunKind(StrEnum):
    GRPO = "grpo"
    """Groups of samples with rewards (arXiv 2402.03300, 2503.20783)."""
    KTO = "kto"
    """Single answers that were good or bad (arXiv 2402.01306)."""
    GRADUATION = "graduation"
    """What a skill in the prompt does, moved into the weights (arXiv 2601.19897)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lora:
    """Low-rank layers beside every linear layer of the blocks (arXiv 2106.09685)."""

    rank: int = 16
    scale: float = 2.0
    """What the low-rank product is multiplied by, as mlx-lm means it; alpha = scale · rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpoTerms:
    clip_low: float = 0.2
    clip_high: float = 0.28
    """More room upwards than down keeps rare answers alive (arXiv 2503.14476)."""
    ratio_cap: float = 2.0
    """A ratio above this counts as this: the engine that sampled and the trainer round
    differently, and the clip alone leaves the ratio of a bad answer without bound."""
    kl_beta: float = 0.02
    """Weight of the k3 estimate of KL to the base, a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KtoTerms:
    beta: float = 0.1
    weight_good: float | None = None
    weight_bad: float | None = None
    """Both None: the classes weigh the same in sum, whatever their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraduationTerms:
    top_k: int = 32
    """Tokens told apart at each place, the student's likeliest; all others are one."""
    sample_tokens: int = 256
    """The longest sample drawn."""
    temperature: float = 1.0
    """Of the drawing. 1 is the student's own distribution, which the loss assumes."""


Terms = GrpoTerms | KtoTerms | GraduationTerms
TERMS: Final[dict[RunKind, type[Terms]]] = {
    RunKind.GRPO: GrpoTerms,
    RunKind.KTO: KtoTerms,
    RunKind.GRADUATION: GraduationTerms,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """One run. Raises TrainingError for a number that makes no sense, naming it."""

    id: str
    kind: RunKind
    model: str
    """Folder of MLX weights; a relative one is looked for from the run folder."""
    model_digest: str = ""
    """What the weights were when the batch was made; kept for lineage, not checked."""
    parent: str | None = None
    """Adapter folder to start from; rank and scale are then that adapter's."""
    seed: int = 0
    lora: Lora = field(default_factory=Lora)
    learning_rate: float = 3e-5
    last_rate_share: float = 1.0
    """Of the learning rate, that is left at the last step: it falls to it in a straight line."""
    epochs: int = 1
    """Passes over the batch."""
    steps: int | None = None
    """So many optimiser steps instead, going round as often as needed."""
    examples_a_step: int = 8
    """Of the run's own kind, for each process: with two processes a step sees twice as many."""
    micro_tokens: int = 2048
    """Padded tokens that go through the model at once; a longer example goes alone."""
    logit_chunk_tokens: int = 256
    """Answer tokens whose full-vocabulary logits exist at once."""
    clip_norm: float = 1.0
    memory_share: float = 0.6
    """Of what the device says a process may use."""
    replay_share: float = 0.25
    """Of a step's examples, where the batch has any to replay."""
    checkpoint_layers: bool | None = None
    """Forget activations and work them out again. None: above 100 million parameters."""
    terms: Terms = field(default_factory=GrpoTerms)

    def rate(self, step: int, steps: int) -> float:
        """Of step number `step`, from 0, of so many."""
        gone = step / (steps - 1) if steps > 1 else 0.0
        return self.learning_rate * (1.0 - (1.0 - self.last_rate_share) * gone)

    def __post_init__(self) -> None:
        if type(self.terms) is not TERMS[self.kind]:
            raise _senseless("terms", f"are not those of a {self.kind} run")
        for name in _AT_LEAST_ONE:
            _check(getattr(self, name) >= 1, name, "must be 1 or more")
        _check(self.steps is None or self.steps >= 0, "steps", "must not be negative")
        _check(self.lora.rank >= 1, "lora.rank", "must be 1 or more")
        _check(_positive(self.lora.scale), "lora.scale", "must be above 0")
        _check(_positive(self.learning_rate), "learning_rate", "must be above 0")
        _check(0 < self.last_rate_share <= 1, "last_rate_share", "must be above 0 and at most 1")
        _check(_positive(self.clip_norm), "clip_norm", "must be above 0")
        _check(0 < self.memory_share <= 1, "memory_share", "must be above 0 and at most 1")
        _check(0 <= self.replay_share < 1, "replay_share", "must be 0 or more and below 1")
        _check(0 <= self.seed < 2**63, "seed", "must be 0 or more, and below 2 to the 63rd")
        _check_terms(self.terms)


_AT_LEAST_ONE: Final = ("epochs", "examples_a_step", "micro_tokens", "logit_chunk_tokens")


def _check_terms(terms: Terms) -> None:
    match terms:
        case GrpoTerms():
            _check(0 < terms.clip_low < 1, "grpo.clip_low", "must be between 0 and 1")
            _check(_positive(terms.clip_high), "grpo.clip_high", "must be above 0")
            _check(terms.ratio_cap >= 1, "grpo.ratio_cap", "must be 1 or more")
            _check(_positive(terms.kl_beta, or_zero=True), "grpo.kl_beta", "must be 0 or more")
        case KtoTerms():
            _check(_positive(terms.beta), "kto.beta", "must be above 0")
            for name in ("weight_good", "weight_bad"):
                weight = getattr(terms, name)
                sound = weight is None or _positive(weight, or_zero=True)
                _check(sound, f"kto.{name}", "must be 0 or more")
        case GraduationTerms():
            _check(terms.top_k >= 1, "graduation.top_k", "must be 1 or more")
            _check(terms.sample_tokens >= 1, "graduation.sample_tokens", "must be 1 or more")
            _check(_positive(terms.temperature), "graduation.temperature", "must be above 0")


def _positive(value: float, *, or_zero: bool = False) -> bool:
    return math.isfinite(value) and (value > 0 or (or_zero and value == 0))


def _check(holds: bool, name: str, text: str) -> None:
    if not holds:
        raise _senseless(name, text)


def _senseless(name: str, text: str) -> TrainingError:
    return TrainingError(f"In spec.json {name} {text}.", hint="Make the run again.")
