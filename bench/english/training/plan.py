"""How the adapter is trained, without the libraries that do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

import numpy as np

ADAPTER: Final = "adapter"
CHECKPOINT: Final = "checkpoint.pt"
CPU_MINUTES: Final = 105.0
"""Processor time after which a training ends, so that with the answers before it 150 suffice."""
PROCESSES: Final = 2
"""Number of processes that share a training step."""
POOL: Final = 256
"""Number of lessons that are sorted by length together, so that little is padded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    seed: int = 0
    lessons_a_step: int = 8
    epochs: int = 1
    learning_rate: float = 1.2e-3
    warm_up: int = 30
    rank: int = 16
    scale: float = 2.0
    layers: int = 0
    """Number of the model's last blocks that have LoRA layers; 0: all."""
    stay: float = 2.0
    """Weight of a nat of divergence in lessons in which nothing may change."""
    unlike: float = 4.0
    """Weight of a token's cross-entropy where a rule changed the answer, and the base would hardly
    ever say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """A lesson in tokens."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    plain: tuple[int, ...]
    """The prompt without rules; empty where the base's answer to it does not matter."""
    stays: bool
    """Whether all of the answer is to be as likely as it is to the base."""
    changed: tuple[bool, ...] = ()
    """For each of the answer's tokens, whether a rule put it there (`changed_tokens`)."""

    @property
    def length(self) -> int:
        return len(self.prompt) + len(self.answer)

    @property
    def cost(self) -> int:
        """Estimate of the work: its tokens, and a third of those that the base reads."""
        return self.length + (len(self.plain) + len(self.answer)) // 3 * bool(self.plain)


def changed_tokens(own: Sequence[int], answer: Sequence[int]) -> list[bool]:
    """Return for each token of an answer whether it is new, or the first behind what was left out.

    `own` is the answer before it was changed.
    """
    changed: list[bool] = []
    left_out = False
    for kind, _, _, begin, end in SequenceMatcher(None, own, answer, autojunk=False).get_opcodes():
        same = kind == "equal"
        changed += [left_out or not same] * min(1, end - begin) + [not same] * (end - begin - 1)
        left_out = kind == "delete"
    return changed


def steps_of(plan: Plan, lengths: list[int]) -> list[list[int]]:
    """Return the lessons of each training step by number; the same for the same seed.

    The lessons of a step are of like length.
    """
    steps: list[list[int]] = []
    for epoch in range(plan.epochs):
        chance = np.random.default_rng((plan.seed, epoch))
        order = chance.permutation(len(lengths))
        for pool in np.array_split(order, max(1, len(order) // POOL)):
            near = sorted(pool, key=lambda i: lengths[i] * chance.uniform(0.9, 1.1))
            size = plan.lessons_a_step
            some = [near[start : start + size] for start in range(0, len(near), size)]
            steps += [[int(i) for i in some[pick]] for pick in chance.permutation(len(some))]
    return steps
