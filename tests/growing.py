"""Measures how the time of some work grows with its size, which is the same on a slow machine."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 8
MOST = 3.0 * TIMES
"""More than the time of work in proportion to its size grows, and far less than its square."""
_MEASURABLE_S = 0.001
"""What takes less counts as this: the clock and the caches would count for more than the work."""
_TRIES = 3
"""What else the machine does can make one try seem longer."""


def grows_like_its_size(work: Callable[[int], object], *, small: int) -> bool:
    """Return whether work on something `TIMES` as large takes so many times as much processor time,
    about, and not the square.
    """
    work(small)  # what is made ready once counts for neither
    return any(_within(work, small) for _ in range(_TRIES))


def _within(work: Callable[[int], object], small: int) -> bool:
    small_s = min(_took_s(work, small) for _ in range(2))
    return _took_s(work, TIMES * small) < MOST * max(small_s, _MEASURABLE_S)


def _took_s(work: Callable[[int], object], size: int) -> float:
    began_s = time.process_time()
    work(size)
    return time.process_time() - began_s
