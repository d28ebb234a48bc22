"""How much of the processor others use: everybody's time less ours.

Ours are this process and everything it started, and, while work is running, the servers that
compute for it without being its children, such as Ollama: else our own replays would look like
somebody else's work and stop themselves. How much is too much is `core/idle.py`'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

import psutil

from lull.backends.apps import plain_name
from lull.core.idle_signals import Known, Reading, Unknown

SERVERS: Final = frozenset({"ollama", "ollama_llama_server", "llama-server", "ollama-runner"})
"""Names of the processes that answer our replays."""
_RESTING: Final = ("idle", "iowait", "steal")
_COUNTED_ELSEWHERE: Final = ("guest", "guest_nice")
"""In the time of "user" and "nice", by Linux's count."""


@dataclass(frozen=True, slots=True)
class Used:
    """Seconds of processor time of one process, so far."""

    own_s: float
    ended_s: float = 0.0
    """Of its children that have ended; only Linux keeps that."""


Uses = Mapping[tuple[int, float], Used]
"""By process id and time of creation, since ids are used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    busy_s: float
    all_s: float
    ours: Uses
    servers: Uses


class LoadOfOthers:
    """Implements Source: share of all cores, 0 to 1, since the question before."""

    name = "the processor load"

    def __init__(self, take: Callable[[], Sample] | None = None, *, first_s: float = 0.25) -> None:
        """`first_s`: the first question looks at so long, there being no question before it."""
        self._take = take or take_sample
        self._first_s = first_s
        self._last: Sample | None = None
        self._working = self._worked = False

    def working(self, on: bool) -> None:
        """Whether our work runs now. May be called from any thread."""
        self._working = on
        self._worked = self._worked or on

    def read(self) -> Reading[float]:
        if self._last is None:
            self._last = self._take()
            time.sleep(self._first_s)
        # Servers finish what was asked of them a moment after work has been stopped: the whole
        # stretch in which work began or ended counts as worked.
        worked, self._worked = self._worked, self._working
        last, self._last = self._last, self._take()
        return share_of_others(last, self._last, servers_are_ours=worked)

    def close(self) -> None:
        self._last = None


def take_sample(servers: Set[str] = SERVERS) -> Sample:
    """Of this machine, with this process and all below it as ours."""
    busy_s, all_s = _machine()
    root = psutil.Process()
    ours = _uses([root, *root.children(recursive=True)])
    found = _uses(p for p in psutil.process_iter() if plain_name(_name(p)) in servers)
    apart = {key: used for key, used in found.items() if key not in ours}
    return Sample(busy_s=busy_s, all_s=all_s, ours=ours, servers=apart)


def share_of_others(last: Sample, this: Sample, *, servers_are_ours: bool) -> Reading[float]:
    """Between two samples. Unknown when no time has passed between them."""
    all_s = this.all_s - last.all_s
    if all_s <= 0.0:
        return Unknown("the processor's clock stands still")
    ours_s = used_between(last.ours, this.ours)
    if servers_are_ours:
        ours_s += used_between(last.servers, this.servers)
    others_s = this.busy_s - last.busy_s - ours_s
    return Known(min(1.0, max(0.0, others_s / all_s)))


def used_between(last: Uses, this: Uses) -> float:
    """Seconds that these processes used between two samples.

    One that has ended since shows in what its parent keeps of its children, less what was known of
    it before. Where that is not kept, its last stretch is lost, never counted negative.
    """
    own_s = sum(used.own_s - last.get(key, Used(0.0)).own_s for key, used in this.items())
    ended_s = sum(used.ended_s for used in this.values())
    ended_s -= sum(used.ended_s for used in last.values())
    ended_s -= sum(used.own_s for key, used in last.items() if key not in this)
    return max(0.0, own_s) + max(0.0, ended_s)


def _machine() -> tuple[float, float]:
    """Seconds that all cores together were busy, and that they were there."""
    times = psutil.cpu_times()._asdict()
    all_s = sum(seconds for name, seconds in times.items() if name not in _COUNTED_ELSEWHERE)
    return all_s - sum(times.get(name, 0.0) for name in _RESTING), all_s


def _uses(processes: Iterable[psutil.Process]) -> Uses:
    uses = {}
    for process in processes:
        try:
            times = process.cpu_times()
            key = (process.pid, process.create_time())
        except psutil.Error:
            continue  # ended meanwhile, or not ours to look at
        ended_s = times.children_user + times.children_system
        uses[key] = Used(times.user + times.system, ended_s)
    return uses


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""
