"""Measures CPU use by other programs: all CPU time minus Lull's own.

Lull's own is this process with its descendants and, while background work runs, model servers such
as Ollama that compute for it. Otherwise the requests that Lull replays in the background would look
like load by the user and interrupt the replay.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

import psutil

from lull.backends.machine.apps import plain_name
from lull.core.idle.signals import Known, Reading, Unknown

SERVERS: Final = frozenset({"ollama", "ollama_llama_server", "llama-server", "ollama-runner"})
"""Process names of model servers such as Ollama."""
_RESTING: Final = ("idle", "iowait", "steal")
_COUNTED_ELSEWHERE: Final = ("guest", "guest_nice")
"""Kinds of CPU time that Linux already includes in "user" and "nice"."""


@dataclass(frozen=True, slots=True)
class ProcessCpuTime:
    """CPU seconds that one process has used so far."""

    own_s: float
    ended_s: float = 0.0
    """CPU seconds of the process's ended children; known only on Linux."""


Uses = Mapping[tuple[int, float], ProcessCpuTime]
"""CPU use by (process id, creation time), because ids are reused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSample:
    """CPU seconds used so far by the machine, by Lull and by the model servers."""

    busy_s: float
    all_s: float
    ours: Uses
    servers: Uses


class LoadOfOthers:
    """Signal for idle detection: other programs' share of all CPU cores, 0 to 1, since the last
    read. Implements `SignalSource`.
    """

    name = "the processor load"

    def __init__(
        self, take: Callable[[], LoadSample] | None = None, *, first_s: float = 0.25
    ) -> None:
        """Create the signal for idle detection; `first_s` is the length of the first measurement in
        seconds.
        """
        self._take = take or take_sample
        self._first_s = first_s
        self._last: LoadSample | None = None
        self._working = self._worked = False

    def set_working(self, on: bool) -> None:
        """Note whether Lull's background work runs now; while it does, the CPU use of model servers
        counts as Lull's.

        It may be called from any thread.
        """
        self._working = on
        self._worked = self._worked or on

    def read(self) -> Reading[float]:
        if self._last is None:
            self._last = self._take()
            time.sleep(self._first_s)
        # Servers finish their requests a moment after work stops, so the whole interval in which
        # work started or stopped counts as worked.
        worked, self._worked = self._worked, self._working
        last, self._last = self._last, self._take()
        return share_of_others(last, self._last, servers_are_ours=worked)

    def close(self) -> None:
        self._last = None


def take_sample(servers: Set[str] = SERVERS) -> LoadSample:
    """Measure the CPU time used so far, counting this process and its descendants as Lull's own."""
    busy_s, all_s = _machine()
    root = psutil.Process()
    ours = _uses([root, *root.children(recursive=True)])
    found = _uses(p for p in psutil.process_iter() if plain_name(_name(p)) in servers)
    apart = {key: used for key, used in found.items() if key not in ours}
    return LoadSample(busy_s=busy_s, all_s=all_s, ours=ours, servers=apart)


def share_of_others(
    last: LoadSample, this: LoadSample, *, servers_are_ours: bool
) -> Reading[float]:
    """Return other programs' share of CPU time between two samples; Unknown if no time has
    passed.
    """
    all_s = this.all_s - last.all_s
    if all_s <= 0.0:
        return Unknown("the processor's counters don't move")
    ours_s = used_between(last.ours, this.ours)
    if servers_are_ours:
        ours_s += used_between(last.servers, this.servers)
    others_s = this.busy_s - last.busy_s - ours_s
    return Known(min(1.0, max(0.0, others_s / all_s)))


def used_between(last: Uses, this: Uses) -> float:
    """Return the CPU seconds that these processes used between two samples.

    A process that has ended in between is counted through its parent's time of ended children,
    minus what it had used at the first sample. If the system does not record that time, what the
    process used after the first sample is lost; the result is never negative.
    """
    own_s = sum(used.own_s - last.get(key, ProcessCpuTime(0.0)).own_s for key, used in this.items())
    ended_s = sum(used.ended_s for used in this.values())
    ended_s -= sum(used.ended_s for used in last.values())
    ended_s -= sum(used.own_s for key, used in last.items() if key not in this)
    return max(0.0, own_s) + max(0.0, ended_s)


def _machine() -> tuple[float, float]:
    """Return the machine's busy and total CPU seconds over all cores."""
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
            continue  # ended, or not permitted
        ended_s = times.children_user + times.children_system
        uses[key] = ProcessCpuTime(times.user + times.system, ended_s)
    return uses


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""
