"""Types of the idle policy, which decides when Lull may do its own work: the user's settings, the
state of one condition, and the state that is kept from one decision to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.idle.hours import HoursRange

LEAST_WAIT_S: Final = 5.0
"""Shortest wait, in seconds without activity, that can be set; with none, user input would never be
noticed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleRule:
    """The user's settings that say when Lull may do its own work: waiting times, weekly hours,
    battery, load and memory.
    """

    enabled: bool = True
    after_s: float = 90.0
    """Seconds without activity after which the machine counts as free."""
    answer_after_s: float = 600.0
    """Seconds after the end of a chat's answer for which the user may still be reading it without
    touching anything. Also the wait where Lull cannot see whether there is input, a call or a film.
    """
    locked_after_s: float = 120.0
    sure_after_s: float = 120.0
    """Seconds without activity needed in sleep hours and while a calendar says that the user is
    away.
    """
    sleep_hours: tuple[HoursRange, ...] = ()
    allowed_hours: tuple[HoursRange, ...] = ()
    """The only hours in which work is allowed; empty: at any time."""
    blocked_hours: tuple[HoursRange, ...] = ()
    exclusive_apps: tuple[str, ...] = ()
    battery_ok: bool = False
    battery_share: float = 0.5
    """Least battery charge, 0 to 1, for work on battery where that is allowed."""
    low_power_ok: bool = False
    load_share: float = 0.3
    memory_share: float = 0.2
    memory_pressure: float = 0.1
    settle_s: float = 60.0
    """Seconds that load, heat, memory and power must have been fine before work starts, so that it
    does not start and stop all the time.
    """

    @property
    def longest_after_s(self) -> float:
        """Seconds without activity after which the machine counts as free even if somebody may be
        reading, or if Lull cannot see all signs of the user.
        """
        return max(self.after_s, self.answer_after_s)


# Hysteresis: starting needs more than continuing.
LOAD_MARGIN: Final = 0.2
"""Amount added to the limit `load_share` while background work is allowed, so that a program's
short burst of activity, such as a mail check, does not stop the work.
"""
MEMORY_FACTOR_WHILE_OPEN: Final = 0.5
"""Factor on the limit `memory_share` while background work is allowed, because Lull's own work then
takes part of the free memory.
"""
PRESSURE_FACTOR_TO_OPEN: Final = 0.5
"""Factor on the limit `memory_pressure` while no background work is allowed: starting needs less
memory pressure than continuing.
"""
BATTERY_MARGIN: Final = 0.05
"""Battery charge above `battery_share` that is needed to start background work on battery."""


class ConditionState(StrEnum):
    """Whether a condition for background work is met."""

    OPEN = "open"
    CLOSED = "closed"
    UNKNOWN = "unknown"
    """The condition's signal is unknown; unknown input closes the window, other unknown signals do
    not.
    """


class ConditionName(StrEnum):
    """Names of the conditions for background work, in the order in which they are
    shown as the reason.
    """

    LEARNING = "learning"
    PAUSE = "pause"
    INPUT = "input"
    CHAT = "chat"
    WAKE = "wake"
    CALL = "call"
    APP = "app"
    CALENDAR = "calendar"
    HOURS = "hours"
    POWER = "power"
    SAVING = "low power"
    HEAT = "heat"
    MEMORY = "memory"
    LOAD = "load"
    WAIT = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleCondition:
    """One condition for background work, such as no input for some minutes, and whether it is met
    now.
    """

    name: ConditionName
    state: ConditionState
    text: str
    """The condition's state in a sentence for people."""
    until: datetime | None = None
    """When the condition changes by itself, if known: a closed one opens, an open one closes."""

    @property
    def forbids_work(self) -> bool:
        """Whether this condition forbids background work: its state is closed, or it is the
        condition about keyboard and mouse input and its state is unknown.
        """
        unknown_input = self.state is ConditionState.UNKNOWN and self.name is ConditionName.INPUT
        return self.state is ConditionState.CLOSED or unknown_input


PRESENCE_CONDITIONS: Final = frozenset(
    {
        ConditionName.INPUT,
        ConditionName.WAKE,
        ConditionName.CALL,
        ConditionName.APP,
        ConditionName.CALENDAR,
    }
)
"""Conditions that the user's presence closes. When such a condition opens again, the wait without
activity starts anew. (Input and chats also carry their own times.) Hours and pauses, which are not
among them, end without a wait.
"""

STRAIN_CONDITIONS: Final = frozenset(
    {
        ConditionName.POWER,
        ConditionName.SAVING,
        ConditionName.HEAT,
        ConditionName.MEMORY,
        ConditionName.LOAD,
    }
)
"""Conditions that the machine's own state closes (heat, load, …). When such a condition opens
again, the machine is given a minute to settle.
"""

ALWAYS_KEPT_CONDITIONS: Final = frozenset(
    {
        ConditionName.LEARNING,
        ConditionName.CHAT,
        ConditionName.POWER,
        ConditionName.SAVING,
        ConditionName.HEAT,
        ConditionName.MEMORY,
    }
)
"""Conditions for background work that hold even when the user asked for training ("train now"). A
chat is answered first, then the work continues.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedOver:
    """The state that the idle policy (which decides when background work may run) keeps from one
    decision to the next. Never stored: a restart begins without assumptions.

    Times are on the monotonic clock.
    """

    open: bool = False
    needed_s: float = float("inf")
    """Seconds without activity that were required when background work was last allowed to
    start.
    """
    input_s: float | None = None
    """Time of the last input, as last reported."""
    here_s: float | None = None
    """Time of the latest sign of the user other than input and chats."""
    strained_s: float | None = None
    input_known: bool = False
    """Whether any sensor has reported keyboard or mouse input so far."""
    lost_s: float | None = None
    """Time when the sensor of keyboard and mouse input stopped reporting; None while it reports."""
    locked: bool = False
    """Whether the screen was locked when this was last known."""
