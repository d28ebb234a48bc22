"""Tests of pauses and of "train now" in the watch over lulls, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lull.core.errors import EngineError
from lull.core.idle.pausing import PauseLength
from lull.core.idle.policy import WindowState
from lull.core.idle.scheduling import WorkKind
from lull.loops.idle.lull_runner import Runner, RunnerRule
from tests.doubles.fakes import ToldProblems
from tests.loops.idle.watched import (
    MINUTE,
    FakeWork,
    Room,
    Scene,
    running,
)


def test_a_pause_stops_work_and_takes_its_memory(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        watch = room.watch()
        async with running(watch):
            await asyncio.sleep(10)
            why = await watch.pause(PauseLength.HALF_HOUR)
            assert why.window.state is WindowState.PAUSED
            assert why.as_dict()["until"] == "2026-11-18T12:30:10+01:00"
            assert room.work[0].said() == ["run", "suspend", "give back"]
            assert (await watch.resume()).window.state is WindowState.OPEN
            await asyncio.sleep(0.5)
            assert (await watch.why()).window.state is WindowState.WORKING

    play(scene)


def test_train_now_skips_the_wait_and_the_user(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork(left_s=90.0)]
        watch = room.watch()
        async with running(watch):
            room.type()
            assert (await watch.train_now()).window.state is WindowState.WORKING
            for _ in range(20):
                await asyncio.sleep(10)
                room.type()
            assert (await watch.why()).window.state is WindowState.CLOSED

    room = play(scene)
    assert len(room.work[0].runs) == 3
    assert "suspend" not in room.work[0].said()


def test_train_now_tries_again_what_has_failed(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork("bad", fails=EngineError("no model"))]
        watch = room.watch()
        async with running(watch):
            await asyncio.sleep(5 * MINUTE)
            assert room.work[0].said() == ["run"]
            await watch.train_now()
            await asyncio.sleep(1)
            assert room.work[0].said() == ["run", "run"]

    play(scene)


def test_train_now_lets_a_chat_go_first_and_then_goes_on(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        watch = room.watch()
        async with running(watch):
            room.type()
            await watch.train_now()
            await asyncio.sleep(5)
            await room.chat(watch, 3.0)
            await asyncio.sleep(1)
            assert room.work[0].said() == ["run", "suspend", "resume"]

    play(scene)


def test_train_now_never_skips_heat(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.signals["hot"] = True
        watch = room.watch()
        async with running(watch):
            why = await watch.train_now()
            assert why.window.because == "The computer is hot."
            await asyncio.sleep(60)

    assert play(scene).work[0].runs == []


@pytest.mark.parametrize(
    ("signal", "value", "condition"),
    [
        ("hot", True, "heat"),
        ("on_mains", False, "power"),
        ("memory_free_share", 0.02, "memory"),
    ],
)
def test_train_now_waits_for_what_strains_the_machine_and_then_goes_on(
    play: Callable[[Scene], Room], signal: str, value: object, condition: str
) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        watch = room.watch()
        async with running(watch):
            room.type()
            assert (await watch.train_now()).window.state is WindowState.WORKING
            room.signals[signal] = value
            await asyncio.sleep(1)
            why = await watch.why()
            assert condition in [one.name for one in why.window.conditions if one.forbids_work]
            assert room.work[0].said()[-1:] in ([], ["suspend"], ["give back"])
            del room.signals[signal]
            await asyncio.sleep(100)
            assert (await watch.why()).window.state is WindowState.WORKING

    play(scene)


def test_a_piece_that_is_stopped_before_its_first_moment_does_not_start_behind_that(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        runner = Runner(
            clock=room.clock,
            ended=lambda: None,
            problems=ToldProblems(),
            rule=RunnerRule(),
        )
        work = FakeWork()
        room.work = [work]
        runner.begin(work, until_s=30.0)
        await runner.suspend()
        await asyncio.sleep(5)
        assert work.said() == [] and not runner.running
        await runner.resume()
        await asyncio.sleep(1)
        assert work.said() == ["run"]
        await runner.suspend()
        assert work.said() == ["run", "suspend"]
        await runner.give_back()

    play(scene)


def test_a_pause_ends_train_now(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        watch = room.watch()
        async with running(watch):
            await watch.train_now()
            assert (await watch.pause(PauseLength.FOR_GOOD)).window.state is WindowState.PAUSED
            await asyncio.sleep(120)
            assert (await watch.why()).window.state is WindowState.PAUSED

    play(scene)


def test_why_tells_the_work_the_begun_piece_first(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork("later", WorkKind.STEP), FakeWork("now")]
        watch = room.watch()
        async with running(watch):
            await asyncio.sleep(5)
            view = (await watch.why()).as_dict()
            assert view["state"] == "working"
            assert str(view["because"]).startswith("Proving now. No sign of you")
            assert view["work"] == [
                {
                    "kind": "proof",
                    "text": "Proving now",
                    "progress": 0.0,
                    "left_s": 1e6,
                    "why_not": "",
                },
                {
                    "kind": "step",
                    "text": "Proving later",
                    "progress": 0.0,
                    "left_s": 1e6,
                    "why_not": "It comes after the current task.",
                    "why_not_code": "work-after",
                    "why_not_values": [],
                },
            ]

    play(scene)
