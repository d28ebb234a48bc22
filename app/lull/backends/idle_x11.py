"""Seconds since the last input on an X11 display, from the XScreenSaver extension.

Calls libX11 and libXss through ctypes. All the care here is against Xlib's habits: it ends the
process when a display goes away unless it is told otherwise, and its handlers are the process's.
Under Wayland the answer would be wrong, since Xwayland sees the input of X11 windows only.

Sources: XScreenSaver(3), XSetIOErrorHandler(3), libX11 1.7's XSetIOErrorExitHandler.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lull.core.idle_signals import Known, Reading, Unknown

_ON_ERROR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_ON_IO_ERROR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_ON_EXIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class _Info(ctypes.Structure):
    """XScreenSaverInfo."""

    _fields_ = (
        ("window", ctypes.c_ulong),
        ("state", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("til_or_since_ms", ctypes.c_ulong),
        ("idle_ms", ctypes.c_ulong),
        ("event_mask", ctypes.c_ulong),
    )


class Xlib:
    """The two libraries, with the types of what we call. Raises OSError where one is missing and
    AttributeError where libX11 is too old to outlive a display."""

    def __init__(self) -> None:
        x11, xss = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXss.so.1")
        pointer, text, long = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ulong
        number = ctypes.POINTER(ctypes.c_int)
        self.open: Any = _typed(x11.XOpenDisplay, pointer, text)
        self.close: Any = _typed(x11.XCloseDisplay, ctypes.c_int, pointer)
        self.root: Any = _typed(x11.XDefaultRootWindow, long, pointer)
        self.has: Any = _typed(
            x11.XQueryExtension, ctypes.c_int, pointer, text, number, number, number
        )
        self.on_exit: Any = _typed(
            x11.XSetIOErrorExitHandler, None, pointer, _ON_EXIT, ctypes.c_void_p
        )
        self.saver: Any = _typed(
            xss.XScreenSaverQueryExtension, ctypes.c_int, pointer, number, number
        )
        self.query: Any = _typed(
            xss.XScreenSaverQueryInfo, ctypes.c_int, pointer, long, ctypes.POINTER(_Info)
        )
        self._outlive_errors(x11)

    def _outlive_errors(self, x11: Any) -> None:
        """Xlib's own handlers print and exit. What happened is seen by what a call returns."""
        x11.XInitThreads()
        # Kept for as long as Xlib may call them: as long as the process.
        self._handlers = (_ON_ERROR(lambda *_: 0), _ON_IO_ERROR(lambda *_: 0))
        _typed(x11.XSetErrorHandler, ctypes.c_void_p, _ON_ERROR)(self._handlers[0])
        _typed(x11.XSetIOErrorHandler, ctypes.c_void_p, _ON_IO_ERROR)(self._handlers[1])

    stay = _ON_EXIT(lambda *_: None)
    """In the place of exit()."""


def _typed(function: Any, result: Any, *arguments: Any) -> Any:
    function.restype, function.argtypes = result, arguments
    return function


@lru_cache(maxsize=1)
def xlib() -> Xlib:
    """Once a process, since its error handlers are the process's."""
    return Xlib()


class X11Idle:
    """Implements Source. The connection is its own; a display that comes back is found again."""

    def __init__(self, display: str, *, libraries: Callable[[], Xlib] = xlib) -> None:
        """`display` is a DISPLAY such as ":0"."""
        self.name = f"the X11 display {display}"
        self._display = display
        self._libraries = libraries
        self._connection: int | None = None

    def read(self) -> Reading[float]:
        try:
            x = self._libraries()
        except OSError:
            return Unknown("libX11 and libXss are not installed here")
        except AttributeError:
            return Unknown("libX11 here is older than 1.7 and would end Lull with the display")
        if self._connection is None:
            refusal = self._opened(x)
            if refusal is not None:
                return refusal
        info = _Info()
        if not x.query(self._connection, x.root(self._connection), ctypes.byref(info)):
            self.close()
            return Unknown(f"{self.name} has gone away")
        return Known(info.idle_ms / 1000)

    def _opened(self, x: Xlib) -> Unknown | None:
        connection = x.open(self._display.encode())
        if not connection:
            return Unknown(f"{self.name} cannot be opened")
        self._connection = connection
        x.on_exit(connection, x.stay, None)
        numbers = [ctypes.byref(ctypes.c_int()) for _ in range(3)]
        if x.has(connection, b"XWAYLAND", *numbers):
            self.close()
            return Unknown(f"{self.name} is Xwayland's, which does not see all input")
        if not x.saver(connection, *numbers[:2]):
            self.close()
            return Unknown(f"{self.name} has no MIT-SCREEN-SAVER extension")
        return None

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._libraries().close(connection)
