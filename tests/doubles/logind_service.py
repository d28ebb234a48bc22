"""A fake logind on a private D-Bus: one user with one graphical session, and a power daemon."""

from __future__ import annotations

import os

from tests.doubles.private_bus import Properties, Service

MANAGER = "/org/freedesktop/login1"
USER = f"{MANAGER}/user/_me"
SESSION = f"{MANAGER}/session/_32"
NO_SESSION = ("", "/")
POWER_SAVER = "power-saver"

Inhibitor = tuple[str, str, str, str, int, int]
"""An idle inhibitor as logind lists it: (what, who, why, mode, user id, process id)."""


class Logind(Service):
    def __init__(self, address: str) -> None:
        super().__init__(address, "org.freedesktop.login1")
        self.inhibitors: list[Inhibitor] = []
        self.user: Properties = {"Display": ("(so)", ("2", SESSION))}
        self.session: Properties = {
            "IdleHint": ("b", False),
            "IdleSinceHintMonotonic": ("t", 1),
            "LockedHint": ("b", False),
        }
        self.properties = {
            (USER, "org.freedesktop.login1.User"): self.user,
            (SESSION, "org.freedesktop.login1.Session"): self.session,
        }
        self.methods = {
            (MANAGER, "GetUser"): self._user,
            (MANAGER, "GetSession"): lambda _id: ("o", (SESSION,)),
            (MANAGER, "ListInhibitors"): lambda: ("a(ssssuu)", (self.inhibitors,)),
        }

    def _user(self, user: int) -> tuple[str, tuple[object, ...]]:
        if user != os.getuid():
            raise KeyError(user)
        return "o", (USER,)

    def hint(self, *, idle: bool, since_s: float) -> None:
        """Set logind's idle hint, as a desktop would. `since_s` is on the monotonic clock.

        0 means never set.
        """
        self.session["IdleHint"] = ("b", idle)
        self.session["IdleSinceHintMonotonic"] = ("t", int(since_s * 1e6))

    def sleep(self, *, begins: bool) -> None:
        interface = "org.freedesktop.login1.Manager"
        self.signal(MANAGER, interface, "PrepareForSleep", "b", begins)


def mutter(address: str, idle_ms: list[int]) -> Service:
    """Return a fake of GNOME's idle monitor.

    `idle_ms` is a list of one number, which a test may change.
    """
    path = "/org/gnome/Mutter/IdleMonitor/Core"
    return Service(
        address,
        "org.gnome.Mutter.IdleMonitor",
        methods={(path, "GetIdletime"): lambda: ("t", (idle_ms[0],))},
    )


def power_daemon(
    address: str, profile: str, name: str = "org.freedesktop.UPower.PowerProfiles"
) -> Service:
    path = "/" + name.replace(".", "/")
    profiles: Properties = {"ActiveProfile": ("s", profile)}
    return Service(address, name, properties={(path, name): profiles})
