"""The numbers of the policy, what one gate says, and what is remembered from one look to the next.

Each number is a setting with its reason (config/idle_settings.py). What they decide together is
`core/idle.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.hours import HoursRange

LEAST_WAIT_S: Final = 5.0
"""However short a wait is set: without any, input would never be seen as input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleRule:
    """What the user set."""

    enabled: bool = True
    after_s: float = 600.0
    """So long without a sign of anybody, and the machine counts as free."""
    locked_after_s: float = 120.0
    sure_after_s: float = 120.0
    """In sleep hours and while a calendar says that the user is away."""
    sleep_hours: tuple[HoursRange, ...] = ()
    allowed_hours: tuple[HoursRange, ...] = ()
    """Only then, if there are any."""
    blocked_hours: tuple[HoursRange, ...] = ()
    exclusive_apps: tuple[str, ...] = ()
    battery_ok: bool = False
    battery_share: float = 0.5
    """Where work on battery is allowed: never below this charge."""
    low_power_ok: bool = False
    load_share: float = 0.3
    memory_share: float = 0.2
    memory_pressure: float = 0.1
    settle_s: float = 60.0
    """Load, heat, memory and power must have been fine for so long: no stop and go."""


# Hysteresis: what may begin needs more than what may go on.
LOAD_MORE: Final = 0.2
"""Added to `load_share` while a window is open: a mail check is no reason to stop."""
MEMORY_LESS: Final = 0.5
"""Of `memory_share` is enough while a window is open: our own work takes some of what was free."""
PRESSURE_LESS: Final = 0.5
"""Of `memory_pressure` is the most at which a window opens."""
BATTERY_MORE: Final = 0.05
"""Charge above `battery_share` before a window opens on battery."""


class GateState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    UNKNOWN = "unknown"
    """Not known. Of the user's input that closes, of nothing else."""


class GateName(StrEnum):
    """In the order in which they are named as the reason."""

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
class Gate:
    name: GateName
    state: GateState
    text: str
    """A sentence for a person."""
    until: datetime | None = None
    """When it changes by itself, where that is known: a closed one opens, an open one closes."""

    @property
    def closes(self) -> bool:
        """Whoever may be typing is taken to be typing; no other unknown closes."""
        unknown_input = self.state is GateState.UNKNOWN and self.name is GateName.INPUT
        return self.state is GateState.CLOSED or unknown_input


HERE: Final = frozenset(
    {GateName.INPUT, GateName.WAKE, GateName.CALL, GateName.APP, GateName.CALENDAR}
)
"""Closed by somebody who is here: when such a gate opens, the wait begins anew. (Input and chats
carry their own time besides.) Hours and pauses are wishes: they end and that is all."""

STRAIN: Final = frozenset(
    {GateName.POWER, GateName.SAVING, GateName.HEAT, GateName.MEMORY, GateName.LOAD}
)
"""Closed by the machine's own state: when such a gate opens, things settle for a minute."""

ALWAYS_KEPT: Final = frozenset(
    {
        GateName.LEARNING,
        GateName.CHAT,
        GateName.POWER,
        GateName.SAVING,
        GateName.HEAT,
        GateName.MEMORY,
    }
)
"""Not even "train now" skips these. A chat is answered first, and then the work goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What one look hands to the next. Never stored: after a restart nothing is taken for granted.

    Times are on the monotonic clock."""

    open: bool = False
    needed_s: float = float("inf")
    """The wait that the open window was opened with."""
    input_s: float | None = None
    """The last input, as it was told last."""
    here_s: float | None = None
    """The last other sign of anybody, chats apart."""
    strained_s: float | None = None
    input_known: bool = False
    """A source has told of input before."""
    lost_s: float | None = None
    """Since then it tells nothing any more."""
    locked: bool = False
    """The screen was locked at the last look that knew."""
