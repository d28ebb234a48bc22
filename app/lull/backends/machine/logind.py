"""Reads idle signals from logind: idle hint, screen lock, idle inhibitors, and wake-ups.

logind learns about idleness only from the desktop, after the desktop's own delay. So "not idle"
counts as input now and "idle" as idle since the hint, which never overstates the idle time. A
session that never set a hint is unknown.

Names and meanings: org.freedesktop.login1(5).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from lull.backends.machine.dbus import Target, system_bus
from lull.core.idle.signals import Known, Reading, Unknown

_INTERFACE = "org.freedesktop.login1."
_MANAGER = Target(
    who="logind",
    bus_name="org.freedesktop.login1",
    path="/org/freedesktop/login1",
    interface=f"{_INTERFACE}Manager",
)


class Session:
    """This user's logind session, looked up again when it has ended."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._bus = system_bus(environ)
        self._id = environ.get("XDG_SESSION_ID", "")
        self._path = ""

    def properties(self) -> Reading[dict[str, object]]:
        """Return the session's properties by name, or Unknown if logind does not answer."""
        if not self._path:
            found = self._found()
            if isinstance(found, Unknown):
                return found
            self._path = found.value
        answer = self._bus.get_all(_MANAGER.at(self._path, f"{_INTERFACE}Session"))
        if isinstance(answer, Unknown):
            self._path = ""
        return answer

    def _found(self) -> Reading[str]:
        """Find the user's graphical session, or else the session Lull was started in.

        A user service belongs to no session, so looking it up by process id would fail.
        """
        user = self._bus.call(_MANAGER, "GetUser", "u", os.getuid())
        if isinstance(user, Known):
            display = self._bus.get(_MANAGER.at(user.value[0], f"{_INTERFACE}User"), "Display")
            if isinstance(display, Known) and isinstance(display.value, tuple) and display.value[0]:
                return Known(str(display.value[1]))
        if self._id:
            session = self._bus.call(_MANAGER, "GetSession", "s", self._id)
            return session if isinstance(session, Unknown) else Known(str(session.value[0]))
        return user if isinstance(user, Unknown) else Unknown("logind knows no session of yours")

    def close(self) -> None:
        """Close the connection to the message bus; the next call opens it again."""
        self._bus.close()


class LogindIdle:
    """Signal for idle detection: a lower bound of the seconds since the user's last input, from
    logind's idle hint. Implements `SignalSource`.
    """

    name = "logind"

    def __init__(
        self, environ: Mapping[str, str], *, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Create the signal for idle detection; `monotonic_s` must be Linux's CLOCK_MONOTONIC, as
        in logind's times.
        """
        self._session = Session(environ)
        self._monotonic_s = monotonic_s

    def read(self) -> Reading[float]:
        answer = self._session.properties()
        if isinstance(answer, Unknown):
            return answer
        idle = answer.value.get("IdleHint")
        since_us = answer.value.get("IdleSinceHintMonotonic")
        if not isinstance(idle, bool) or not isinstance(since_us, int) or since_us <= 0:
            return Unknown("the desktop does not tell logind when it is idle")
        return Known(max(0.0, self._monotonic_s() - since_us / 1e6) if idle else 0.0)

    def close(self) -> None:
        self._session.close()


class LogindLock:
    """Signal for idle detection: whether the screen is locked, from logind. Implements
    `SignalSource`.
    """

    name = "logind"

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._session = Session(environ)

    def read(self) -> Reading[bool]:
        answer = self._session.properties()
        if isinstance(answer, Unknown):
            return answer
        locked = answer.value.get("LockedHint")
        if not isinstance(locked, bool):
            return Unknown("logind does not say whether the screen is locked")
        return Known(locked)

    def close(self) -> None:
        self._session.close()


class LogindInhibitors:
    """Signal for idle detection: whether a program inhibits idling through logind, as films and
    calls do. Implements `SignalSource`.
    """

    name = "logind"

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._bus = system_bus(environ)

    def read(self) -> Reading[bool]:
        answer = self._bus.call(_MANAGER, "ListInhibitors")
        if isinstance(answer, Unknown):
            return answer
        # Each is (what, who, why, mode, uid, pid); `what` is a list such as "sleep:idle". Ignore
        # sleep delays and lid handling, which daemons hold all the time.
        return Known(
            any(
                "idle" in what.split(":") and mode == "block"
                for what, _, _, mode, _, _ in answer.value[0]
            )
        )

    def close(self) -> None:
        self._bus.close()


class LogindWaking:
    """Signal for idle detection: when the machine last woke from sleep, on the monotonic clock,
    from logind. Implements `SignalSource`.

    It is -inf if the machine has not slept since Lull began to listen. Catches short sleeps that
    clocks do not show.
    """

    name = "logind"

    def __init__(
        self, environ: Mapping[str, str], *, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._bus = system_bus(environ)
        self._bus.listen(_MANAGER, "PrepareForSleep")
        self._monotonic_s = monotonic_s
        self._woke_s = float("-inf")

    def read(self) -> Reading[float]:
        received = self._bus.received_signals()
        if isinstance(received, Unknown):
            return received
        # (True,) before sleep, (False,) after it.
        if (False,) in received.value:
            self._woke_s = self._monotonic_s()
        return Known(self._woke_s)

    def close(self) -> None:
        self._bus.close()
