"""Tests of the watch over lulls across sleep, odd clocks and restarts, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise

import pytest

from lull.core.idle.hours import parse_hours
from lull.core.idle.pausing import PauseLength
from lull.core.idle.policy import WindowState
from lull.core.idle.rule import IdleRule
from lull.store.idle.windows import STOPPED
from tests.loops.idle.watched import (
    BERLIN,
    HOUR,
    MINUTE,
    START,
    FakeWork,
    Room,
    Scene,
    running,
)


def test_a_machine_that_slept_for_nine_hours_waits_before_it_works(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        async with running(room.watch()):
            await asyncio.sleep(65)
            room.clock.put(9 * HOUR)
            await asyncio.sleep(1 * MINUTE)
            assert room.work[0].runs[-1][1] == pytest.approx(65, abs=0.2)
            await asyncio.sleep(2 * MINUTE)
            assert room.work[0].runs[-1][0] > 65 + 90

    room = play(scene)
    assert room.windows[0].closed_by == "wake"
    assert room.past[0].length_s == pytest.approx(HOUR + 65, abs=16)


def test_a_clock_set_back_changes_nothing_but_the_clock(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        async with running(room.watch()):
            await asyncio.sleep(65)
            room.clock.put(-2 * HOUR)
            await asyncio.sleep(65)
            room.type()
            await asyncio.sleep(1)

    room = play(scene)
    runs = room.work[0].runs
    gaps = [later[0] - earlier[1] for earlier, later in pairwise(runs)]
    assert max(gaps) < 0.2
    (window,) = room.windows
    assert window.closed_at is not None
    assert window.closed_at >= window.opened_at


def test_a_clock_set_back_does_not_make_a_pause_longer(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        watch = room.watch()
        async with running(watch):
            await watch.pause(PauseLength.HALF_HOUR)
            room.clock.put(-24 * HOUR)
            await asyncio.sleep(29 * MINUTE)
            assert (await watch.why()).window.state is WindowState.PAUSED
            await asyncio.sleep(2 * MINUTE)
            assert room.work[0].runs

    play(scene)


@pytest.mark.full
def test_the_hour_that_comes_twice_is_worked_through(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.clock.put((datetime(2026, 10, 25, 1, 30, tzinfo=BERLIN) - START).total_seconds() + 0.0)
        room.rule = IdleRule(sleep_hours=(parse_hours("23:00-07:00"),))
        room.work = [FakeWork()]
        async with running(room.watch(working_tick_s=2.0)):
            await asyncio.sleep(4 * HOUR)

    runs = play(scene).work[0].runs
    assert sum(end - begin for begin, end in runs) == pytest.approx(4 * HOUR, rel=0.01)


def test_after_a_restart_a_pause_still_holds(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        first = room.watch()
        async with running(first):
            await first.pause(PauseLength.HOUR)
        second = room.watch()
        async with running(second):
            await asyncio.sleep(50 * MINUTE)
            assert (await second.why()).window.state is WindowState.PAUSED
            await asyncio.sleep(11 * MINUTE)

    assert play(scene).work[0].runs[0][0] >= HOUR


def test_a_stop_ends_work_and_closes_the_journal(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        async with running(room.watch()):
            await asyncio.sleep(45)

    room = play(scene)
    assert room.work[0].said()[-1] == "give back"
    (window,) = room.windows
    assert window.why_closed == STOPPED
    assert window.used_s == pytest.approx(45, abs=1)
    assert room.past[0].seen_to_end is False


def test_a_crash_leaves_a_window_that_the_next_start_closes(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        watch = room.watch()
        for _ in range(1300):
            await watch.check_now()  # nobody ever leaves this watch in order
            await asyncio.sleep(0.1)
        room.database.flush()
        room.watch()
        await room.work[0].give_back_memory()  # a child whose parent is gone
        await asyncio.sleep(0.1)

    (window,) = play(scene).windows
    assert window.why_closed == STOPPED
    assert window.used_s == pytest.approx(120, abs=1)


def test_after_a_fault_the_watch_is_run_again_and_the_lull_is_one(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork(), FakeWork("two")]
        watch = room.watch()
        async with running(watch) as task:
            await asyncio.sleep(45)
            room.breaks = RuntimeError("a fault of ours")
            with pytest.raises(RuntimeError):
                await task
        assert room.hurried[-1] is False
        room.breaks = None
        assert (await watch.why()).window.open
        await asyncio.sleep(HOUR)
        await watch.why()  # nobody watches, so nothing may begin
        runs_before = sum(len(work.runs) for work in room.work)
        async with running(watch):
            await asyncio.sleep(45)
            assert sum(len(work.runs) for work in room.work) > runs_before
            room.type()
            await asyncio.sleep(1)

    room = play(scene)
    assert [window.why_closed[:12] for window in room.windows] == ["Lull was sto", "You are here"]
    (lull,) = room.past
    assert lull.seen_to_end
    assert lull.length_s == pytest.approx(2 * HOUR + 90, abs=5)


def test_work_that_never_gives_its_memory_back_keeps_nobody_waiting(
    play: Callable[[Scene], Room],
) -> None:
    class Stubborn(FakeWork):
        async def give_back_memory(self) -> None:
            await super().give_back_memory()
            while not let_go.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await let_go.wait()

    let_go = asyncio.Event()

    async def scene(room: Room) -> None:
        room.work = [Stubborn(), FakeWork("two")]
        watch = room.watch()
        async with running(watch):
            await asyncio.sleep(10)
            began_s = room.loop.time()
            assert (await watch.pause(PauseLength.HALF_HOUR)).window.state is WindowState.PAUSED
            assert room.loop.time() - began_s < 5.0
            await watch.resume()
            await asyncio.sleep(60)
            assert room.work[1].runs == []  # it would be the second at once
        let_go.set()
        await asyncio.sleep(1)

    room = play(scene)
    assert "did not end" in str(room.told_problems.told[-1][1])
