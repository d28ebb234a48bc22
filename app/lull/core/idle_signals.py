"""What is known of the machine and its user at one moment: a value each, or why it is unknown.

Decides nothing. Where a signal comes from is a backend's, what it means is `core/idle.py`'s. An
unknown is never a value in disguise: a sensor that broke must not look like an empty chair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

SLEEP_GAP_S: Final = 60.0
"""Missing from between two looks at the clock: the machine was asleep. Four looks of 15 s."""


@dataclass(frozen=True, slots=True)
class Known(Generic[T_co]):
    value: T_co


@dataclass(frozen=True, slots=True)
class Unknown:
    why: str
    """For a person, without a full stop: "there is no X11 display"."""


Reading: TypeAlias = Known[T] | Unknown
"""What a source of one signal answers."""

_NOT_ASKED: Final = Unknown("nothing here tells")


def plain(reading: Known[T] | Unknown) -> T | Unknown:
    """A reading as `IdleSignals` holds it."""
    return reading.value if isinstance(reading, Known) else reading


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleSignals:
    """One look at everything. Raises ValueError for a naive `now` or a number that is none."""

    now: datetime
    """Aware, in the user's zone: its wall clock is the one that hours are meant by, so the zone
    must know its daylight saving (a ZoneInfo, not a fixed offset)."""
    monotonic_s: float
    """Never goes back, whatever is done to the clock."""
    input_idle_s: float | Unknown = _NOT_ASKED
    """Since the last key, click or move."""
    locked: bool | Unknown = _NOT_ASKED
    on_mains: bool | Unknown = _NOT_ASKED
    """True too where there is no battery."""
    battery_share: float | Unknown = _NOT_ASKED
    """Of a full battery, 0 to 1."""
    low_power: bool | Unknown = _NOT_ASKED
    """The user asked the machine to save power."""
    hot: bool | Unknown = _NOT_ASKED
    """The system says that it is throttling or about to."""
    load_of_others: float | Unknown = _NOT_ASKED
    """Share of all cores that processes other than ours use, 0 to 1."""
    memory_free_share: float | Unknown = _NOT_ASKED
    """Of all memory that could be had without swapping, 0 to 1."""
    memory_pressure: float | Unknown = _NOT_ASKED
    """Share of time in which something waited for memory, 0 to 1."""
    call: bool | Unknown = _NOT_ASKED
    """A call or a film is in progress."""
    exclusive_app: str | Unknown = ""
    """Name of a running app during which the user wants quiet; "" for none."""
    chats_in_flight: int = 0
    """On the data plane, from anywhere."""
    since_chat_s: float = math.inf
    """Since the last chat ended; infinite when there was none."""
    asleep_gap_s: float = 0.0
    """How long the machine slept since the last look."""

    def __post_init__(self) -> None:
        if self.now.tzinfo is None:
            raise ValueError("the time of signals is aware")
        for name in _NUMBERS:
            value = getattr(self, name)
            if not isinstance(value, Unknown) and not value >= 0.0:
                raise ValueError(f"{name} is {value}, which is no length, share or count")


_NUMBERS: Final = (
    "input_idle_s",
    "battery_share",
    "load_of_others",
    "memory_free_share",
    "memory_pressure",
    "chats_in_flight",
    "since_chat_s",
    "asleep_gap_s",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """When the clocks were last read."""

    now: datetime
    monotonic_s: float


def asleep_gap_s(last: Look, this: Look, *, expected_s: float) -> float:
    """How long the machine slept between two looks that should lie `expected_s` apart; else 0.

    Two clocks are asked, because some count sleep in the monotonic one and some do not. A clock
    that was put forward looks like sleep, which only makes us wait; one put back looks like
    nothing.
    """
    ran_s = this.monotonic_s - last.monotonic_s
    skipped_s = (this.now - last.now).total_seconds() - ran_s
    late_s = ran_s - expected_s
    return max((gap for gap in (skipped_s, late_s) if gap >= SLEEP_GAP_S), default=0.0)


class IdleSource(Protocol):
    """Where signals come from. Answers at once, from what was polled last."""

    def signals(self) -> IdleSignals:
        """The newest look. Chats and sleep are the caller's to add; never raises."""

    def hurry(self, on: bool) -> None:
        """Work is running: input must be seen within 100 ms. Off again when it ends."""
