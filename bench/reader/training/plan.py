"""What a training of the reader is set to, and the order of its steps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.reader.items import CHECKS, LABELS

BATCH_TOKENS: Final = 4_000
"""Most tokens in a batch, padding included."""
MOST_TOGETHER: Final = 32
"""Most items in a batch."""
PLAN: Final = "plan.json"
TURN_MARKS: Final = (1, 2)
"""The tokens `<|im_start|>` and `<|im_end|>` of the small model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    seed: int = 0
    epochs: int = 2
    learning_rate: float = 6e-4
    weight_decay: float = 0.01
    warm_up: int = 40
    stop: int = 0
    """Step with which the training ends, though the learning rate is that of all; 0: the last."""
    frozen: int = 4
    """Number of lower layers without LoRA, whose output is worked out once."""
    layers: int = 16
    rank: int = 16
    scale: float = 2.0
    both_ways: bool = False
    onto: str = ""
    """SHA-256 of the trained weights that the training starts from; "" from the beginning."""
    average: float = 0.99
    """Share of the mean weights that a step keeps; the mean weights ship, since the last ones
    depend on the last batches.
    """

    def settings(self) -> list[str]:
        """Return the arguments with which the training is started anew; BEFORE is the folder with
        the weights that it starts from.
        """
        given = [(one.name, getattr(self, one.name), one.default) for one in fields(self)]
        return [
            f"--{name.replace('_', '-')}" + _value(name, value)
            for name, value, default in given
            if value != default
        ]

    def shape(self) -> dict[str, Any]:
        """Return the fields of the network's `ReaderShape`."""
        return {
            "frozen": self.frozen,
            "layers": self.layers,
            "rank": self.rank,
            "scale": self.scale,
            "labels": tuple(LABELS),
            "classes": tuple(CHECKS),
            "both_ways": self.both_ways,
            "turn_marks": TURN_MARKS,
        }


def _value(name: str, value: object) -> str:
    if value is True:
        return ""
    return "=BEFORE" if name == "onto" else f"={value}"


def plan_of(work: Path) -> Plan:
    """Return the plan of the training in a folder."""
    return Plan(**json.loads((work / PLAN).read_text("utf-8"))["plan"])


def steps_of(plan: Plan, lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the item indices of each training step; the same for the same seed."""
    for epoch in range(plan.epochs):
        rng = np.random.default_rng((plan.seed, epoch))
        # lengths are jittered, so that batches are others in each epoch
        jitter = rng.uniform(0.8, 1.25, len(lengths))
        order = sorted(range(len(lengths)), key=lambda i: lengths[i] * jitter[i])
        groups = grouped(lengths, order)
        yield from (groups[k] for k in rng.permutation(len(groups)))


def grouped(lengths: Sequence[int], order: Sequence[int]) -> list[list[int]]:
    """Group indices, in the given order, into batches of at most BATCH_TOKENS with padding."""
    groups: list[list[int]] = [[]]
    for i in order:
        longest = max([lengths[j] for j in groups[-1]] + [lengths[i]])
        full = (len(groups[-1]) + 1) * longest > BATCH_TOKENS
        if groups[-1] and (full or len(groups[-1]) >= MOST_TOGETHER):
            groups.append([])
        groups[-1].append(i)
    return [one for one in groups if one]


def learning_rate(plan: Plan, step: int, total: int) -> float:
    """Return a step's learning rate: a linear warm-up, then half a cosine down to 0."""
    warm = min(1.0, (step + 1) / plan.warm_up)
    return plan.learning_rate * warm * 0.5 * (1 + math.cos(math.pi * step / total))
