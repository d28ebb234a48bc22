"""Waits for what another task, thread or process does, without requiring how fast it must be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 900.0
"""Seconds until a test gives up waiting: long, because a loaded machine is slow and not broken, but
shorter than pytest's own timeout, so that the test itself says what never came.
"""
TURNS = 100
"""More turns of the event loop than a task of a test takes until it waits for something else."""


def eventually(
    look: Callable[[], T], holds: Callable[[T], object] = bool, *, within_s: float = PATIENCE_S
) -> T:
    """Poll `look` until its result satisfies `holds` (by default: is true) and return that result;
    if none does in time, the test fails with the last one.

    The pauses grow to a tenth of the time waited, because constant polling would take the processor
    from what it waits for.
    """
    began = time.monotonic()
    while not holds(seen := look()):
        waited_s = time.monotonic() - began
        assert waited_s < within_s, f"still {seen!r} after {within_s:g} s"
        time.sleep(max(0.001, waited_s / 10))
    return seen


async def until(holds: Callable[[], object]) -> None:
    """Let the event loop and its threads go on until `holds()`; if it never does, the test fails
    with what it gave last.
    """
    began = time.monotonic()
    while not (seen := holds()):
        assert time.monotonic() - began < PATIENCE_S, f"still {seen!r} after {PATIENCE_S:g} s"
        await asyncio.sleep(0.001)


async def stands() -> None:
    """Let the loop's tasks go as far as they can without anything from outside, such as a thread's
    answer or a time: that takes turns of the loop, and on a slow machine no more of them.
    """
    for _ in range(TURNS):
        await asyncio.sleep(0)
