"""Keeps Qt from starting a D-Bus session bus that would stay behind when Lull ends.

On a bare X server, which has no session bus, the D-Bus library that Qt uses for the tray and for
screen readers starts one at its first connection (`dbus-launch`). Nobody else is on it, and it runs
until the X server ends. Where a bus is there, it is used.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

ADDRESS: Final = "DBUS_SESSION_BUS_ADDRESS"
_NOWHERE: Final = "disabled:"
"""An address of a kind that the D-Bus library does not know, at which it fails at once."""


def start_no_bus(environ: MutableMapping[str, str], platform: str) -> None:
    """If an X server is there and no session bus, have Qt find out that there is none, and start
    none. The environment is the same afterwards, for the programs that Lull starts.
    """
    if not platform.startswith("linux") or not environ.get("DISPLAY") or _has_bus(environ):
        return
    from PySide6.QtDBus import QDBusConnection

    environ[ADDRESS] = _NOWHERE
    try:
        QDBusConnection.sessionBus()  # Qt and the library look once, and remember what they found
    finally:
        del environ[ADDRESS]


def _has_bus(environ: MutableMapping[str, str]) -> bool:
    if environ.get(ADDRESS):
        return True
    folder = environ.get("XDG_RUNTIME_DIR")
    if folder and (Path(folder) / "bus").exists():
        return True
    return _was_launched(environ)


def _was_launched(environ: MutableMapping[str, str]) -> bool:
    """Return whether another program has started a bus for this X server that still runs."""
    display = environ["DISPLAY"].rpartition(":")[2].partition(".")[0]
    folder = Path(environ.get("HOME") or Path.home()) / ".dbus" / "session-bus"
    try:
        files = [file for file in folder.iterdir() if file.name.endswith(f"-{display}")]
        lines = [line for file in files for line in file.read_text().splitlines()]
    except (OSError, ValueError):
        return False
    found = [line.partition("=")[2] for line in lines if line.startswith("DBUS_SESSION_BUS_PID=")]
    return any(pid.isdecimal() and _runs(int(pid)) for pid in found)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
