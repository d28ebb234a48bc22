"""Tests of the watch over lulls on scripted days in virtual time: what runs when, how it stops."""

from __future__ import annotations

import asyncio
import contextlib
import math
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import pytest

from bench.virtual_time import VirtualClock, VirtualLoop, run
from lull.core.calendars.event import Calendar, CalendarEvent, Meaning
from lull.core.errors import EngineError, LullError
from lull.core.idle.forecast import PastLull
from lull.core.idle.hours import parse_hours
from lull.core.idle.pausing import PauseLength
from lull.core.idle.policy import WindowState
from lull.core.idle.rule import IdleRule
from lull.core.idle.scheduling import WorkKind
from lull.core.idle.signals import IdleSignals, Unknown
from lull.loops.idle.decide_idle import ChatCounts, DecideIdle
from lull.loops.idle.lull_runner import Runner, RunnerRule
from lull.loops.idle.watch_idle import WatchIdle, WatchRule
from lull.store.idle.windows import STOPPED, WindowRow, Windows
from lull.store.sqlite.database import Database
from tests.building import database_at
from tests.doubles.fakes import FakeIds

T = TypeVar("T")

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 11, 18, 12, 0, tzinfo=BERLIN)
MINUTE, HOUR = 60.0, 3600.0


class FakeWork:
    """Work for a lull that records what was done to it."""

    def __init__(
        self,
        name: str = "one",
        kind: WorkKind = WorkKind.PROOF,
        *,
        left_s: float = 1e6,
        needs_s: float = 5.0,
        fails: LullError | None = None,
        stops_in_s: float = 0.01,
        hangs: bool = False,
        overruns_s: float = 0.0,
    ) -> None:
        self.id, self.text, self.kind, self.value = name, f"Proving {name}", kind, 1.0
        self.left_s, self.needs_s, self.progress = left_s, needs_s, 0.0
        self.fails, self.stops_in_s, self.hangs = fails, stops_in_s, hangs
        self.overruns_s = overruns_s
        self.log: list[tuple[str, float]] = []
        self.runs: list[list[float]] = []
        self._go, self._end = asyncio.Event(), asyncio.Event()

    async def run_slice(self, until_s: float) -> None:
        self._say("run")
        self._end.clear()
        if self.fails is not None:
            raise self.fails
        self._begin()
        loop = asyncio.get_running_loop()
        while not self._end.is_set():
            if self.runs[-1][1] < math.inf:
                await self._go.wait()
                continue
            try:
                left_s = until_s + self.overruns_s - loop.time()
                async with asyncio.timeout(max(0.0, left_s)):
                    await self._end.wait()
            except TimeoutError:
                if self.hangs or self.runs[-1][1] < math.inf:
                    await self._go.wait()
                    continue
                break
        self._stop()
        self.left_s = max(0.0, self.left_s - 30.0)

    async def suspend(self) -> None:
        self._say("suspend")
        await asyncio.sleep(self.stops_in_s)
        self._go.clear()
        self._stop()

    async def resume(self) -> None:
        self._say("resume")
        self._begin()
        self._go.set()

    async def give_back_memory(self) -> None:
        self._say("give back")
        self._stop()
        self._end.set()
        self._go.set()

    def _begin(self) -> None:
        self.runs.append([asyncio.get_running_loop().time(), math.inf])

    def _stop(self) -> None:
        if self.runs and self.runs[-1][1] == math.inf:
            self.runs[-1][1] = asyncio.get_running_loop().time()

    def _say(self, what: str) -> None:
        self.log.append((what, asyncio.get_running_loop().time()))

    def said(self) -> list[str]:
        return [what for what, _ in self.log]


