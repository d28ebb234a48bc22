"""Polls each idle signal (such as the time since the user's last input) in a thread of its own, and
combines the newest values.

Decides how often each source is asked and its timeout; reading the signals never waits. No keys are
ever recorded: sources report when there was input, not what it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final, Protocol, TypeVar

from lull.backends.idle.polled import PolledSignal, PollPace, SignalSource
from lull.backends.machine.memory import FreeMemory
from lull.backends.machine.power import PowerReading
from lull.core.idle.signals import (
    ClockReading,
    IdleSignals,
    Known,
    Reading,
    Unknown,
    asleep_gap_s,
    value_or_unknown,
)
from lull.core.ports import Clock

T = TypeVar("T")

WOKEN_S: Final = 15.0
"""Seconds for which a wake-up of the machine is reported after it happened.

So long that even the slowest loop that reads the signals reads them once in this time.
"""
_BRIEF_NAP_S: Final = 1.0
"""Seconds reported for a sleep whose length no clock shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paces:
    """How often the idle-signal sources are polled, with and without background work running."""

    calm: PollPace = PollPace(every_s=15.0, within_s=5.0)  # noqa: RUF009  frozen
    hurried: PollPace = PollPace(every_s=0.1, within_s=1.0)  # noqa: RUF009  frozen
    """How often the source of user input is polled while background work runs.

    Its timeout is short: work must not run on while it is unknown whether the user is back.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSources:
    """The sources of signals that tell whether the user is at this machine or must not be
    disturbed, such as input and calls.
    """

    input: SignalSource[float]
    """Source of the seconds since the last input."""
    locked: SignalSource[bool]
    call: SignalSource[bool]
    app: SignalSource[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSources:
    """The sources of signals that tell whether this machine has power, memory and time to spare."""

    waking: SignalSource[float]
    """Source of the time when the machine last woke, on the monotonic clock; -inf if unknown."""
    power: SignalSource[PowerReading]
    saving: SignalSource[bool]
    heat: SignalSource[bool]
    load: SignalSource[float]
    memory: SignalSource[FreeMemory]
    working: Callable[[bool], None] = lambda _on: None
    """Callback: called with True when Lull's own work starts, with False when it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSources:
    """All sources of this machine's idle signals: those about the user (such as input) and those
    about the machine (such as power).
    """

    user: UserSources
    machine: MachineSources


class ChatActivity(Protocol):
    """Interface through which idle detection learns whether a chat is in progress, and how many
    seconds ago the last one was.
    """

    @property
    def busy(self) -> bool:
        """Whether a chat request is being answered."""

    @property
    def quiet_s(self) -> float:
        """Seconds since the last chat request was answered."""


