"""Waits for what another thread or process does, without requiring how fast it must be."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 900.0


def eventually(look: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """Poll `look` until its result satisfies `holds` and return that result; if none does in time,
    the test fails with the last one.
    """
    began = time.monotonic()
    while not holds(seen := look()):
        waited_s = time.monotonic() - began
        assert waited_s < PATIENCE_S, f"still {seen!r}"
        time.sleep(min(0.01, 0.001 + waited_s / 10))
    return seen