@dataclass
class Room:
    """A machine whose signals a test sets by hand."""

    loop: VirtualLoop
    clock: VirtualClock
    database: Database
    work: list[FakeWork] = field(default_factory=list)
    signals: dict[str, Any] = field(default_factory=dict)
    rule: IdleRule = field(default_factory=IdleRule)
    events: list[CalendarEvent] = field(default_factory=list)
    input_at: float = -HOUR
    """Virtual time in seconds at which the last key was struck."""
    input_known: bool = True
    reads_late_s: float = 0.0
    """Age in seconds of what the source of signals reports, unless it is asked in a hurry."""
    breaks: Exception | None = None
    """The exception that a look at the signals raises."""
    chats: int = 0
    idle_before_s: float = HOUR
    """Seconds without input before the last key was struck."""
    told: list[tuple[float, WindowState]] = field(default_factory=list)
    problems: list[tuple[str, LullError | None]] = field(default_factory=list)
    hurried: list[bool] = field(default_factory=list)
    woken: int = 0
    ids: FakeIds = field(default_factory=FakeIds)
    _chat_ended: float = -math.inf

    # What the watch asks

    def monotonic_s(self) -> float:
        return self.loop.time()

    def now(self) -> datetime:
        return self.clock.now()

    def hurry(self, on: bool) -> None:
        self.hurried.append(on)

    def _signals(self) -> IdleSignals:
        idle_s = max(0.0, self.loop.time() - self.input_at)
        late_s = 0.0 if self.hurried and self.hurried[-1] else self.reads_late_s
        if idle_s < late_s:
            idle_s = self.idle_before_s + self.loop.time() - self.input_at
        green: dict[str, Any] = {
            "locked": False,
            "on_mains": True,
            "battery_share": 1.0,
            "low_power": False,
            "hot": False,
            "load_of_others": 0.0,
            "memory_free_share": 0.5,
            "memory_pressure": 0.0,
            "call": False,
        }
        return IdleSignals(
            now=self.clock.local(),
            monotonic_s=self.loop.time(),
            input_idle_s=idle_s if self.input_known else Unknown("nothing tells"),
            **{**green, **self.signals},
        )

    # What a test does

    def watch(self, **rule: Any) -> WatchIdle:
        room = self

        class Source:
            def signals(self) -> IdleSignals:
                if room.breaks is not None:
                    raise room.breaks
                return room._signals()

            def set_fast_polling(self, on: bool) -> None:
                room.hurry(on)

        windows = Windows(self.database)
        return WatchIdle(
            deciding=DecideIdle(
                Source(),
                chats=lambda: ChatCounts(self.chats, self.loop.time() - self._chat_ended),
                calendars=self,
                settings=lambda: self.rule,
                windows=windows,
            ),
            queue=lambda: list(self.work),
            windows=windows,
            clock=self,
            ids=self.ids,
            tell=lambda window: self.told.append((self.loop.time(), window.state)),
            problem=lambda text, error: self.problems.append((text, error)),
            rule=WatchRule(**rule),
        )

    def upcoming(self) -> list[CalendarEvent]:
        return self.events

    def calendars(self) -> tuple[Calendar, ...]:
        return ()

    def look_now(self) -> None:
        self.woken += 1

    def type(self) -> None:
        self.idle_before_s = self.loop.time() - self.input_at
        self.input_at = self.loop.time()

    async def chat(self, watch: WatchIdle, lasts_s: float) -> None:
        self.chats += 1
        watch.nudge()
        await asyncio.sleep(lasts_s)
        self.chats -= 1
        self._chat_ended = self.loop.time()
        watch.nudge()

    @property
    def past(self) -> list[PastLull]:
        self.database.flush()
        return Windows(self.database).lulls(since=START - timedelta(days=365))

    @property
    def windows(self) -> list[WindowRow]:
        self.database.flush()
        return Windows(self.database).between(
            START - timedelta(days=400), START + timedelta(days=400)
        )


Scene = Callable[[Room], Awaitable[None]]


class AwaitedDatabase(Database):
    """Counts the writes that are waited for, since virtual time may not pass meanwhile."""

    awaited = 0

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self.awaited += 1
        try:
            return await super().write(work)
        finally:
            self.awaited -= 1


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[[Scene], Room]]:
    databases = []

    def played(scene: Scene) -> Room:
        database = database_at(tmp_path / "lull.db", AwaitedDatabase)
        loop = VirtualLoop(busy=lambda: database.awaited > 0)
        clock = VirtualClock(loop, START, BERLIN)
        databases.append(database)
        room = Room(loop=loop, clock=clock, database=database)
        run(_scene(room, scene), loop)
        return room

    yield played
    for database in databases:
        database.close()


async def _scene(room: Room, scene: Scene) -> None:
    await scene(room)


class running:  # noqa: N801  reads as `async with running(watch)`
    def __init__(self, watch: WatchIdle) -> None:
        self._watch = watch

    async def __aenter__(self) -> asyncio.Task[None]:
        self._task = asyncio.create_task(self._watch.run())
        return self._task

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


# When it works


def test_before_the_first_look_no_model_is_asked(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        watch = room.watch()
        assert not watch.allows_a_question and not watch.short_of_memory

    play(scene)


def test_work_begins_when_nobody_was_here_for_ten_minutes(play: Callable[[Scene], Room]) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        room.type()
        async with running(room.watch()):
            await asyncio.sleep(590)
            assert room.work[0].runs == []
            await asyncio.sleep(30)
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
            assert not any(error for _, error in room.problems)

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
    assert "did not finish" in str(room.problems[0][1])


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
    assert ("Proving bad", room.work[0].fails) in room.problems


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


# Sleep, clocks, restarts


def test_a_machine_that_slept_for_nine_hours_waits_before_it_works(
    play: Callable[[Scene], Room],
) -> None:
    async def scene(room: Room) -> None:
        room.work = [FakeWork()]
        async with running(room.watch()):
            await asyncio.sleep(65)
            room.clock.put(9 * HOUR)
            await asyncio.sleep(9 * MINUTE)
            assert room.work[0].runs[-1][1] == pytest.approx(65, abs=0.2)
            await asyncio.sleep(2 * MINUTE)
            assert room.work[0].runs[-1][0] > 600

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
    assert "did not end" in str(room.problems[-1][1])


# The user's word


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
            problem=lambda _text, _error: None,
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


# What is written down


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
    assert window.why_opened.startswith("No sign of you for 10 min")
    assert window.why_closed == "You are here: last input less than 1 min ago."
    assert window.closed_by == "input"
    assert window.closed_at is not None
    lasted = (window.closed_at - window.opened_at).total_seconds()
    assert lasted == pytest.approx(300, abs=20)
    assert window.used_s == pytest.approx(lasted, rel=0.02)
    (done,) = window.done
    assert (done.kind, done.text) == ("proof", "Proving one")
    assert done.units in (9, 10)


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
