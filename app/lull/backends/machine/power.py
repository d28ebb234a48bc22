"""Reads whether the machine runs on battery, and whether the user turned on power saving.

A machine without a battery counts as on mains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import psutil

from lull.backends.machine.dbus import Target, system_bus
from lull.core.idle.signals import Known, Reading, Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerReading:
    """A reading of the machine's power source (mains or battery) and battery level."""

    on_mains: bool | Unknown
    battery_share: float | Unknown
    """Battery charge, 0 to 1; unknown without a battery."""


class BatteryStatus(Protocol):
    """Type of the battery status that psutil returns."""

    @property
    def percent(self) -> float:
        """Charge of the battery in percent."""

    @property
    def power_plugged(self) -> bool | None:
        """Whether the machine runs on mains; None if that is not known."""


NO_BATTERY = PowerReading(on_mains=True, battery_share=Unknown("there is no battery"))


def psutil_battery() -> BatteryStatus | None:
    """Return the battery status; None without a battery or without psutil support."""
    ask: Callable[[], BatteryStatus | None] = getattr(psutil, "sensors_battery", lambda: None)
    return ask()


class Power:
    """Signal for idle detection: mains or battery power, and the charge; implements
    `SignalSource`.
    """

    name = "the battery"

    def __init__(self, battery: Callable[[], BatteryStatus | None] = psutil_battery) -> None:
        self._battery = battery

    def read(self) -> Reading[PowerReading]:
        try:
            charge = self._battery()
        # The battery may be removed between two sysfs reads, or report nonsense.
        except (OSError, ValueError, TypeError, psutil.Error) as error:
            return Unknown(f"the battery cannot be read: {error}")
        if charge is None:
            return Known(NO_BATTERY)
        plugged = charge.power_plugged
        # NaN if the firmware reports no full capacity.
        percent = charge.percent
        share = (
            min(1.0, percent / 100)
            if percent is not None and percent >= 0.0
            else Unknown("the battery does not say how full it is")
        )
        known = plugged if plugged is not None else Unknown("the battery does not say")
        return Known(PowerReading(on_mains=known, battery_share=share))

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
    """Signal for idle detection: whether power-profiles-daemon is set to power saving. Implements
    `SignalSource`.
    """

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
