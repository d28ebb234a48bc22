"""A room with somebody in it, a machine and work, on a scripted day in virtual time."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from bench.virtual_time import VirtualClock, VirtualLoop
from lull.core.calendars.event import Calendar, CalendarEvent
from lull.core.errors import LullError
from lull.core.idle.forecast import PastLull
from lull.core.idle.policy import WindowState
from lull.core.idle.rule import IdleRule
from lull.core.idle.scheduling import LullWork, WorkKind
from lull.core.idle.signals import IdleSignals, Unknown
from lull.loops.idle.decide_idle import ChatCounts, DecideIdle
from lull.loops.idle.watch_idle import WatchIdle, WatchRule
from lull.store.idle.windows import WindowRow, Windows
from lull.store.sqlite.database import Database
from tests.doubles.fakes import FakeIds, ToldProblems

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
    told_problems: ToldProblems = field(default_factory=ToldProblems)
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

            def look_again(self, within_s: float) -> None:
                pass

        windows = Windows(self.database)
        return WatchIdle(
            deciding=DecideIdle(
                Source(),
                chats=self,
                calendars=self,
                settings=lambda: self.rule,
                windows=windows,
            ),
            queue=self,
            windows=windows,
            clock=self,
            ids=self.ids,
            tell=lambda window: self.told.append((self.loop.time(), window.state)),
            problems=self.told_problems,
            rule=WatchRule(**rule),
        )

    def chat_counts(self) -> ChatCounts:
        return ChatCounts(self.chats, self.loop.time() - self._chat_ended)

    def works(self) -> list[LullWork]:
        """Implements OffersWork."""
        return list(self.work)

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


async def as_scene(room: Room, scene: Scene) -> None:
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
