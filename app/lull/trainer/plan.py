"""Which examples a step sees: a pure function of the batch, the seed and the number of processes.

So a run that was killed finds the same step again, and two processes see together what one would
see alone with twice as many examples a step.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from lull.core.training_examples import Answer, Example, Graduation, Group, Replay
from lull.core.training_run import RunSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one process sees of one step."""

    own: tuple[tuple[int, Example], ...]
    """With the number that each has within the step, the same however many processes there are."""
    replays: tuple[Replay, ...]
    partners: tuple[Example, ...]
    """For each of `own` another example, whose answer does not belong to its prompt; itself where
    there is no other."""


class Plan:
    def __init__(self, spec: RunSpec, batch: Sequence[Example], processes: int) -> None:
        own = [example for example in batch if isinstance(example, Group | Answer | Graduation)]
        self._spec = spec
        self._processes = processes
        self.own = tuple(e for e in own if not isinstance(e, Group) or e.teaches)
        self.skipped_groups = len(own) - len(self.own)
        self.replays = tuple(example for example in batch if isinstance(example, Replay))
        self._size = spec.examples_a_step * processes
        self._a_round = math.ceil(len(self.own) / self._size)

    @property
    def steps(self) -> int:
        """0 where nothing teaches anything: then there is no update at all."""
        if not self.own:
            return 0
        asked = self._spec.steps
        return self._spec.epochs * self._a_round if asked is None else asked

    def share(self, step: int, process: int = 0) -> Share:
        """Of step number `step`, from 0, for process number `process`."""
        lap, place = divmod(step, self._a_round)
        order = self._order(self.own, f"own {lap}")
        first = place * self._size
        chosen = order[first : first + self._size]
        after = [order[(first + number + 1) % len(order)] for number in range(len(chosen))]
        mine = range(process, len(chosen), self._processes)
        return Share(
            own=tuple((number, self.own[chosen[number]]) for number in mine),
            replays=tuple(self._replayed(step, len(chosen)))[process :: self._processes],
            partners=tuple(self.own[after[number]] for number in mine),
        )

    def _replayed(self, step: int, own: int) -> list[Replay]:
        """Going round through all of them, so that none is seen more often than another."""
        share = self._spec.replay_share
        if not self.replays or share == 0.0:
            return []
        full = _beside(self._size, share)
        lap, place = divmod(step * full, len(self.replays))
        endless = (
            self.replays[index]
            for turn in range(lap, lap + full + 2)
            for index in self._order(self.replays, f"replay {turn}")
        )
        return list(islice(endless, place, place + _beside(own, share)))

    def _order(self, examples: Sequence[Example], name: str) -> list[int]:
        order = list(range(len(examples)))
        random.Random(f"{self._spec.seed} {name}").shuffle(order)
        return order


def _beside(own: int, share: float) -> int:
    """So many replays that they are `share` of all; never none."""
    return max(1, round(own * share / (1.0 - share)))
