"""Connects the processes that train one run, on one machine or several, and sums numbers and arrays
over them.

`mlx.launch --backend ring` starts them and sets environment variables; in a single process every
sum is the value itself. Only process 0 writes, and the others copy its state at the start, so only
its run folder needs checkpoints.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from lull.core.errors import TrainingError


@dataclass(frozen=True, slots=True)
class ProcessRing:
    """The group of processes that train one run together."""

    group: Any = None

    @classmethod
    def connect(cls, environ: Mapping[str, str] = os.environ) -> ProcessRing:
        """Connect this process to the others that train the run, waiting for all of them; a process
        that was started alone gets a group of one.

        Raises TrainingError when they cannot be reached.
        """
        if "MLX_RANK" not in environ:
            return cls()
        try:
            group = mx.distributed.init(strict=True)
        except RuntimeError as error:
            raise TrainingError(
                f"The other processes of this run cannot be reached: “{error}”.",
                hint="Start them all with mlx.launch --backend ring.",
            ) from error
        return cls(group if group.size() > 1 else None)

    @property
    def size(self) -> int:
        """Number of processes that train the run together; 1 without a group."""
        return 1 if self.group is None else int(self.group.size())

    @property
    def number(self) -> int:
        """Rank of this process among those that train the run, from 0."""
        return 0 if self.group is None else int(self.group.rank())

    @property
    def writes(self) -> bool:
        """Whether this process is the one that writes the run's files and events."""
        return self.number == 0

    def sum_numbers(self, *numbers: float) -> tuple[float, ...]:
        """Sum each of these numbers over all processes of the training run, and return the sums."""
        if self.group is None:
            return numbers
        total: Any = mx.distributed.all_sum(mx.array(numbers), group=self.group)
        return tuple(total.tolist())

    def sum_arrays(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Sum each of these arrays over all processes of the training run, in one message, and
        return the sums by name.
        """
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

    def broadcast(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Broadcast: return process 0's arrays in every process of the training run."""
        if self.group is None:
            return arrays
        # Sorted by name: a state read from a file has another order than a fresh one.
        names = sorted(arrays)
        mine = {name: arrays[name].astype(mx.float32) for name in names}
        if not self.writes:
            mine = {name: mx.zeros_like(array) for name, array in mine.items()}
        told = self.sum_arrays(mine)
        if self.writes:
            return arrays
        return {name: told[name].astype(arrays[name].dtype) for name in names}
