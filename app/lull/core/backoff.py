"""When to start a fallen child again, and when to stop trying.

A child that falls once is started again at once, or nearly; one that falls again and again would
only heat the machine, so the waits double and after a few falls in a short time it is left lying
until someone asks for it by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The falls that still count. A value: `fallen` answers the next one."""

    first_s: float = 1.0
    longest_s: float = 60.0
    restarts: int = 5
    """So many in `within_s`; the fall after them is the last."""
    within_s: float = 600.0
    falls_s: tuple[float, ...] = ()
    """When the child fell, on the caller's monotonic clock."""

    def fallen(self, now_s: float) -> Backoff:
        recent = tuple(fall for fall in self.falls_s if now_s - fall < self.within_s)
        return replace(self, falls_s=(*recent, now_s))

    @property
    def delay_s(self) -> float | None:
        """How long to wait after the newest fall; None: do not start again."""
        falls = len(self.falls_s)
        if falls > self.restarts:
            return None
        return min(self.longest_s, self.first_s * 2.0 ** max(0, falls - 1))

    def forgiven(self) -> Backoff:
        """Someone asked by hand: count from nothing."""
        return replace(self, falls_s=())
