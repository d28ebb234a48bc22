"""Tests of an event loop with a virtual clock: timers come due however late in the year it is."""

from __future__ import annotations

import asyncio

import pytest

from bench.virtual_time import VirtualLoop, run


@pytest.mark.parametrize("began_s", [0.0, 2.0**24, 2.0**24 + 0.1, 365 * 86400.0 + 1 / 3, 2.0**29])
def test_timers_come_due_in_any_season(began_s: float) -> None:
    loop = VirtualLoop(threads=False)
    loop.selector.now_s = began_s
    fired: list[float] = []

    async def day() -> None:
        loop.call_later(0.0, lambda: fired.append(loop.time()))
        for wait_s in (30.0, 0.1, 1e-3, 1e-7, 86400.0):
            await asyncio.sleep(wait_s)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(15.0):
                await asyncio.Event().wait()

    run(day(), loop)
    assert fired and loop.time() == pytest.approx(began_s + 86445.1010001, abs=1e-5)
