"""The system clock and the maker of unique ids; other code gets both as arguments."""

from __future__ import annotations

import json
import secrets
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
"""Two digits of an id at once, by ten bits."""
_RANDOM_BYTES = 1024
"""Random bytes that are asked of the system at once, for 256 ids."""


class SystemClock:
    """The system clock; implements the `Clock` port."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        return time.monotonic()


class SimulatedClock(SystemClock):
    """A simulated clock, set through a file, with which `lull demo` simulates a week of use in
    minutes.

    The file is a JSON object: `at` was the simulated time at real time `since`, both in seconds
    since 1970, and `speed` is how many simulated seconds pass per real second. The file is read on
    every call and must be replaced atomically; an unreadable file changes nothing. Simulated time
    never goes back or ahead of real time. The monotonic clock stays real.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._told: dict[str, float] = {}
        self._last_s = 0.0

    def now(self) -> datetime:
        try:
            said = json.loads(self._file.read_bytes())
            self._told = {name: float(said[name]) for name in ("at", "since", "speed")}
        except (OSError, ValueError, KeyError, TypeError):
            pass
        played_s = time.time()
        if self._told:
            ran_s = max(0.0, played_s - self._told["since"])
            played_s = min(played_s, self._told["at"] + ran_s * self._told["speed"])
        self._last_s = max(self._last_s, played_s)
        return datetime.fromtimestamp(self._last_s, UTC)


class TimeSortedIds:
    """Makes ids that sort by time; implements the `Ids` port.

    An id has 48 bits of milliseconds, 16 of a counter and 32 random, in Crockford's base 32. Ids of
    one process sort by creation time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_ms = 0
        self._count = 0
        self._random = b""

    def new(self, prefix: str) -> str:
        with self._lock:
            # If the clock was set back, or a millisecond's ids run out, use later milliseconds.
            now_ms = max(int(time.time() * 1000), self._last_ms)
            self._count = self._count + 1 if now_ms == self._last_ms else 0
            if self._count > 0xFFFF:
                now_ms, self._count = now_ms + 1, 0
            self._last_ms = now_ms
            number = (now_ms << 48) | ((self._count & 0xFFFF) << 32) | self._random_32()
        pairs = [_PAIRS[(number >> shift) & 1023] for shift in range(90, -1, -10)]
        return f"{prefix}_{''.join(pairs)}"

    def _random_32(self) -> int:
        # Asking the system for each id costs more than making it.
        if not self._random:
            self._random = secrets.token_bytes(_RANDOM_BYTES)
        taken, self._random = self._random[:4], self._random[4:]
        return int.from_bytes(taken, "big")
