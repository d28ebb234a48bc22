"""Chooses each training step's examples, as a pure function of the run's examples, the seed and the
number of processes.

A resumed run therefore repeats the same step, and two processes together see what one process would
see with twice as many examples per step.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    RecordedAnswer,
    ReplayExample,
)
from lull.core.training.spec import RunSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The training examples that one of several training processes handles in one step."""

    own: tuple[tuple[int, Example], ...]
    """The process's own examples as (number within the step, example); the numbers do not depend on
    how many processes there are.
    """
    replays: tuple[ReplayExample, ...]
    partners: tuple[Example, ...]
    """For each example in `own`, another example to take a mismatched answer from (KTO); itself if
    there is no other.
    """


class TrainingPlan:
    """The order of a training run's examples over its steps and processes."""

    def __init__(self, spec: RunSpec, batch: Sequence[Example], processes: int) -> None:
        own = [
            example
            for example in batch
            if isinstance(example, Group | RecordedAnswer | GraduationExample)
        ]
        self._spec = spec
        self._processes = processes
        self.own = tuple(e for e in own if not isinstance(e, Group) or e.teaches)
        self.skipped_groups = len(own) - len(self.own)
        self.replays = tuple(example for example in batch if isinstance(example, ReplayExample))
        self._size = spec.examples_a_step * processes
        self._steps_per_epoch = math.ceil(len(self.own) / self._size)

    @property
    def steps(self) -> int:
        """Number of steps of the training run; 0 where no example has a training signal."""
        if not self.own:
            return 0
        asked = self._spec.steps
        return self._spec.epochs * self._steps_per_epoch if asked is None else asked

    def share(self, step: int, process: int = 0) -> Share:
        """Return the examples of training step `step` for process `process`, both counted from
        0.
        """
        epoch, offset = divmod(step, self._steps_per_epoch)
        order = self._order(self.own, f"own {epoch}")
        first = offset * self._size
        chosen = order[first : first + self._size]
        following = [order[(first + number + 1) % len(order)] for number in range(len(chosen))]
        mine = range(process, len(chosen), self._processes)
        return Share(
            own=tuple((number, self.own[chosen[number]]) for number in mine),
            replays=tuple(self._replayed(step, len(chosen)))[process :: self._processes],
            partners=tuple(self.own[following[number]] for number in mine),
        )

    def _replayed(self, step: int, own: int) -> list[ReplayExample]:
        """The step's replays, cycling through all so that each is seen equally often."""
        share = self._spec.replay_share
        if not self.replays or share == 0.0:
            return []
        full = _replay_count(self._size, share)
        epoch, offset = divmod(step * full, len(self.replays))
        endless = (
            self.replays[index]
            for turn in range(epoch, epoch + full + 2)
            for index in self._order(self.replays, f"replay {turn}")
        )
        return list(islice(endless, offset, offset + _replay_count(own, share)))

    def _order(self, examples: Sequence[Example], name: str) -> list[int]:
        order = list(range(len(examples)))
        random.Random(f"{self._spec.seed} {name}").shuffle(order)
        return order


def _replay_count(own: int, share: float) -> int:
    """Number of replays that make up `share` of all examples; at least 1."""
    return max(1, round(own * share / (1.0 - share)))
