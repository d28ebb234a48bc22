"""Chooses how to measure the time since the user's last input on Linux: from the display server, or
else from logind.

Under X11 the X server is asked, under GNOME on Wayland Mutter. On other Wayland desktops, and
outside a session, logind reports what the desktop told it.
"""

from __future__ import annotations

from collections.abc import Mapping

from lull.backends.idle.polled import FirstKnown, SignalSource
from lull.backends.idle.x11 import X11Idle
from lull.backends.machine.dbus import Target, session_bus
from lull.backends.machine.logind import LogindIdle
from lull.core.idle.signals import Known, Reading, Unknown

_MUTTER = Target(
    who="Mutter",
    bus_name="org.gnome.Mutter.IdleMonitor",
    path="/org/gnome/Mutter/IdleMonitor/Core",
    interface="org.gnome.Mutter.IdleMonitor",
)


class MutterIdle:
    """Signal for idle detection: the time since the user's last input, from GNOME's compositor,
    which sees all input. Implements `SignalSource`.
    """

    name = "Mutter"

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._bus = session_bus(environ)

    def read(self) -> Reading[float]:
        answer = self._bus.call(_MUTTER, "GetIdletime")
        if isinstance(answer, Unknown):
            return answer
        idle_ms = answer.value[0] if answer.value else None
        if not isinstance(idle_ms, int):
            return Unknown("Mutter (GNOME's window manager) does not answer with a time")
        return Known(idle_ms / 1000)

    def close(self) -> None:
        self._bus.close()


def linux_input(environ: Mapping[str, str]) -> SignalSource[float]:
    """Return the source of the seconds since the user's last input for this desktop session."""
    sources: list[SignalSource[float]] = []
    display = environ.get("DISPLAY", "")
    # Wayland desktops set DISPLAY too, for Xwayland.
    if display and not _wayland(environ):
        sources.append(X11Idle(display))
    return FirstKnown([*sources, MutterIdle(environ), LogindIdle(environ)])


def _wayland(environ: Mapping[str, str]) -> bool:
    kind = environ.get("XDG_SESSION_TYPE", "")
    return kind == "wayland" or (kind != "x11" and bool(environ.get("WAYLAND_DISPLAY")))
