"""Other processes that train the same run, on this machine or on more: sums over all of them.

`mlx.launch --backend ring` starts them and says so in the environment; alone, a sum is what it
was. Process 0 alone writes, and the others begin where it stands, so that only its run folder
needs checkpoints.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from lull.core.errors import TrainingError


@dataclass(frozen=True, slots=True)
class World:
    """All processes of a run."""

    group: Any = None

    @classmethod
    def joined(cls, environ: Mapping[str, str] = os.environ) -> World:
        """Waits until all are there. Raises TrainingError when they cannot be reached."""
        if "MLX_RANK" not in environ:
            return cls()
        try:
            group = mx.distributed.init(strict=True)
        except RuntimeError as error:
            raise TrainingError(
                f"The other processes of this run cannot be reached: {error}",
                hint="Start them all with mlx.launch --backend ring.",
            ) from error
        return cls(group if group.size() > 1 else None)

    @property
    def size(self) -> int:
        return 1 if self.group is None else int(self.group.size())

    @property
    def number(self) -> int:
        """Of this process, from 0."""
        return 0 if self.group is None else int(self.group.rank())

    @property
    def writes(self) -> bool:
        return self.number == 0

    def sums(self, *numbers: float) -> tuple[float, ...]:
        """Each number summed over all processes."""
        if self.group is None:
            return numbers
        total: Any = mx.distributed.all_sum(mx.array(numbers), group=self.group)
        return tuple(total.tolist())

    def summed(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Each array summed over all processes, in one message."""
        if self.group is None:
            return arrays
        flat = mx.concatenate([array.reshape(-1) for array in arrays.values()])
        total: Any = mx.distributed.all_sum(flat, group=self.group)
        out, first = {}, 0
        for name, array in arrays.items():
            out[name] = total[first : first + array.size].reshape(array.shape)
            first += array.size
        mx.eval(out)
        return out

    def told(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Process 0's arrays, in every process."""
        if self.group is None:
            return arrays
        # By name: a state that was read from a file has another order than a fresh one.
        names = sorted(arrays)
        mine = {name: arrays[name].astype(mx.float32) for name in names}
        if not self.writes:
            mine = {name: mx.zeros_like(array) for name, array in mine.items()}
        told = self.summed(mine)
        if self.writes:
            return arrays
        return {name: told[name].astype(arrays[name].dtype) for name in names}
