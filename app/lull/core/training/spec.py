"""The specification of a training run: the contents of its file `spec.json`, with default values.

A training run is a pure function of its folder: nothing that changes the result is stored anywhere
else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lull.core.errors import TrainingError

FORMAT: Final = 1


class RunKind(StrEnum):
    """The kinds of training runs, by their loss."""

    GRPO = "grpo"
    """Training on groups of sampled answers with rewards (arXiv 2402.03300, 2503.20783)."""
    KTO = "kto"
    """Training on single answers that were good or bad (arXiv 2402.01306)."""
    GRADUATION = "graduation"
    """Moving the effect of a skill from the prompt into the weights (arXiv 2601.19897)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lora:
    """Settings of the LoRA matrices that are trained beside every linear layer of the transformer
    blocks (arXiv 2106.09685).
    """

    rank: int = 16
    scale: float = 2.0
    """Factor of the low-rank product, as in mlx-lm; alpha = scale · rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpoTerms:
    """The parameters of the GRPO loss, which trains on groups of sampled answers with rewards."""

    clip_low: float = 0.2
    clip_high: float = 0.28
    """Upper clipping range of the probability ratio; larger than the lower one, which keeps rare
    answers alive (arXiv 2503.14476).
    """
    ratio_cap: float = 2.0
    """Upper limit of the probability ratio. Engine and trainer round differently, and clipping
    alone leaves the ratio of a bad answer unbounded.
    """
    kl_beta: float = 0.02
    """Weight of the k3 estimate of KL to the base, per token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KtoTerms:
    """The parameters of the KTO loss, which trains on single answers that were good or bad."""

    beta: float = 0.1
    weight_good: float | None = None
    weight_bad: float | None = None
    """Weight of bad answers, as `weight_good` is for good ones; if both are None, the two classes
    get equal total weight, whatever their sizes.
    """
    replay_top_k: int = 32
    """Number of most likely tokens whose probabilities are kept, on replayed answers, near those
    from before the training (KL divergence); 0 trains on these answers as plain examples.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class GraduationTerms:
    """The parameters of the distillation that moves a skill's effect from the prompt into the
    weights.
    """

    top_k: int = 32
    """Tokens distinguished at each position; all others count as one. They are the teacher's
    likeliest on its own answers, and the student's likeliest on the student's samples."""
    sample_tokens: int = 256
    """Most tokens of an answer that the trainer samples from the student."""
    temperature: float = 1.0
    """Sampling temperature. 1 is the student's own distribution, which the loss assumes."""


Terms = GrpoTerms | KtoTerms | GraduationTerms
TERMS: Final[dict[RunKind, type[Terms]]] = {
    RunKind.GRPO: GrpoTerms,
    RunKind.KTO: KtoTerms,
    RunKind.GRADUATION: GraduationTerms,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """The specification of one training run: model, data, LoRA settings and hyperparameters. Raises
    TrainingError if a number is invalid, and names it.
    """

    id: str
    kind: RunKind
    model: str
    """Folder of MLX weights; a relative path starts from the run folder."""
    model_digest: str = ""
    """Digest of the weights when the batch was made; recorded for lineage, not checked."""
    parent: str | None = None
    """Adapter folder to start from, whose rank and scale are then used; None: a new adapter."""
    seed: int = 0
    lora: Lora = field(default_factory=Lora)
    learning_rate: float = 3e-5
    last_rate_share: float = 1.0
    """Share of the learning rate that is left at the last step, after a linear decrease."""
    epochs: int = 1
    """Number of passes over the batch."""
    steps: int | None = None
    """Number of optimiser steps instead of epochs, repeating the batch as needed."""
    examples_a_step: int = 8
    """Examples of the run's own kind per process and step; with two processes a step has twice as
    many."""
    micro_tokens: int = 2048
    """Number of padded tokens that go through the model at once; a longer example goes alone."""
    logit_chunk_tokens: int = 256
    """Number of answer tokens whose full-vocabulary logits exist at once."""
    clip_norm: float = 1.0
    memory_share: float = 0.6
    """Share of the memory that the device says a process may use."""
    replay_share: float = 0.25
    """Share of a step's examples that are replays, if the batch has any."""
    checkpoint_layers: bool | None = None
    """Whether to recompute activations instead of storing them; None: only above 100 million
    parameters.
    """
    terms: Terms = field(default_factory=GrpoTerms)

    def rate(self, step: int, steps: int) -> float:
        """Return the learning rate at step number `step`, from 0, of `steps`."""
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
            _check(terms.replay_top_k >= 0, "kto.replay_top_k", "must be 0 or more")
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
    return TrainingError(f"In spec.json, {name}: {text}.", hint="Make the run again.")
