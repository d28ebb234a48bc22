"""The real time of day and fresh ids. Everything else gets them passed in."""

from __future__ import annotations

import secrets
import threading
import time
from datetime import UTC, datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        return time.monotonic()


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
