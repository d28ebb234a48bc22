"""Tests of the watch over lulls, in virtual time: when work begins, and how it stops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise

import pytest

from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.errors import EngineError
from lull.core.idle.forecast import PastLull
from lull.core.idle.policy import WindowState
from lull.core.idle.rule import IdleRule
from lull.core.idle.scheduling import WorkKind
from lull.loops.idle.lull_runner import RunnerRule
from lull.store.idle.windows import Windows
from tests.loops.idle.watched import (
    HOUR,
    MINUTE,
    START,
    FakeWork,
    Room,
    Scene,
    running,
)

# When it works


def test_before_the_first_look_no_model_is_asked(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        watch = room.watch()
        assert not watch.allows_a_question and not watch.short_of_memory

    play(scene)


def test_work_begins_when_nobody_was_here_for_a_minute_and_a_half(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.type()
        async with running(room.watch()):
            await asyncio.sleep(89)
            assert room.work[0].runs == []
            await asyncio.sleep(2)  # less than lies between two looks otherwise
            assert room.work[0].runs

    room = play(scene)
    states = [state for _, state in room.told]
    assert states[:2] == [WindowState.CLOSED, WindowState.CLOSED]  # here, then waiting
    assert WindowState.WORKING in states


@pytest.mark.full
def test_units_follow_each_other_and_last_half_a_minute(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        async with running(room.watch()):
            await asyncio.sleep(10 * MINUTE)

    runs = play(scene).work[0].runs
    assert len(runs) in (20, 21)
    assert all(end - begin <= 30.001 for begin, end in runs)
    gaps = [later[0] - earlier[1] for earlier, later in pairwise(runs)]
    assert max(gaps) < 0.2


def test_proofs_run_before_steps_until_they_are_done(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [
            FakeWork("a", WorkKind.STEP),
            FakeWork("b", WorkKind.ROLLOUT, left_s=60.0),
            FakeWork("c", WorkKind.PROOF, left_s=60.0),
        ]
        async with running(room.watch()):
            await asyncio.sleep(5 * MINUTE)

    step, rollout, proof = play(scene).work
    assert len(proof.runs) == len(rollout.runs) == 2
    assert proof.runs[-1][1] <= rollout.runs[0][0]
    assert rollout.runs[-1][1] <= step.runs[0][0]


@pytest.mark.full
def test_there_are_never_two_pieces_at_once(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork(name) for name in "abc"]
        watch = room.watch()
        async with running(watch):
            for _ in range(40):
                await asyncio.sleep(17)
                await asyncio.gather(watch.why(), watch.why(), watch.check_now())

    runs = sorted(run for work in play(scene).work for run in work.runs)
    assert len(runs) > 10
    assert all(one[1] <= other[0] for one, other in pairwise(runs))


def test_a_unit_ends_before_a_call_that_is_known_to_come(play: Callable[[Scene], Room]) -> None:
    begins = START + timedelta(seconds=100)

    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.events = [
            CalendarEvent(start=begins, end=begins + timedelta(hours=1), kind=Meaning.BUSY)
        ]
        async with running(room.watch()):
            await asyncio.sleep(300)

    room = play(scene)
    assert room.work[0].runs[-1][1] <= 100.0
    assert "suspend" not in room.work[0].said()
    assert room.windows[0].closed_by == "calendar"


def test_work_that_needs_longer_than_is_left_is_not_begun(play: Callable[[Scene], Room]) -> None:
    begins = START + timedelta(seconds=40)

    async def scene(room: Room) -> None:
        room.work = [FakeWork("heavy", needs_s=60.0)]
        room.events = [
            CalendarEvent(start=begins, end=begins + timedelta(hours=1), kind=Meaning.BUSY)
        ]
        async with running(room.watch()):
            await asyncio.sleep(300)

    assert play(scene).work[0].runs == []


@pytest.mark.parametrize(
    ("lulls_last_s", "begins"), [(14 * MINUTE, False), (HOUR, True)], ids=["short", "long"]
)
def test_what_earlier_lulls_lasted_decides_which_work_is_begun(
    play: Callable[[Scene], Room], lulls_last_s: float, begins: bool
) -> None:
    """Twelve minutes into a lull: earlier ones at this hour ended soon after, or much later."""

    async def scene(room: Room) -> None:
        for day in range(1, 60):
            began_at = START - timedelta(days=day)
            Windows(room.database).post_lull(PastLull(began_at=began_at, length_s=lulls_last_s))
        room.database.flush()
        room.type()
        light, heavy = FakeWork("light", needs_s=5.0), FakeWork("heavy", needs_s=3 * MINUTE)
        room.work = [light]
        async with running(room.watch()):
            await asyncio.sleep(12 * MINUTE)
            room.work = [heavy]
            await asyncio.sleep(MINUTE)
            room.work = [heavy, light]
            await asyncio.sleep(MINUTE / 2)

    light, heavy = (room := play(scene)).work[1], room.work[0]
    assert bool(heavy.runs) is begins
    assert light.runs


# Stopping


@pytest.mark.full
def test_input_stops_work_within_a_quarter_of_a_second(play: Callable[[Scene], Room]) -> None:
    typed = []

    async def scene(room: Room) -> None:
        room.work = [FakeWork(stops_in_s=0.05)]
        room.rule = IdleRule(after_s=MINUTE)
        async with running(room.watch()):
            for number in range(50):
                await asyncio.sleep(1.6 * MINUTE + number * 0.0137)
                room.type()
                typed.append(room.loop.time())

    room = play(scene)
    ends = [end for _, end in room.work[0].runs]
    delays = [min(end - at for end in ends if end >= at) for at in typed[:-1]]
    assert len(delays) == 49
    assert max(delays) <= 0.25
    assert all(
        not (begin <= at and end > at + 0.25) for begin, end in room.work[0].runs for at in typed
    )


def test_a_chat_stops_work_at_once_and_it_waits_again(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        watch = room.watch()
        async with running(watch):
            await asyncio.sleep(65)
            await room.chat(watch, 20.0)
            await asyncio.sleep(11 * MINUTE)

    runs = play(scene).work[0].runs
    stopped = next(end for _, end in runs if end > 64)
    assert stopped == pytest.approx(65, abs=0.05)
    assert min(begin for begin, _ in runs if begin > 66) >= 65 + 20 + 600


def test_a_pause_in_typing_keeps_the_memory_and_staying_takes_it(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        async with running(room.watch()):
            await asyncio.sleep(65)
            room.type()
            await asyncio.sleep(25)
            assert room.work[0].said()[-1] == "suspend"
            await asyncio.sleep(10)
            assert room.work[0].said()[-1] == "give back"

    play(scene)


def test_suspended_work_goes_on_where_it_stood(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.rule = IdleRule(after_s=6.0)
        async with running(room.watch()):
            await asyncio.sleep(10)
            room.type()
            await asyncio.sleep(20)

    assert play(scene).work[0].said()[:3] == ["run", "suspend", "resume"]


def test_short_memory_takes_the_memory_of_work_at_once(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        async with running(room.watch()):
            await asyncio.sleep(10)
            room.signals["memory_free_share"] = 0.02
            await asyncio.sleep(0.2)
            assert room.work[0].said() == ["run", "suspend", "give back"]

    assert play(scene).told[-1][1] is WindowState.CLOSED


def test_work_that_does_not_stop_in_time_loses_its_memory(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork(stops_in_s=5.0)]
        async with running(room.watch()):
            await asyncio.sleep(10.05)
            room.type()
            await asyncio.sleep(0.3)
            assert room.work[0].said() == ["run", "suspend", "give back"]

    begin, end = play(scene).work[0].runs[0]
    assert end <= 10.05 + 0.26
    assert begin < 1


def test_work_whose_model_takes_minutes_for_an_answer_is_not_ended(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork(overruns_s=2 * MINUTE)]
        async with running(room.watch()):
            await asyncio.sleep(5 * MINUTE)
            assert room.work[0].said() == ["run", "run"]
            assert not any(error for _, error in room.told_problems.told)

    play(scene)


def test_work_that_hangs_is_ended_and_left_alone_for_a_while(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork("stuck", hangs=True), FakeWork("good", WorkKind.STEP)]
        async with running(room.watch(runner=RunnerRule(overrun_s=2 * MINUTE))):
            await asyncio.sleep(5 * MINUTE)

    room = play(scene)
    stuck, good = room.work
    assert stuck.said() == ["run", "give back"]
    assert good.runs
    assert "did not finish" in str(room.told_problems.told[0][1])


@pytest.mark.full
def test_work_that_fails_says_so_and_other_work_gets_its_turn(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        room.work = [
            FakeWork("bad", fails=EngineError("no model")),
            FakeWork("good", WorkKind.STEP),
        ]
        async with running(room.watch()):
            await asyncio.sleep(5 * MINUTE)
            assert room.work[0].said() == ["run"]
            await asyncio.sleep(15 * MINUTE)
            assert room.work[0].said() == ["run", "run"]

    room = play(scene)
    assert room.work[1].runs
    assert ("Proving bad", room.work[0].fails) in room.told_problems.told


def test_a_fault_of_ours_in_work_is_not_swallowed(play: Callable[[Scene], Room]) -> None:
    class Broken(FakeWork):
        async def run_slice(self, until_s: float) -> None:
            raise ZeroDivisionError

    async def scene(room: Room) -> None:
        room.work = [Broken()]
        with pytest.raises(ZeroDivisionError):
            await room.watch().run()

    play(scene)


def test_work_that_was_cancelled_while_suspended_is_let_go(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.rule = IdleRule(after_s=6.0)
        cancelled, other = FakeWork("cancelled"), FakeWork("other")
        room.work = [cancelled]
        async with running(room.watch()):
            await asyncio.sleep(10)
            room.type()
            await asyncio.sleep(1)
            room.work = [other]
            await asyncio.sleep(20)
            assert cancelled.said() == ["run", "suspend", "give back"]
            assert other.runs

    play(scene)
