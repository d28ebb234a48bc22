"""Schedules the stretches of all weeks; each starts as soon as the one it continues is finished.

What an earlier run has finished is taken from its folder and not played again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Container, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from bench.workweek import finished_stretches
from bench.workweek.arms import Arm, Stretch, Trains
from bench.workweek.service import stop_orphan
from bench.workweek.week import Played, play

_Key = tuple[int, tuple[Stretch, ...]]
"""A seed and the stretches from the first day on; weeks that agree in both are played only once."""
_HOME = "home"


@dataclass(slots=True)
class _Node:
    arm: str
    """Of the first arm that goes this way."""
    turn: int
    """Of the seed among the seeds: whole persons are finished first."""
    nights_ahead: int = 0
    """In the longest week through here: the longest ways are begun first."""


class Plan:
    def __init__(self, weeks: Sequence[tuple[Arm, int]]) -> None:
        self._weeks = weeks
        self._nodes: dict[_Key, _Node] = {}
        turns = {seed: turn for turn, seed in enumerate(dict.fromkeys(seed for _, seed in weeks))}
        for arm, seed in weeks:
            for count in range(1, len(arm.stretches) + 1):
                key = (seed, arm.stretches[:count])
                node = self._nodes.setdefault(key, _Node(arm.name, turns[seed]))
                ahead = sum(s.night is not Trains.NOTHING for s in arm.stretches[count - 1 :])
                node.nights_ahead = max(node.nights_ahead, ahead)

    def __len__(self) -> int:
        return len(self._nodes)

    def play(
        self,
        folder: Path,
        at_once: int,
        *,
        tell: Callable[[str], None],
        stretch: Callable[..., Played] = play,
    ) -> list[Played]:
        """Play all weeks and return them in the given order; `stretch` runs in separate
        processes.
        """
        folder.mkdir(parents=True, exist_ok=True)
        folders = {key: folder / finished_stretches.folder_name(*key) for key in self._nodes}
        stored = {key: finished_stretches.read(place) for key, place in folders.items()}
        played = {key: one for key, one in stored.items() if one is not None}
        if played:
            tell(f"{len(played)} of {len(self._nodes)} are there from an earlier run")
        before_s, began_s, there = finished_stretches.spent_s(folder), time.monotonic(), len(played)
        left, running = set(self._nodes) - set(played), dict[Future[Played], _Key]()
        with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
            while left or running:
                for key in self._ready(left, played)[: at_once - len(running)]:
                    left.remove(key)
                    arm, from_ = self._nodes[key].arm, folders.get(_before(key))
                    running[pool.submit(_one, stretch, arm, key, from_, folders[key])] = key
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    key = running.pop(future)
                    played[key] = future.result()
                    spent_s = time.monotonic() - began_s
                    finished_stretches.spend(folder, before_s + spent_s)
                    still = len(self._nodes) - len(played)
                    tell(
                        f"{self._nodes[key].arm}, seed {key[0]}: done to day {key[1][-1].last}"
                        f" ({len(played)} of {len(self._nodes)},"
                        f" about {spent_s / (len(played) - there) * still:.0f} s left)"
                    )
        return [self._whole(arm, seed, played) for arm, seed in self._weeks]

    def _ready(self, left: set[_Key], played: dict[_Key, Played]) -> list[_Key]:
        ready = [key for key in self._nodes if key in left and _may_begin(key, played)]
        nodes = self._nodes
        return sorted(ready, key=lambda key: (nodes[key].turn, -nodes[key].nights_ahead))

    @staticmethod
    def _whole(arm: Arm, seed: int, played: dict[_Key, Played]) -> Played:
        whole, *more = (
            played[seed, arm.stretches[:count]] for count in range(1, len(arm.stretches) + 1)
        )
        for later in more:
            whole = whole.then(later)
        return whole.named(arm.name)


def _may_begin(key: _Key, played: Container[_Key]) -> bool:
    return len(key[1]) == 1 or _before(key) in played


def _before(key: _Key) -> _Key:
    seed, stretches = key
    return seed, stretches[:-1]


def _one(
    stretch: Callable[..., Played], arm: str, key: _Key, before: Path | None, folder: Path
) -> Played:
    """Play a stretch in a copy of the previous home, because other stretches may continue from it,
    too. What a killed run has left of it is thrown away.
    """
    home = folder / _HOME
    stop_orphan(home)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if before is None:
        home.mkdir()
    else:
        shutil.copytree(before / _HOME, home)
    played = stretch(key[1][-1], arm=arm, seed=key[0], home=home)
    finished_stretches.write(folder, played)
    return played
