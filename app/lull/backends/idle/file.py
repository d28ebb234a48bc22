"""Reads idle signals (whether the user is at the computer) from a JSON file, for unsupported
desktops, scripts, and tests.

The file is a JSON object with names of `IdleSignals`. Signals it leaves out are unknown; all are if
it is missing, damaged or older than a minute, because its writer may have died. Shares are from 0
to 1, durations in seconds:

{"input_idle_s": 840, "locked": true, "on_mains": true, "load_of_others": 0.05}
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import tzinfo
from pathlib import Path
from typing import Any, Final

from lull.core.idle.signals import IdleSignals, Unknown
from lull.core.ports import Clock
from lull.core.text import durations as spans

OLDEST_S: Final = 60.0
"""Age in seconds beyond which the file of idle signals no longer counts."""
_MOST_BYTES: Final = 65_536
_LENGTHS: Final = ("input_idle_s", "since_chat_s", "asleep_gap_s")
_SHARES: Final = ("battery_share", "load_of_others", "memory_free_share", "memory_pressure")
_FLAGS: Final = ("locked", "on_mains", "low_power", "hot", "call")
_COUNTS: Final = ("chats_in_flight",)
_TEXTS: Final = ("exclusive_app",)
NAMES: Final = (*_LENGTHS, *_SHARES, *_FLAGS, *_COUNTS, *_TEXTS)
_LARGEST_VALUES: Final = {**dict.fromkeys(_LENGTHS, 1e9), **dict.fromkeys(_SHARES, 1.0)}
"""Largest valid values: about thirty years in seconds, and 1 for shares."""
_NEVER_UNKNOWN: Final = frozenset({"since_chat_s", "asleep_gap_s", "chats_in_flight"})


class IdleFile:
    """Reads idle signals (whether the user is at the computer) from a file; implements the
    `StartableIdleSource` port.
    """

    def __init__(self, path: Path, *, clock: Clock, zone: Callable[[], tzinfo]) -> None:
        self._path = path
        self._clock = clock
        self._zone = zone

    def start(self) -> None:
        """Do nothing: the file is read each time."""

    def close(self) -> None:
        """Do nothing: the file is never left open."""

    def signals(self) -> IdleSignals:
        now, monotonic_s = self._clock.now(), self._clock.monotonic_s()
        found = self._read(now.timestamp())
        values = found if isinstance(found, Mapping) else dict.fromkeys(_READINGS, found)
        return IdleSignals(now=now.astimezone(self._zone()), monotonic_s=monotonic_s, **values)

    def set_fast_polling(self, on: bool) -> None:
        """Ignore the request to poll faster, because the file is read on every call anyway."""

    def look_again(self, within_s: float) -> None:
        """Do nothing: the file is read each time."""

    def _read(self, now_s: float) -> Mapping[str, Any] | Unknown:
        """Return each signal, or why there are none."""
        try:
            data, changed_s = self._bytes()
        except OSError as error:
            return Unknown(f"{self._path}: {error.strerror or error}")
        age_s = now_s - changed_s
        if age_s > OLDEST_S:
            return Unknown(
                f"{self._path} is {spans.format_duration(age_s)} old; it may be at most a minute "
                "old"
            )
        if age_s < -OLDEST_S:
            return Unknown(f"{self._path} is dated {spans.format_duration(-age_s)} in the future")
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            return Unknown(f"{self._path} is not JSON")
        if not isinstance(found, dict):
            return Unknown(f"{self._path} is not a JSON object")
        return self._signals(found)

    def _bytes(self) -> tuple[bytes, float]:
        """Return the file's content and modification time. Never blocks, not even on a pipe."""
        handle = os.open(self._path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, "is no plain file")
            if status.st_size > _MOST_BYTES:
                raise OSError(0, "is too large")
            return os.read(handle, _MOST_BYTES), status.st_mtime
        finally:
            os.close(handle)

    def _signals(self, found: Mapping[str, object]) -> dict[str, Any]:
        strange = sorted(name for name in found if name not in NAMES)
        tail = f"; it names {', '.join(map(repr, strange[:3]))}, no signal" if strange else ""
        values: dict[str, Any] = {
            name: Unknown(f"{self._path} does not name {name}{tail}") for name in _READINGS
        }
        for name in NAMES:
            if name in found:
                value = self._value(name, found[name])
                if not (isinstance(value, Unknown) and name in _NEVER_UNKNOWN):
                    values[name] = value
        return values

    def _value(self, name: str, value: object) -> object:
        if value is None:
            return Unknown(f"{self._path} says so")
        if name in _FLAGS and isinstance(value, bool):
            return value
        if name in _TEXTS and isinstance(value, str) and value.isprintable():
            return value  # a lone surrogate cannot be stored in the journal
        if isinstance(value, int | float) and not isinstance(value, bool):
            if name in _COUNTS and isinstance(value, int) and value >= 0:
                return value
            most = _LARGEST_VALUES.get(name)
            if most is not None and 0.0 <= value <= most:
                return float(value)
        return Unknown(f"{name} in {self._path} cannot be {json.dumps(value)[:40]}")


_READINGS: Final = tuple(
    field.name
    for field in fields(IdleSignals)
    if field.name in NAMES and field.name not in _NEVER_UNKNOWN and field.name not in _TEXTS
)
"""Signals that are unknown if missing from the file. A missing `exclusive_app` means none runs."""
