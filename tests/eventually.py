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
    until_s = time.monotonic() + PATIENCE_S
    while not holds(seen := look()):
        assert time.monotonic() < until_s, f"still {seen!r}"
        time.sleep(0.01)
    return seen
