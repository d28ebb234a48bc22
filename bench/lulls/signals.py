"""The idle signals of the simulated machine at a given moment, and the time of their next change.

Input is polled as on a real machine: what is read is `POLLED_S` old.
"""

import math
from bisect import bisect_right
from typing import Final

from bench.lulls.spans import Track, total
from bench.lulls.world import World
from lull.core.errors import LullError
from lull.core.idle.signals import IdleSignals
from lull.loops.idle.decide_idle import ChatCounts

POLLED_S: Final = 0.05
_SESSION_LOAD, _BUILD_LOAD, _REST_LOAD = 0.12, 0.9, 0.04


class NoChats:
    """A machine on which nobody chats; implements `CountsRunningChats`."""

    def chat_counts(self) -> ChatCounts:
        return ChatCounts(0, math.inf)


class SimulatedSource:
    """Idle signals read from a simulated world; implements `IdleSource`."""

    def __init__(self, world: World) -> None:
        self.world = world
        names = (
            "input",
            "locked",
            "calls",
            "games",
            "chats",
            "asleep",
            "battery",
            "hot",
            "load",
            "short_of_memory",
        )
        self._track = {name: Track(getattr(world, name)) for name in names}
        self._changes = sorted({edge for name in names for edge in self._track[name].edges()})
        self._slept = [0.0]
        for span in world.asleep:
            self._slept.append(self._slept[-1] + total([span]))

    def holds(self, name: str, t: float) -> bool:
        return self._track[name].at(t) is not None

    def asleep_until(self, t: float) -> float | None:
        span = self._track["asleep"].at(t)
        return span[1] if span is not None else None

    def next_change(self, t: float) -> float:
        """Return the first time after `t` at which polling would see different signals."""
        i = bisect_right(self._changes, t - POLLED_S)
        return self._changes[i] + POLLED_S if i < len(self._changes) else self.world.length_s

    def monotonic_s(self, t: float) -> float:
        """Return the monotonic clock at time `t`; as on Linux, it stands still while the machine
        sleeps.
        """
        i = bisect_right(self.world.asleep, (t, float("inf")))
        slept = self._slept[i]
        if i and t < self.world.asleep[i - 1][1]:
            slept -= self.world.asleep[i - 1][1] - t
        return t - slept

    def at(self, t: float) -> IdleSignals:
        seen = max(0.0, t - POLLED_S)
        last = self._track["input"].before(seen)
        idle_s = seen if last is None else max(0.0, seen - last[1])
        if last is not None:
            # The machine's own count stands while it sleeps, as the monotonic clock does.
            idle_s = max(0.0, self.monotonic_s(seen) - self.monotonic_s(min(last[1], seen)))
        chat = self._track["chats"].before(t)
        in_flight = chat is not None and t < chat[1]
        since_s = float("inf") if chat is None else max(0.0, t - chat[1])
        load = _BUILD_LOAD if self.holds("load", seen) else _REST_LOAD
        return IdleSignals(
            now=self.world.local(t),
            monotonic_s=self.monotonic_s(t),
            input_idle_s=idle_s,
            locked=self.holds("locked", seen),
            on_mains=not self.holds("battery", seen),
            battery_share=0.8,
            low_power=False,
            hot=self.holds("hot", seen),
            load_of_others=load,
            memory_free_share=0.05 if self.holds("short_of_memory", seen) else 0.5,
            memory_pressure=0.3 if self.holds("short_of_memory", seen) else 0.0,
            call=self.holds("calls", seen),
            exclusive_app="Game" if self.holds("games", seen) else "",
            chats_in_flight=int(in_flight),
            since_chat_s=since_s,
        )


class NoProblems:
    """Tells nobody of a problem; implements `ProblemReporter`."""

    def set_or_clear(self, key: str, error: LullError | None) -> None:
        """Do nothing."""
