"""Reads the seconds since the last input on Windows, from GetLastInputInfo.

The times of the last input and of now are both milliseconds since system start in 32 bits. They
wrap around after 49.7 days, one before the other.

Sources: GetLastInputInfo and GetTickCount in the Win32 API documentation.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from lull.core.idle.signals import Known, Reading, Unknown

_WRAP_MS = 1 << 32
_AHEAD_MS = 60_000
"""Largest lead of the input time over the tick count that is treated as "now" instead of as a
wrap."""


class _LastInput(ctypes.Structure):
    """Windows's LASTINPUTINFO structure."""

    _fields_ = (("size", ctypes.c_uint32), ("tick_ms", ctypes.c_uint32))


def windows_library(name: str) -> Any:
    """Load a Windows system library. Raises OSError if there is none."""
    load: Callable[[str], Any] | None = getattr(ctypes, "WinDLL", None)
    if load is None:
        raise OSError(f"{name} is Windows'")
    return load(name)


class Win32Idle:
    """Reads the seconds since the last input on Windows; implements `SignalSource`."""

    name = "Windows"

    def __init__(self, library: Callable[[str], Any] = windows_library) -> None:
        self._library = library

    def read(self) -> Reading[float]:
        try:
            user, kernel = self._library("user32"), self._library("kernel32")
        except OSError as error:
            return Unknown(f"the system library cannot be loaded: {error}")
        last = _LastInput(size=ctypes.sizeof(_LastInput))
        kernel.GetTickCount.restype = ctypes.c_uint32
        if not user.GetLastInputInfo(ctypes.byref(last)):
            return Unknown("Windows does not say when the last input was")
        return Known(idle_ms(kernel.GetTickCount(), last.tick_ms) / 1000)

    def close(self) -> None: ...


def idle_ms(now_ms: int, last_ms: int) -> int:
    """Return the milliseconds from the last input to now; both are 32-bit times, which may wrap
    around in between.
    """
    gone_ms = (now_ms - last_ms) % _WRAP_MS
    return 0 if gone_ms > _WRAP_MS - _AHEAD_MS else gone_ms
