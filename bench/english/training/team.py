"""Several processes that make each training step together, each on a core of its own.

MLX computes on one core at a time, apart from what its BLAS divides. Every process holds the same
weights, works through a share of a step's passes, and gets the sum of all gradients over sockets
of this machine; so all make the same step.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

T = TypeVar("T")


class Team:
    """The processes of a training; alone if there is no group."""

    def __init__(self, group: Any = None) -> None:
        self._group = group
        self.rank = 0 if group is None else int(group.rank())
        self.size = 1 if group is None else int(group.size())

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

    def total(self, tree: Any) -> Any:
        """Return the sum of the processes' trees of arrays."""
        if self._group is None:
            return tree
        flat = tree_flatten(tree)
        whole = mx.concatenate([one.reshape(-1) for _, one in flat])
        whole = mx.distributed.all_sum(whole, group=self._group, stream=mx.cpu)
        mx.eval(whole)
        out, at = [], 0
        for name, one in flat:
            out.append((name, whole[at : at + one.size].reshape(one.shape)))
            at += one.size
        return tree_unflatten(out)

    def any(self, said: bool) -> bool:
        """Whether a process of the team says yes."""
        if self._group is None:
            return said
        votes = mx.distributed.all_sum(mx.array(float(said)), group=self._group, stream=mx.cpu)
        return bool(votes.item() > 0)


def joined() -> Team:
    """Join the team that this process was started for; alone if it was for none."""
    if "MLX_HOSTFILE" not in os.environ:
        return Team()
    return Team(mx.distributed.init(strict=True, backend="ring"))


@contextmanager
def led(size: int, command: Sequence[str]) -> Iterator[Team]:
    """Start the other processes of a team of `size` with a command, and lead it.

    They end with this block.
    """
    if size <= 1:
        yield Team()
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        hosts = folder / "hosts.json"
        hosts.write_text(json.dumps([[f"127.0.0.1:{port}"] for port in _ports(size)]))
        for rank in range(1, size):
            given = {**os.environ, "MLX_HOSTFILE": str(hosts), "MLX_RANK": str(rank)}
            other = subprocess.Popen((sys.executable, *command), env=given)
            stack.callback(other.wait)
            stack.callback(other.terminate)
        given = {"MLX_HOSTFILE": str(hosts), "MLX_RANK": "0"}
        os.environ |= given
        stack.callback(lambda: [os.environ.pop(name) for name in given])
        yield joined()


def _ports(count: int) -> list[int]:
    with ExitStack() as stack:
        open_now = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in open_now:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in open_now]
