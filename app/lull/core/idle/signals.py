"""Idle signals: sensor readings about the machine and its user at one moment, each a value or the
reason why it is unknown.

An unknown signal is never represented by a value: a broken sensor must not look like an absent
user.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from lull.core.text.coded_text import TextSentence

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

SLEEP_GAP_S: Final = 60.0
"""Seconds missing between two clock readings that count as sleep; four poll intervals of 15 s."""


@dataclass(frozen=True, slots=True)
class Known(Generic[T_co]):
    """A sensor's reading that succeeded."""

    value: T_co


@dataclass(frozen=True, slots=True)
class Unknown:
    """A sensor's reading that failed, with the reason."""

    why: str
    """The reason in words, without a full stop, such as "there is no X11 display"."""

    @property
    def reason(self) -> TextSentence:
        """Return the reason why a sensor reading is unknown, as a value to insert in a text for the
        user.
        """
        return TextSentence(self.why)


Reading: TypeAlias = Known[T] | Unknown
"""Type of a sensor's reading: the value, or an `Unknown` that says why there is none."""

_NOT_ASKED: Final = Unknown("nothing on this machine reports it")


def value_or_unknown(reading: Known[T] | Unknown) -> T | Unknown:
    """Unpack a sensor reading: return its value or, if it could not be measured, the Unknown that
    says why.
    """
    return reading.value if isinstance(reading, Known) else reading


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleSignals:
    """All sensor readings at one moment (input, power, load, memory, …) from which it is decided
    whether the machine is idle. Raises ValueError for a naive `now` or an invalid number.
    """

    now: datetime
    """Time of the reading, in the user's zone. Weekly hours are in its wall-clock time, so it must
    know daylight saving (a ZoneInfo, not a fixed offset).
    """
    monotonic_s: float
    """Seconds on a clock that never goes backwards."""
    input_idle_s: float | Unknown = _NOT_ASKED
    """Seconds since the last key press, click or mouse movement."""
    locked: bool | Unknown = _NOT_ASKED
    on_mains: bool | Unknown = _NOT_ASKED
    """Whether the machine runs on mains power; also True without a battery."""
    battery_share: float | Unknown = _NOT_ASKED
    """Charge of the battery, 0 to 1."""
    low_power: bool | Unknown = _NOT_ASKED
    """Whether the user has switched on power saving."""
    hot: bool | Unknown = _NOT_ASKED
    """Whether the machine is throttled for heat, or soon will be."""
    load_of_others: float | Unknown = _NOT_ASKED
    """Share of all cores used by processes other than ours, 0 to 1."""
    memory_free_share: float | Unknown = _NOT_ASKED
    """Share of all memory that is available without swapping, 0 to 1."""
    memory_pressure: float | Unknown = _NOT_ASKED
    """Share of time in which processes waited for memory, 0 to 1."""
    call: bool | Unknown = _NOT_ASKED
    """Whether a call or a film is in progress."""
    exclusive_app: str | Unknown = ""
    """Name of a running app on the user's do-not-disturb list; "" for none."""
    chats_in_flight: int = 0
    """Number of chats being answered by the proxy, from any client."""
    since_chat_s: float = math.inf
    """Seconds since the last chat ended; infinite if there was no chat."""
    asleep_gap_s: float = 0.0
    """Seconds that the machine slept since the previous evaluation."""

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
class ClockReading:
    """The times of the wall clock and the monotonic clock, read together at one moment."""

    now: datetime
    monotonic_s: float


def clock_of(signals: IdleSignals) -> ClockReading:
    """Return the wall-clock and monotonic times at which these idle signals (user input, chats,
    heat, battery) were read.
    """
    return ClockReading(now=signals.now, monotonic_s=signals.monotonic_s)


def asleep_gap_s(last: ClockReading, this: ClockReading, *, expected_s: float) -> float:
    """Return how many seconds the machine was asleep between two clock readings that would be
    `expected_s` seconds apart without sleep; 0 if it was not asleep.

    Compares the wall clock with the monotonic clock, because the latter counts sleep on some
    systems only. A wall clock put forward looks like sleep, which only causes a wait; one put back
    has no effect.
    """
    ran_s = this.monotonic_s - last.monotonic_s
    skipped_s = (this.now - last.now).total_seconds() - ran_s
    late_s = ran_s - expected_s
    return max((gap for gap in (skipped_s, late_s) if gap >= SLEEP_GAP_S), default=0.0)


class IdleSource(Protocol):
    """Interface of a source of idle signals (sensor readings of the machine and its user), which
    answers without delay from what it last polled.
    """

    def signals(self) -> IdleSignals:
        """Return the newest sensor readings of the machine and its user. The fields about chats and
        sleep are left for the caller to add. Never raises.
        """

    def set_fast_polling(self, on: bool) -> None:
        """Poll the sensors fast (`on` True) or at the normal rate again. Fast polling is used while
        background work runs, so that user input is noticed within 100 ms.
        """

    def look_again(self, within_s: float) -> None:
        """Ask when the user's last input was, because somebody is about to be told; returns once
        that is known, or after `within_s` seconds. Blocking.
        """


class StartableIdleSource(IdleSource, Protocol):
    """Interface of a source of idle signals (sensor readings of the machine and its user) that
    reads them only between its start and its close.
    """

    def start(self) -> None:
        """Start to read the sensors."""

    def close(self) -> None:
        """Stop reading the sensors, without waiting for one that hangs."""
