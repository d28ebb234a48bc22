"""Prints progress on stderr: the last step, how many are done, and the estimated remaining time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO


@dataclass(slots=True)
class Progress:
    """Reports progress; safe to use from several threads."""

    total: int
    out: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    skipped: int = 0
    _began: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def skip(self, steps: int) -> None:
        """Count steps as done that an earlier run did."""
        with self._lock:
            self.done += steps
            self.skipped += steps

    def step(self, text: str) -> None:
        with self._lock:
            now = self.clock()
            self._began = now if self._began is None else self._began
            self.done += 1
            played = self.done - self.skipped
            left_s = (now - self._began) / max(1, played - 1) * (self.total - self.done)
            left = f"{left_s / 60:.0f} min left" if left_s >= 90 else f"{left_s:.0f} s left"
            print(f"{self.done}/{self.total} {text}, {left}", file=self.out, flush=True)
