"""Reads the seconds since the last input on an X11 display, from the XScreenSaver extension.

Calls libX11 and libXss through ctypes. Xlib exits the process when a display goes away unless told
otherwise, and its error handlers are process-wide. Under Wayland the answer would be wrong, because
Xwayland only sees input to X11 windows.

Sources: XScreenSaver(3), XSetIOErrorHandler(3), libX11 1.7's XSetIOErrorExitHandler.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lull.core.idle.signals import Known, Reading, Unknown

_ON_ERROR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_ON_IO_ERROR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_ON_EXIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class _Info(ctypes.Structure):
    """The XScreenSaver extension's XScreenSaverInfo structure."""

    _fields_ = (
        ("window", ctypes.c_ulong),
        ("state", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("til_or_since_ms", ctypes.c_ulong),
        ("idle_ms", ctypes.c_ulong),
        ("event_mask", ctypes.c_ulong),
    )


class Xlib:
    """The loaded libraries libX11 and libXss with typed functions.

    Raises OSError if one is missing, AttributeError if libX11 is too old to survive a lost display.
    """

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
        """Replace Xlib's error handlers, which would print and exit; errors then show in return
        values.
        """
        x11.XInitThreads()
        # Keep references: Xlib may call them until the process ends.
        self._handlers = (_ON_ERROR(lambda *_: 0), _ON_IO_ERROR(lambda *_: 0))
        _typed(x11.XSetErrorHandler, ctypes.c_void_p, _ON_ERROR)(self._handlers[0])
        _typed(x11.XSetIOErrorHandler, ctypes.c_void_p, _ON_IO_ERROR)(self._handlers[1])

    stay = _ON_EXIT(lambda *_: None)
    """Callback that Xlib calls instead of exit() after a fatal error."""


def _typed(function: Any, result: Any, *arguments: Any) -> Any:
    function.restype, function.argtypes = result, arguments
    return function


@lru_cache(maxsize=1)
def xlib() -> Xlib:
    """Load the X11 libraries once per process, because their error handlers are process-wide."""
    return Xlib()


class X11Idle:
    """Signal for idle detection: seconds since the user's last input, over an X11 connection of its
    own. Implements `SignalSource`.

    It reconnects when a display comes back.
    """

    def __init__(self, display: str, *, libraries: Callable[[], Xlib] = xlib) -> None:
        """Create the signal for idle detection; `display` is a DISPLAY such as ":0"."""
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
            return Unknown(
                "libX11 here is older than 1.7 and could crash Lull when the display closes"
            )
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
