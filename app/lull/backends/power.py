"""Mains or battery, and whether the user asked the machine to save power.

Reports only; whether work may run on battery is `core/idle.py`'s. No battery is mains. Heat stands
in `heat.py`, the Mac's own answers in `idle_macos.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import psutil

from lull.backends.dbus import Target, system_bus
from lull.core.idle_signals import Known, Reading, Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    on_mains: bool | Unknown
    battery_share: float | Unknown
    """0 to 1; unknown where there is no battery."""


class Charge(Protocol):
    """What psutil says of a battery."""

    @property
    def percent(self) -> float: ...

    @property
    def power_plugged(self) -> bool | None: ...


NO_BATTERY = Supply(on_mains=True, battery_share=Unknown("there is no battery"))


def psutil_battery() -> Charge | None:
    """None without a battery, and where psutil knows of none on this platform."""
    ask: Callable[[], Charge | None] = getattr(psutil, "sensors_battery", lambda: None)
    return ask()


class Power:
    """Implements Source."""

    name = "the battery"

    def __init__(self, battery: Callable[[], Charge | None] = psutil_battery) -> None:
        self._battery = battery

    def read(self) -> Reading[Supply]:
        try:
            charge = self._battery()
        # A battery that is taken out between two files of sysfs, or writes nonsense into one.
        except (OSError, ValueError, TypeError, psutil.Error) as error:
            return Unknown(f"the battery cannot be read: {error}")
        if charge is None:
            return Known(NO_BATTERY)
        plugged = charge.power_plugged
        # NaN where the firmware gives no size of a full charge.
        percent = charge.percent
        share = (
            min(1.0, percent / 100)
            if percent is not None and percent >= 0.0
            else Unknown("the battery does not say how full it is")
        )
        known = plugged if plugged is not None else Unknown("the battery does not say")
        return Known(Supply(on_mains=known, battery_share=share))

    def close(self) -> None: ...


# The name changed with version 0.20; newer daemons answer to both.
_PROFILES = tuple(
    Target(who="power-profiles-daemon", bus_name=name, path=f"/{path}", interface=name)
    for name, path in (
        ("org.freedesktop.UPower.PowerProfiles", "org/freedesktop/UPower/PowerProfiles"),
        ("net.hadess.PowerProfiles", "net/hadess/PowerProfiles"),
    )
)


class PowerProfile:
    """Implements Source: whether power-profiles-daemon is set to save power."""

    name = "power-profiles-daemon"

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._bus = system_bus(environ)

    def read(self) -> Reading[bool]:
        for target in _PROFILES:
            answer = self._bus.get(target, "ActiveProfile")
            if isinstance(answer, Known):
                return Known(answer.value == "power-saver")
            why = answer
        return why

    def close(self) -> None:
        self._bus.close()
