"""Reads a Mac's state (such as screen lock, heat and sound recording) from macOS frameworks through
ctypes. Untested on a Mac.

A missing framework or function raises OSError or AttributeError, as in ctypes. Libraries are loaded
with `open`, so tests can replace them.

Sources: the headers CGEventSource.h, CGSession.h, CFBase.h, NSProcessInfo.h, objc/message.h and
AudioHardware.h of the macOS SDK.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

_FRAMEWORKS: Final = "/System/Library/Frameworks/{0}.framework/{0}"
_OBJC: Final = "/usr/lib/libobjc.A.dylib"
_HID_STATE: Final = 1
"""Constant kCGEventSourceStateHIDSystemState: hardware events of all users."""
_ANY_INPUT: Final = 0xFFFFFFFF
"""Constant kCGAnyInputEventType: any kind of input event."""
_UTF8: Final = 0x08000100
_SYSTEM_OBJECT: Final = 1
_POINTER, _LONG, _INT, _UINT = ctypes.c_void_p, ctypes.c_long, ctypes.c_int32, ctypes.c_uint32


@dataclass(frozen=True, slots=True)
class SessionValue:
    """A value in the macOS login session's dictionary, such as whether the screen is locked; None
    if the key is missing.
    """

    value: int | None


class _Address(ctypes.Structure):
    """The macOS AudioObjectPropertyAddress structure."""

    _fields_ = (("selector", _UINT), ("scope", _UINT), ("element", _UINT))


class Frameworks:
    """The macOS frameworks that Lull calls, loaded once, with typed functions."""

    def __init__(self, open: Callable[[str], Any] = ctypes.CDLL) -> None:  # noqa: A002
        self._open = open
        self._opened: dict[str, Any] = {}

    # CoreGraphics

    def seconds_since_input(self) -> float:
        """Return the seconds since the last event of any input device."""
        ask = self._function(
            "CoreGraphics",
            "CGEventSourceSecondsSinceLastEventType",
            ctypes.c_double,
            _INT,
            _UINT,
        )
        return float(ask(_HID_STATE, _ANY_INPUT))

    def session(self, key: str) -> SessionValue | None:
        """Return the value of a key, such as whether the screen is locked, of the user's macOS
        login session.

        None if this process has no session at a screen.
        """
        session = self._function("CoreGraphics", "CGSessionCopyCurrentDictionary", _POINTER)()
        if not session:
            return None
        try:
            return SessionValue(self._number_at(session, key))
        finally:
            self._core("CFRelease", None, _POINTER)(session)

    def _number_at(self, dictionary: int, key: str) -> int | None:
        make = self._core("CFStringCreateWithCString", _POINTER, _POINTER, ctypes.c_char_p, _UINT)
        name = make(None, key.encode(), _UTF8)
        try:
            value = self._core("CFDictionaryGetValue", _POINTER, _POINTER, _POINTER)(
                dictionary, name
            )
        finally:
            self._core("CFRelease", None, _POINTER)(name)
        if not value:
            return None
        kind = self._core("CFGetTypeID", ctypes.c_ulong, _POINTER)(value)
        if kind == self._core("CFBooleanGetTypeID", ctypes.c_ulong)():
            return int(self._core("CFBooleanGetValue", ctypes.c_ubyte, _POINTER)(value))
        number = ctypes.c_int64()
        get = self._core("CFNumberGetValue", ctypes.c_ubyte, _POINTER, _LONG, _POINTER)
        sint64 = 4  # kCFNumberSInt64Type
        return number.value if get(value, sint64, ctypes.byref(number)) else None

    def _core(self, name: str, result: Any, *arguments: Any) -> Any:
        return self._function("CoreFoundation", name, result, *arguments)

    # NSProcessInfo

    def thermal_state(self) -> int:
        """Return NSProcessInfoThermalState, 0 (nominal) to 3 (critical)."""
        return int(self._process_info("thermalState", _LONG))

    def low_power_mode(self) -> bool | None:
        """Return whether the Mac's low-power mode is on; None before macOS 12, which lacks it."""
        knows = self._message(ctypes.c_bool, _POINTER)
        info, wanted = self._shared_info(), self._selector("isLowPowerModeEnabled")
        if not knows(info, self._selector("respondsToSelector:"), wanted):
            return None
        return bool(self._process_info("isLowPowerModeEnabled", ctypes.c_bool))

    def _process_info(self, question: str, result: Any) -> Any:
        return self._message(result)(self._shared_info(), self._selector(question))

    def _shared_info(self) -> int:
        self._library("Foundation")
        found = self._function(_OBJC, "objc_getClass", _POINTER, ctypes.c_char_p)(b"NSProcessInfo")
        if not found:
            raise OSError("there is no NSProcessInfo")
        info: int = self._message(_POINTER)(found, self._selector("processInfo"))
        return info

    def _selector(self, name: str) -> Any:
        register = self._function(_OBJC, "sel_registerName", _POINTER, ctypes.c_char_p)
        return register(name.encode())

    def _message(self, result: Any, *arguments: Any) -> Any:
        """Return objc_msgSend with the argument and result types of the called method."""
        prototype = ctypes.CFUNCTYPE(result, _POINTER, _POINTER, *arguments)
        return prototype(("objc_msgSend", self._library(_OBJC)))

    # CoreAudio

    def recorders(self) -> list[int] | None:
        """Return the ids of processes that record sound on macOS.

        None before macOS 14.2, which cannot tell.
        """
        objects = self._property(_SYSTEM_OBJECT, b"prs#")
        if objects is None:
            return None
        found = []
        for one in objects:
            pid, records = self._property(one, b"ppid"), self._property(one, b"piri")
            if pid and records and records[0]:
                found.append(pid[0])
        return found

    def microphone_runs(self) -> bool | None:
        """Return whether the default microphone is in use; None if there is none."""
        device = self._property(_SYSTEM_OBJECT, b"dIn ")
        if not device or not device[0]:
            return None
        runs = self._property(device[0], b"gone")
        return None if not runs else bool(runs[0])

    def _property(self, audio_object: int, selector: bytes) -> list[int] | None:
        """Return the 32-bit numbers of an audio object's property; None if it is not available."""
        address = _Address(int.from_bytes(selector, "big"), int.from_bytes(b"glob", "big"), 0)
        size, nothing = _UINT(0), (0, None)
        sized = self._function(
            "CoreAudio",
            "AudioObjectGetPropertyDataSize",
            _INT,
            _UINT,
            *[_POINTER, _UINT] + [_POINTER] * 2,
        )
        if sized(audio_object, ctypes.byref(address), *nothing, ctypes.byref(size)) != 0:
            return None
        values = (_UINT * (size.value // 4))()
        get = self._function(
            "CoreAudio",
            "AudioObjectGetPropertyData",
            _INT,
            _UINT,
            *[_POINTER, _UINT] + [_POINTER] * 3,
        )
        if get(audio_object, ctypes.byref(address), *nothing, ctypes.byref(size), values) != 0:
            return None
        return list(values)[: size.value // 4]

    # Libraries

    def _function(self, library: str, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._library(library), name)
        function.restype, function.argtypes = result, arguments
        return function

    def _library(self, name: str) -> Any:
        if name not in self._opened:
            path = name if name.startswith("/") else _FRAMEWORKS.format(name)
            self._opened[name] = self._open(path)
        return self._opened[name]
