"""The real time of day and fresh ids. Everything else gets them passed in."""

from __future__ import annotations

import json
import secrets
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        return time.monotonic()


class PlayedClock(SystemClock):
    """A time of day that somebody sets, for a week that is lived through in minutes (`lull demo`).

    The file is a JSON object: `at` was the played time when the real one was `since`, both in
    seconds since 1970, and a real second is `speed` played ones. It is read at each look and
    replaced whole; what cannot be read leaves things as they were. Played time neither goes back
    nor runs ahead of the real one; lengths are measured in real seconds as ever.
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
    """48 bits of milliseconds, 16 of a counter, 32 of chance, in Crockford's base 32, so that ids
    of one process sort by the time they were made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_ms = 0
        self._count = 0

    def new(self, prefix: str) -> str:
        with self._lock:
            # A clock set back, or more ids than a millisecond holds: borrow from the future.
            now_ms = max(int(time.time() * 1000), self._last_ms)
            self._count = self._count + 1 if now_ms == self._last_ms else 0
            if self._count > 0xFFFF:
                now_ms, self._count = now_ms + 1, 0
            self._last_ms = now_ms
            number = (now_ms << 48) | ((self._count & 0xFFFF) << 32) | secrets.randbits(32)
        digits = [_ALPHABET[(number >> shift) & 31] for shift in range(95, -1, -5)]
        return f"{prefix}_{''.join(digits)}"
