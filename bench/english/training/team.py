"""Several processes that make each training step together, each on a core of its own.

One process with two threads is hardly faster than one with one. Every process holds the same
weights, works through a share of a step's lessons, and gets the sum of all gradients over sockets
of this machine; so all make the same step.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import torch
from torch import Tensor, distributed

T = TypeVar("T")
MEET: Final = "LULL_TEAM_FILE"
"""Environment variable with the file at which a team meets."""
_RANK: Final = "LULL_TEAM_RANK"
_SIZE: Final = "LULL_TEAM_SIZE"


class Team:
    """The processes of a training; alone if there is no group."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank = rank
        self.size = size

    @property
    def leads(self) -> bool:
        return self.rank == 0

    def share(self, some: Sequence[T], cost: Callable[[T], int]) -> list[T]:
        """Return this process's share of some work, dealt alike by cost; the same everywhere."""
        loads = [0] * self.size
        mine = []
        for one in sorted(some, key=cost, reverse=True):
            who = loads.index(min(loads))
            loads[who] += cost(one)
            if who == self.rank:
                mine.append(one)
        return mine

    def total(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the sum of the processes' tensors."""
        if self.size == 1:
            return list(tensors)
        whole = torch.cat([one.reshape(-1) for one in tensors])
        distributed.all_reduce(whole)
        parts = whole.split([one.numel() for one in tensors])
        return [part.view_as(one) for part, one in zip(parts, tensors, strict=True)]

    def most(self, value: float) -> float:
        """Return the largest of the processes' values."""
        if self.size == 1:
            return value
        told = torch.tensor([value], dtype=torch.float64)
        distributed.all_reduce(told, op=distributed.ReduceOp.MAX)
        return float(told)


def joined() -> Team:
    """Join the team that this process was started for; alone if it was for none."""
    torch.set_num_threads(1)
    if MEET not in os.environ:
        return Team()
    rank, size = int(os.environ[_RANK]), int(os.environ[_SIZE])
    meet = f"file://{os.environ[MEET]}"
    distributed.init_process_group("gloo", init_method=meet, rank=rank, world_size=size)
    return Team(rank, size)


@contextmanager
def led(size: int, command: Sequence[str]) -> Iterator[Team]:
    """Start the other processes of a team of `size` with a command, and lead it.

    They end with this block.
    """
    if size <= 1:
        yield joined()
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        given = {MEET: str(folder / "meet"), _SIZE: str(size)}
        for rank in range(1, size):
            env = {**os.environ, **given, _RANK: str(rank)}
            other = subprocess.Popen((sys.executable, *command), env=env)
            stack.callback(other.wait)
            stack.callback(other.terminate)
        own = {**given, _RANK: "0"}
        os.environ |= own
        stack.callback(lambda: [os.environ.pop(name) for name in own])
        team = joined()
        stack.callback(distributed.destroy_process_group)
        yield team
