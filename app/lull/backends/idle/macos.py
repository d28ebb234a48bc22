"""Idle signals on macOS: input, lock, heat, low-power mode, calls and films. Untested on a Mac.

Sources use the system frameworks or system commands, both passed in. Manual tests are listed in
docs/macos-checklist.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import psutil

from lull.backends.machine.commands import Ask
from lull.backends.machine.macos import Frameworks
from lull.core.idle.signals import Known, Reading, Unknown

_HOT_FROM: Final = 2
"""Lowest NSProcessInfoThermalState that counts as hot (0 nominal, 1 fair, 2 serious, 3 critical).
Apple asks programs to reduce work from "serious" on."""
_LISTENS_ALWAYS: Final = frozenset({"corespeechd", "coreaudiod"})
"""Processes that always record ("Hey Siri") or only pass audio on."""


class QuartzIdle:
    """Signal for idle detection on macOS: seconds since the last hardware input event, from Quartz.
    Implements `SignalSource`.
    """

    name = "Quartz"

    def __init__(self, frameworks: Frameworks) -> None:
        self._frameworks = frameworks

    def read(self) -> Reading[float]:
        try:
            idle_s = self._frameworks.seconds_since_input()
        except (OSError, AttributeError) as error:
            return Unknown(f"Quartz cannot be asked: {error}")
        # NaN or negative: no event yet, or no window server.
        if not 0.0 <= idle_s < float("inf"):
            return Unknown("Quartz has seen no input yet")
        return Known(idle_s)

    def close(self) -> None: ...


class IoregIdle:
    """Signal for idle detection on macOS: seconds since the user's last input, from the device
    registry (ioreg). Implements `SignalSource`.

    It needs no window server.
    """

    name = "ioreg"

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def read(self) -> Reading[float]:
        answer = self._ask(["/usr/sbin/ioreg", "-r", "-d", "1", "-k", "HIDIdleTime"])
        if isinstance(answer, Unknown):
            return answer
        # In nanoseconds; several devices may report one.
        times = [int(digits) for digits in re.findall(r'"HIDIdleTime"\s*=\s*(\d+)', answer.value)]
        return Known(min(times) / 1e9) if times else Unknown("ioreg names no HIDIdleTime")

    def close(self) -> None: ...


class MacFact:
    """Signal for idle detection on macOS with a yes/no value, such as whether the screen is locked,
    which a given function reads from the system frameworks. Implements `SignalSource`.
    """

    def __init__(self, name: str, fact: Callable[[], bool | None], without: str) -> None:
        """Create the signal for idle detection; `fact` returns the value, or None if unknown.

        `without` is the reason to report when it is unknown.
        """
        self.name = name
        self._fact = fact
        self._without = without

    def read(self) -> Reading[bool]:
        try:
            known = self._fact()
        except (OSError, AttributeError) as error:
            return Unknown(f"{self.name} cannot be asked: {error}")
        return Unknown(self._without) if known is None else Known(known)

    def close(self) -> None: ...


def mac_lock(frameworks: Frameworks) -> MacFact:
    """Return the sensor that tells whether the screen of a Mac is locked."""

    def locked() -> bool | None:
        session = frameworks.session("CGSSessionScreenIsLocked")
        # Within a session, the key exists only while the screen is locked.
        return None if session is None else bool(session.value)

    return MacFact("the session", locked, "there is no session at a screen")


def mac_heat(frameworks: Frameworks) -> MacFact:
    """Return the sensor that tells whether a Mac is too hot for background work."""
    return MacFact(
        "the thermal state", lambda: frameworks.thermal_state() >= _HOT_FROM, "it isn't reported"
    )


def mac_saving(frameworks: Frameworks) -> MacFact:
    """Return the sensor that tells whether a Mac is in low-power mode."""
    return MacFact("low-power mode", frameworks.low_power_mode, "this system has none")


def mac_recording(frameworks: Frameworks, name_of: Callable[[int], str] | None = None) -> MacFact:
    """Return an idle signal for whether a program records sound on macOS, as in a call.

    From macOS 14.2 on each program is checked; before, the microphone itself.
    """
    named = name_of or _process_name

    def recording() -> bool | None:
        recorders = frameworks.recorders()
        if recorders is None:
            return frameworks.microphone_runs()
        return any(named(pid) not in _LISTENS_ALWAYS for pid in recorders)

    return MacFact("the sound system", recording, "there is no microphone to check")


def _process_name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return ""


class MacScreenAwake:
    """Signal for idle detection on macOS: whether a program keeps the screen awake, as films and
    calls do. Implements `SignalSource`.
    """

    name = "pmset"

    _HELD = re.compile(
        r'^\s*pid \d+\([^"]*\b(PreventUserIdleDisplaySleep|NoDisplaySleepAssertion) +named:',
        re.MULTILINE,
    )

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def read(self) -> Reading[bool]:
        answer = self._ask(["/usr/bin/pmset", "-g", "assertions"])
        if isinstance(answer, Unknown):
            return answer
        if "ssertion" not in answer.value:
            return Unknown("pmset returned something other than assertions")
        return Known(self._HELD.search(answer.value) is not None)

    def close(self) -> None: ...
