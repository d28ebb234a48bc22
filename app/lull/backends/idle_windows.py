"""Seconds since the last input on Windows, from GetLastInputInfo.

Both times are milliseconds since the start of the system in 32 bits: after 49.7 days they begin
again at 0, one before the other. What else Windows could tell is unknown here.

Sources: GetLastInputInfo and GetTickCount in the documentation of the Win32 API.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from lull.core.idle_signals import Known, Reading, Unknown

_WRAP_MS = 1 << 32
_AHEAD_MS = 60_000
"""The input's time is taken after the tick's, or by another clock: a little ahead is now."""


class _LastInput(ctypes.Structure):
    """LASTINPUTINFO."""

    _fields_ = (("size", ctypes.c_uint32), ("tick_ms", ctypes.c_uint32))


def windows_library(name: str) -> Any:
    """A library of the system. Raises OSError where there is none."""
    load: Callable[[str], Any] | None = getattr(ctypes, "WinDLL", None)
    if load is None:
        raise OSError(f"{name} is Windows'")
    return load(name)


class WindowsIdle:
    """Implements Source."""

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
    """Between two 32-bit times, the later of which may have begun again at 0."""
    gone_ms = (now_ms - last_ms) % _WRAP_MS
    return 0 if gone_ms > _WRAP_MS - _AHEAD_MS else gone_ms
