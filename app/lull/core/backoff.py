"""Decides when a crashed child process is restarted, and when it is not restarted any more.

A single crash is followed by a quick restart. Repeated crashes double the wait, and after a few
within a short time the child stays down until a person restarts it by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The recent crashes of a child process, and how long to wait before it is restarted.
    Immutable: `with_crash` returns a new record with one more crash.
    """

    first_s: float = 1.0
    longest_s: float = 60.0
    restarts: int = 5
    """Most crashes within `within_s` after which the process is still restarted."""
    within_s: float = 600.0
    falls_s: tuple[float, ...] = ()
    """Times of the recent crashes, on the caller's monotonic clock."""

    def with_crash(self, now_s: float) -> Backoff:
        """Return the state after one more crash; crashes that lie far back are forgotten."""
        recent = tuple(fall for fall in self.falls_s if now_s - fall < self.within_s)
        return replace(self, falls_s=(*recent, now_s))

    @property
    def delay_s(self) -> float | None:
        """Seconds to wait after the newest crash before the child process is restarted; None if it
        has crashed too often to be restarted.
        """
        falls = len(self.falls_s)
        if falls > self.restarts:
            return None
        return min(self.longest_s, self.first_s * 2.0 ** max(0, falls - 1))

    def without_crashes(self) -> Backoff:
        """Return this record of a child process with all crashes forgotten; used after a person
        restarted the process by hand.
        """
        return replace(self, falls_s=())
