"""Tests of the quiet time since the last chat, and of the wait for models after a start."""

from __future__ import annotations

import asyncio
import math

import pytest

from lull.service.idle.quiet import Activity, QuietTimes
from tests.doubles.fakes import FakeClock


def test_a_start_is_no_chat() -> None:
    clock = FakeClock()
    activity = Activity(clock)
    clock.advance(5.0)
    assert activity.quiet_s == math.inf


def test_a_chat_counts_from_its_end() -> None:
    clock = FakeClock()
    activity = Activity(clock)
    with activity.chat():
        clock.advance(5.0)
        assert activity.quiet_s == 0.0
    clock.advance(7.0)
    assert activity.quiet_s == 7.0


@pytest.mark.full
@pytest.mark.slow
def test_after_a_start_the_users_models_are_left_alone_for_a_while_all_the_same() -> None:
    clock = FakeClock()
    quiet = QuietTimes(Activity(clock), after_s=lambda: 60.0)

    async def answer() -> int:
        return 7

    async def run() -> int:
        waiting = asyncio.ensure_future(quiet.run(answer))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        clock.advance(60.0)
        return await waiting

    assert asyncio.run(run()) == 7
