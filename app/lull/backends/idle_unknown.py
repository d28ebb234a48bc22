"""A desktop that tells nothing about its user: everything unknown, and why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from lull.core.idle_signals import IdleSignals, Unknown


class UnknownSource:
    """Implements core.idle_signals.IdleSource."""

    def __init__(
        self, why: str, *, now: Callable[[], datetime], monotonic_s: Callable[[], float]
    ) -> None:
        """`why` without a full stop; `now` in the user's zone."""
        self._why = Unknown(why)
        self._now = now
        self._monotonic_s = monotonic_s

    def signals(self) -> IdleSignals:
        why = self._why
        return IdleSignals(
            now=self._now(),
            monotonic_s=self._monotonic_s(),
            input_idle_s=why,
            locked=why,
            on_mains=why,
            call=why,
        )

    def hurry(self, on: bool) -> None:
        """There is nothing to look at more often."""
