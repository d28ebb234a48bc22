"""Tests of the doctor's checks: each has a time limit of its own."""

from __future__ import annotations

import asyncio
import threading

from lull.service.answers.checks import check, in_thread, run_check_in_thread, with_time_limit


async def test_a_look_that_hangs_is_said_to_hang() -> None:
    async def hang() -> dict[str, object]:
        await asyncio.Event().wait()
        raise AssertionError

    found = await with_time_limit("store", hang(), limit_s=0.01)
    assert (found["name"], found["ok"], found["serious"]) == ("store", False, True)


async def test_a_look_that_ends_says_what_it_saw() -> None:
    seen = check("disk", ok=True, text="There is room.")

    async def look() -> dict[str, object]:
        return seen

    assert await with_time_limit("disk", look()) == seen


def test_a_look_that_blocks_for_ever_holds_up_neither_the_loop_nor_its_end() -> None:
    """asyncio waits for its own threads when a loop ends, so the checks run in other threads."""
    never = threading.Event()

    async def looks() -> dict[str, object]:
        for _ in range(100):  # far more than asyncio has threads
            await with_time_limit("disk", in_thread(lambda: {"ended": never.wait()}), limit_s=0.001)
        return await run_check_in_thread("disk", lambda: "There is room.")

    try:
        assert asyncio.run(looks())["text"] == "There is room."
    finally:
        never.set()
