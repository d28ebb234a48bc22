"""Waiting for what another thread or process does, without saying how fast it must be."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 900.0


def eventually(look: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """What `look` answers as soon as it holds; when that never comes, the test fails with what it
    last answered."""
    until_s = time.monotonic() + PATIENCE_S
    while not holds(seen := look()):
        assert time.monotonic() < until_s, f"still {seen!r}"
        time.sleep(0.01)
    return seen
