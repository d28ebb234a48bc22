"""Every signal of this machine, each polled in a thread of its own, put together when asked.

Decides how often each is asked and how long each may take; a look never waits for any of them.
Which source tells what on which system is `idle_sources.py`'s, what it all means `core/idle.py`'s.
No key is ever listened for: sources tell when there was input, never which.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final, Protocol, TypeVar

from lull.backends.memory_room import Room
from lull.backends.polled import Pace, Polled, Source
from lull.backends.power import Supply
from lull.core.idle_signals import (
    IdleSignals,
    Known,
    Look,
    Reading,
    Unknown,
    asleep_gap_s,
    plain,
)
from lull.core.ports import Clock

T = TypeVar("T")

WOKEN_S: Final = 15.0
"""So long a waking is told to whoever looks: the calmest watch looks once in it."""
_BRIEF_NAP_S: Final = 1.0
"""Told for a sleep whose length no clock shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paces:
    calm: Pace = Pace(every_s=15.0, within_s=5.0)  # noqa: RUF009  frozen
    hurried: Pace = Pace(every_s=0.1, within_s=1.0)  # noqa: RUF009  frozen
    """Of input alone, while work runs. A source that is silent for a second might hide a user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    input: Source[float]
    """Seconds since the last."""
    locked: Source[bool]
    waking: Source[float]
    """When the machine last woke, on the monotonic clock; -inf: not seen."""
    power: Source[Supply]
    saving: Source[bool]
    heat: Source[bool]
    load: Source[float]
    memory: Source[Room]
    call: Source[bool]
    app: Source[str]
    working: Callable[[bool], None] = lambda _on: None
    """Told when work of ours begins and ends."""


class Chats(Protocol):
    """What the data plane knows of its chats."""

    @property
    def busy(self) -> bool: ...

    @property
    def quiet_s(self) -> float: ...


class SystemSignals:
    """Implements core.idle_signals.IdleSource. `start` it, `close` it."""

    def __init__(
        self,
        sources: Sources,
        *,
        clock: Clock,
        zone: Callable[[], tzinfo],
        chats: Chats | None = None,
        returned: Callable[[], None] | None = None,
        paces: Paces | None = None,
    ) -> None:
        """`zone` is the user's. `returned` is called in a hurry, from a thread, once there was
        input or nothing is known of it any more: whoever runs work need not wait for its next look.
        It may come once more while `close` is called, and must not raise."""
        self._clock = clock
        self._zone = zone
        self._chats = chats
        self._returned = returned
        self._paces = paces or Paces()
        self._working = sources.working
        self._input = self._polled(sources.input, self._heard_input)
        self._locked = self._polled(sources.locked)
        self._waking = self._polled(sources.waking)
        self._power = self._polled(sources.power)
        self._saving = self._polled(sources.saving)
        self._heat = self._polled(sources.heat)
        self._load = self._polled(sources.load)
        self._memory = self._polled(sources.memory)
        self._call = self._polled(sources.call)
        self._app = self._polled(sources.app)
        self._all: tuple[_Running, ...] = (
            *(self._input, self._locked, self._waking, self._power, self._saving),
            *(self._heat, self._load, self._memory, self._call, self._app),
        )
        self._looking = threading.Lock()
        self._look: Look | None = None
        self._slept: tuple[float, float] | None = None
        """When it was seen, and how long it was."""
        self._hurried = False
        self._heard: Reading[float] | None = None
        """The input's last answer; of its own thread."""

    def _polled(
        self, source: Source[T], heard: Callable[[Reading[T]], None] | None = None
    ) -> Polled[T]:
        return Polled(
            source, pace=self._paces.calm, monotonic_s=self._clock.monotonic_s, heard=heard
        )

    def start(self) -> None:
        for polled in self._all:
            polled.start()

    def close(self) -> None:
        """Ask nothing more. Waits for nothing: what hangs is left to its thread."""
        for polled in self._all:
            polled.stop()

    def signals(self) -> IdleSignals:
        now, monotonic_s = self._clock.now(), self._clock.monotonic_s()
        gap_s = self._gap_s(Look(now=now, monotonic_s=monotonic_s))
        power, room, chats = self._power.latest(), self._memory.latest(), self._chats
        share = power if isinstance(power, Unknown) else power.value.battery_share
        pressure = room if isinstance(room, Unknown) else room.value.pressure
        return IdleSignals(
            now=now.astimezone(self._zone()),
            monotonic_s=monotonic_s,
            input_idle_s=_sound(plain(self._input.latest())),
            locked=plain(self._locked.latest()),
            on_mains=power if isinstance(power, Unknown) else power.value.on_mains,
            battery_share=_sound(share),
            low_power=plain(self._saving.latest()),
            hot=plain(self._heat.latest()),
            load_of_others=_sound(plain(self._load.latest())),
            memory_free_share=_sound(room if isinstance(room, Unknown) else room.value.free_share),
            memory_pressure=_sound(pressure),
            call=plain(self._call.latest()),
            exclusive_app=plain(self._app.latest()),
            chats_in_flight=int(chats.busy) if chats else 0,
            since_chat_s=chats.quiet_s if chats else float("inf"),
            asleep_gap_s=gap_s,
        )

    def hurry(self, on: bool) -> None:
        self._working(on)
        self._hurried = on
        self._input.set_pace(self._paces.hurried if on else self._paces.calm)

    def _gap_s(self, this: Look) -> float:
        """Of the sleep that ended within the last `WOKEN_S`, whoever looks; else 0."""
        woke = self._waking.latest()
        with self._looking:
            last, self._look = self._look, this
            if last is not None:
                # Looks may come at any time, so a late one is no sleep here; only a clock that ran
                # while the other stood is.
                ran_s = this.monotonic_s - last.monotonic_s
                gap_s = asleep_gap_s(last, this, expected_s=ran_s)
                if gap_s > 0.0:
                    self._slept = (this.monotonic_s, gap_s)
            if self._slept is not None and this.monotonic_s - self._slept[0] < WOKEN_S:
                return self._slept[1]
        brief = isinstance(woke, Known) and this.monotonic_s - woke.value < WOKEN_S
        return _BRIEF_NAP_S if brief else 0.0

    def _heard_input(self, answer: Reading[float]) -> None:
        """Less idle than before: there was input in between."""
        last, self._heard = self._heard, answer
        if self._returned is None or not self._hurried or not isinstance(last, Known):
            return
        if isinstance(answer, Unknown) or answer.value < last.value:
            self._returned()


def _sound(value: float | Unknown) -> float | Unknown:
    """What some driver made up must not stop the watch."""
    if isinstance(value, Unknown) or value >= 0.0:
        return value
    return Unknown(f"the system says {value}, which cannot be")


class _Running(Protocol):
    def start(self) -> None: ...

    def stop(self) -> None: ...
