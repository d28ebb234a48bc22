"""Detects whether the machine is hot, from the temperature sensor in Linux's sysfs.

Hot means at a sensor's own throttling temperature, or within 5 °C of its shutdown temperature.
Sensors without such limits, or that cannot be read, are ignored.

Sources: the kernel's Documentation/driver-api/thermal/sysfs-api.rst and
Documentation/hwmon/sysfs-interface.rst. All temperatures there are in thousandths of a degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lull.core.idle.signals import Known, Reading, Unknown

MARGIN_C: Final = 5.0
"""Degrees Celsius below a sensor's "hot" or "critical" limit at which the machine counts as hot."""
_LEAST_C: Final = 40.0
"""Lowest plausible limit; drivers report lower placeholders (0, or below absolute zero)."""
_MARGINS_C: Final = {"passive": 0.0, "hot": MARGIN_C, "critical": MARGIN_C}
"""Margin by kind of trip point; at a passive one the system is throttled."""


class Heat:
    """Signal for idle detection: whether a Linux machine is hot; implements `SignalSource`."""

    name = "the temperature sensor"

    def __init__(self, sysfs: Path = Path("/sys")) -> None:
        self._zones = sysfs / "class" / "thermal"
        self._chips = sysfs / "class" / "hwmon"

    def read(self) -> Reading[bool]:
        """Read all temperature sensors and return whether the machine is hot.

        They are searched for each time because docks and modules come and go.
        """
        sensors = [*self._of_zones(), *self._of_chips()]
        if not sensors:
            return Unknown("no sensor here reports the temperature at which the machine slows down")
        return Known(any(now_c >= limit_c for now_c, limit_c in sensors))

    def _of_zones(self) -> Iterator[tuple[float, float]]:
        for zone in sorted(self._zones.glob("thermal_zone*")):
            now_c = _celsius(zone / "temp")
            limits = [
                limit_c - _MARGINS_C[kind]
                for at in zone.glob("trip_point_*_type")
                if (kind := _text(at)) in _MARGINS_C
                and (limit_c := _limit(at.with_name(at.name.replace("_type", "_temp")))) is not None
            ]
            if now_c is not None and limits:
                yield now_c, min(limits)

    def _of_chips(self) -> Iterator[tuple[float, float]]:
        for sensor in sorted(self._chips.glob("hwmon*/temp*_input")):
            now_c = _celsius(sensor)
            limit_c = _limit(sensor.with_name(sensor.name.replace("_input", "_crit")))
            if now_c is not None and limit_c is not None:
                yield now_c, limit_c - MARGIN_C

    def close(self) -> None: ...


def _limit(file: Path) -> float | None:
    limit_c = _celsius(file)
    return limit_c if limit_c is not None and limit_c >= _LEAST_C else None


def _celsius(file: Path) -> float | None:
    try:
        return int(_text(file)) / 1000
    except ValueError:
        return None


def _text(file: Path) -> str:
    """Read a file; "" if it cannot be read, as with sleeping devices."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
