"""What a Mac tells: input, lock, heat, saving power, calls and films. Never tried on one.

Each source asks `macos.py`, which calls the system's libraries, or a command of the system; both
are passed in. What a person must try is in docs/macos-checklist.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import psutil

from lull.backends.commands import Ask
from lull.backends.macos import Frameworks
from lull.core.idle_signals import Known, Reading, Unknown

_HOT_FROM: Final = 2
"""Of NSProcessInfoThermalState: nominal, fair, serious, critical. Serious is when the system's
documentation asks programs to do less."""
_LISTENS_ALWAYS: Final = frozenset({"corespeechd", "coreaudiod"})
"""Wait for "Hey Siri", or only pass on."""


class QuartzIdle:
    """Implements Source: seconds since the last event of the hardware."""

    name = "Quartz"

    def __init__(self, frameworks: Frameworks) -> None:
        self._frameworks = frameworks

    def read(self) -> Reading[float]:
        try:
            idle_s = self._frameworks.seconds_since_input()
        except (OSError, AttributeError) as error:
            return Unknown(f"Quartz cannot be asked: {error}")
        # NaN and negative numbers: no event has been seen, or there is no window server.
        if not 0.0 <= idle_s < float("inf"):
            return Unknown("Quartz has seen no input yet")
        return Known(idle_s)

    def close(self) -> None: ...


class IoregIdle:
    """Implements Source: the same from the registry of devices, which needs no window server."""

    name = "ioreg"

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def read(self) -> Reading[float]:
        answer = self._ask(["/usr/sbin/ioreg", "-r", "-d", "1", "-k", "HIDIdleTime"])
        if isinstance(answer, Unknown):
            return answer
        # Nanoseconds; several devices may have one each.
        times = [int(digits) for digits in re.findall(r'"HIDIdleTime"\s*=\s*(\d+)', answer.value)]
        return Known(min(times) / 1e9) if times else Unknown("ioreg names no HIDIdleTime")

    def close(self) -> None: ...


class MacFact:
    """Implements Source for one fact of the frameworks."""

    def __init__(self, name: str, fact: Callable[[], bool | None], without: str) -> None:
        """`fact` answers None where there is nothing to know; `without` then says why."""
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
    def locked() -> bool | None:
        session = frameworks.session("CGSSessionScreenIsLocked")
        # Where there is a session, the key is there only while the screen is locked.
        return None if session is None else bool(session.value)

    return MacFact("the session", locked, "there is no session at a screen")


def mac_heat(frameworks: Frameworks) -> MacFact:
    return MacFact(
        "the thermal state", lambda: frameworks.thermal_state() >= _HOT_FROM, "it is not told"
    )


def mac_saving(frameworks: Frameworks) -> MacFact:
    return MacFact("low-power mode", frameworks.low_power_mode, "this system has none")


def mac_recording(frameworks: Frameworks, name_of: Callable[[int], str] | None = None) -> MacFact:
    """Whether a program records sound. From macOS 14.2 on each program is asked for, before that
    the microphone itself."""
    named = name_of or _process_name

    def recording() -> bool | None:
        recorders = frameworks.recorders()
        if recorders is None:
            return frameworks.microphone_runs()
        return any(named(pid) not in _LISTENS_ALWAYS for pid in recorders)

    return MacFact("the sound system", recording, "there is no microphone to ask")


def _process_name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return ""


class MacScreenAwake:
    """Implements Source: whether a program keeps the screen awake, as films and calls do."""

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
            return Unknown("pmset answers something else than assertions")
        return Known(self._HELD.search(answer.value) is not None)

    def close(self) -> None: ...
