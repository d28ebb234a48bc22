"""Tests of what the watch over lulls writes down of a scripted day in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lull.core.errors import EngineError
from lull.core.idle.rule import IdleRule
from tests.loops.idle.watched import (
    HOUR,
    MINUTE,
    START,
    FakeWork,
    Room,
    Scene,
    running,
)


def test_why_tells_of_each_piece_why_it_does_not_run(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        long, failing = FakeWork("long", needs_s=9 * HOUR), FakeWork("failing")
        failing.fails = EngineError("The model is gone.")
        room.work = [long, failing]
        watch = room.watch()

        async def said() -> dict[str, str]:
            return {work.text: work.why_not for work in (await watch.why()).work}

        async with running(watch):
            await asyncio.sleep(0.1)
            assert (await said())["Proving failing"].startswith("Checking once more")
            await asyncio.sleep(5)
            why = await said()
            assert why["Proving long"].startswith("It needs at least 9 h, and this idle time will")
            assert why["Proving failing"].endswith("tried again in 14 min.")
            room.type()
            assert set((await said()).values()) == {""}  # the window says why
        room.input_at = -HOUR
        assert set((await said()).values()) == {"Lull is starting to watch for idle times."}

    play(scene)


def test_a_waking_is_told_once(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        async with running(room.watch()):
            await asyncio.sleep(20)
            assert room.woken == 0
            room.signals["asleep_gap_s"] = 9 * HOUR
            await asyncio.sleep(40)  # told for a while, to whoever looks
            del room.signals["asleep_gap_s"]
            await asyncio.sleep(40)

    assert play(scene).woken == 1


def test_the_journal_tells_when_and_why_and_what(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.type()
        async with running(room.watch()):
            await asyncio.sleep(15 * MINUTE)
            room.type()
            await asyncio.sleep(20)

    (window,) = play(scene).windows
    assert window.why_opened.startswith("No sign of you for 90 s")
    assert window.why_closed == "You are here: last input less than 1 min ago."
    assert window.closed_by == "input"
    assert window.closed_at is not None
    lasted = (window.closed_at - window.opened_at).total_seconds()
    assert lasted == pytest.approx(15 * MINUTE - 90, abs=20)
    assert window.used_s == pytest.approx(lasted, rel=0.02)
    (done,) = window.done
    assert (done.kind, done.text) == ("proof", "Proving one")
    assert done.units in (26, 27)
    assert not done.finished  # it still waits in the queue


def test_an_absence_is_remembered_with_its_length(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.type()
        async with running(room.watch()):
            await asyncio.sleep(25 * MINUTE)
            room.type()
            await asyncio.sleep(60)
            room.type()
            await asyncio.sleep(60)

    past = play(scene).past
    assert [one.seen_to_end for one in past] == [True]
    assert past[0].began_at == START
    assert past[0].length_s == pytest.approx(25 * MINUTE, abs=1)


def test_an_absence_in_which_the_source_was_silent_for_a_while_is_one(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        async with running(room.watch()):
            room.type()
            await asyncio.sleep(HOUR)
            room.input_known = False
            await asyncio.sleep(5 * MINUTE)
            room.input_known = True
            room.input_at += 3.0  # what is polled is a little old
            await asyncio.sleep(HOUR)
            room.type()
            await asyncio.sleep(30)

    (lull,) = [one for one in play(scene).past if one.seen_to_end and one.began_at >= START]
    assert lull.length_s == pytest.approx(2 * HOUR + 5 * MINUTE, abs=20)


def test_a_call_is_no_absence(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.type()
        room.signals["call"] = True
        async with running(room.watch()):
            await asyncio.sleep(40 * MINUTE)
            room.signals["call"] = False
            room.type()
            await asyncio.sleep(60)

    assert play(scene).past == []


def test_the_source_is_hurried_only_while_work_runs(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.type()
        async with running(room.watch()):
            await asyncio.sleep(11 * MINUTE)
            room.type()
            await asyncio.sleep(20)

    assert play(scene).hurried == [True, False]


def test_somebody_who_comes_just_before_work_begins_is_seen_by_a_close_look(
    play: Callable[[Scene], Room],
) -> None:
    """The source of signals may report old input, but asked in a hurry it reports the latest."""

    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.reads_late_s = 15.0
        room.rule = IdleRule(after_s=MINUTE)
        room.type()
        watch = room.watch()
        async with running(watch):
            for _ in range(20):
                await asyncio.sleep(55.0)
                room.type()

    room = play(scene)
    assert room.hurried.count(True) >= 10
    assert room.work[0].runs == []