class SystemSignals:
    """Reads this machine's idle signals, such as input, screen lock and power; implements the
    `StartableIdleSource` port.

    Call `start` before use and `close` at the end.
    """

    def __init__(
        self,
        sources: SignalSources,
        *,
        clock: Clock,
        zone: Callable[[], tzinfo],
        chats: ChatActivity | None = None,
        returned: Callable[[], None] | None = None,
        paces: Paces | None = None,
    ) -> None:
        """Prepare reading the idle signals; `zone` returns the user's time zone.

        `returned` is called from a polling thread when, during background work, the user gives
        input or the input becomes unknown, so that the work stops without waiting for the next
        read. It may be called once more during `close`, and must not raise.
        """
        self._clock = clock
        self._zone = zone
        self._chats = chats
        self._returned = returned
        self._paces = paces or Paces()
        user, machine = sources.user, sources.machine
        self._working = machine.working
        self._input = self._polled(user.input, self._heard_input)
        self._locked = self._polled(user.locked)
        self._waking = self._polled(machine.waking)
        self._power = self._polled(machine.power)
        self._saving = self._polled(machine.saving)
        self._heat = self._polled(machine.heat)
        self._load = self._polled(machine.load)
        self._memory = self._polled(machine.memory)
        self._call = self._polled(user.call)
        self._app = self._polled(user.app)
        self._all: tuple[_Running, ...] = (
            *(self._input, self._locked, self._waking, self._power, self._saving),
            *(self._heat, self._load, self._memory, self._call, self._app),
        )
        self._looking = threading.Lock()
        self._look: ClockReading | None = None
        self._slept: tuple[float, float] | None = None
        """When the machine's last sleep was noticed, and its length in seconds."""
        self._hurried = False
        self._on_reading: Reading[float] | None = None
        """The last input reading; used only by the input's polling thread."""

    def _polled(
        self, source: SignalSource[T], on_reading: Callable[[Reading[T]], None] | None = None
    ) -> PolledSignal[T]:
        return PolledSignal(
            source,
            pace=self._paces.calm,
            monotonic_s=self._clock.monotonic_s,
            on_reading=on_reading,
        )

    def start(self) -> None:
        """Start to poll all signals, each in a thread."""
        for polled in self._all:
            polled.start()

    def close(self) -> None:
        """Stop polling the idle signals, without waiting for sources that hang."""
        for polled in self._all:
            polled.stop()

    def signals(self) -> IdleSignals:
        now, monotonic_s = self._clock.now(), self._clock.monotonic_s()
        gap_s = self._gap_s(ClockReading(now=now, monotonic_s=monotonic_s))
        power, room, chats = self._power.latest(), self._memory.latest(), self._chats
        share = power if isinstance(power, Unknown) else power.value.battery_share
        pressure = room if isinstance(room, Unknown) else room.value.pressure
        return IdleSignals(
            now=now.astimezone(self._zone()),
            monotonic_s=monotonic_s,
            input_idle_s=_sound(value_or_unknown(self._input.latest())),
            locked=value_or_unknown(self._locked.latest()),
            on_mains=power if isinstance(power, Unknown) else power.value.on_mains,
            battery_share=_sound(share),
            low_power=value_or_unknown(self._saving.latest()),
            hot=value_or_unknown(self._heat.latest()),
            load_of_others=_sound(value_or_unknown(self._load.latest())),
            memory_free_share=_sound(room if isinstance(room, Unknown) else room.value.free_share),
            memory_pressure=_sound(pressure),
            call=value_or_unknown(self._call.latest()),
            exclusive_app=value_or_unknown(self._app.latest()),
            chats_in_flight=int(chats.busy) if chats else 0,
            since_chat_s=chats.quiet_s if chats else float("inf"),
            asleep_gap_s=gap_s,
        )

    def set_fast_polling(self, on: bool) -> None:
        self._working(on)
        self._hurried = on
        self._input.set_pace(self._paces.hurried if on else self._paces.calm)

    def look_again(self, within_s: float) -> None:
        self._input.ask_now(within_s)

    def _gap_s(self, this: ClockReading) -> float:
        """Return the length of a sleep that ended within the last `WOKEN_S`, else 0."""
        woke = self._waking.latest()
        with self._looking:
            last, self._look = self._look, this
            if last is not None:
                # Reads are irregular, so a late one is not a sleep; only a difference between the
                # clocks is.
                ran_s = this.monotonic_s - last.monotonic_s
                gap_s = asleep_gap_s(last, this, expected_s=ran_s)
                if gap_s > 0.0:
                    self._slept = (this.monotonic_s, gap_s)
            if self._slept is not None and this.monotonic_s - self._slept[0] < WOKEN_S:
                return self._slept[1]
        brief = isinstance(woke, Known) and this.monotonic_s - woke.value < WOKEN_S
        return _BRIEF_NAP_S if brief else 0.0

    def _heard_input(self, answer: Reading[float]) -> None:
        """Call `returned` if the idle time dropped or became unknown."""
        last, self._on_reading = self._on_reading, answer
        if self._returned is None or not self._hurried or not isinstance(last, Known):
            return
        if isinstance(answer, Unknown) or answer.value < last.value:
            self._returned()


def _sound(value: float | Unknown) -> float | Unknown:
    """Replace a negative value, which only a faulty driver reports, by Unknown."""
    if isinstance(value, Unknown) or value >= 0.0:
        return value
    return Unknown(f"the system says {value}, which is impossible")


class _Running(Protocol):
    def start(self) -> None: ...

    def stop(self) -> None: ...
