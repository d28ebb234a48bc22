"""Runs the real idle loop with the real policy and store on a simulated world, in virtual time.

Only the world, the clock and the work are simulated. Ticks at which neither a signal nor the clock
can have changed anything are passed over; `every_tick=True` takes them all, and a test compares.
"""

import asyncio
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bench.lulls.child_work import FixedWorks
from bench.lulls.signals import NoChats, NoProblems, SimulatedSource
from bench.lulls.spans import Spans, union, without
from bench.lulls.world import World
from bench.virtual_time import VirtualLoop
from bench.virtual_time import run as run_virtually
from lull.core.calendars.event import Calendar, CalendarEvent, remaining_events
from lull.core.calendars.feeds import READ_AHEAD
from lull.core.idle import hours
from lull.core.idle.policy import IdleWindow
from lull.core.idle.rule import IdleRule
from lull.core.idle.scheduling import WorkKind
from lull.core.idle.signals import IdleSignals
from lull.loops.idle.decide_idle import DecideIdle
from lull.loops.idle.lull_pace import LullPace
from lull.loops.idle.watch_idle import WatchIdle, WatchRule
from lull.store.idle.windows import WindowRow, Windows
from lull.store.sqlite.database import Database

STEP_S: Final = 0.5
"""Seconds per step of simulated work; a finished step is saved."""
SUSPENDS_S: Final = (0.005, 0.06)
"""Range of seconds that simulated work takes to suspend, uniformly distributed."""
RESTARTS_A_YEAR: Final = 12
_DAY: Final = timedelta(days=1)


@dataclass(kw_only=True)
class Played:
    """The outcome of one simulated year."""

    running: Spans
    windows: list[WindowRow]
    units: int
    lost_steps: int
    """Number of finished steps that had to be done again."""
    redone_s: float
    """Seconds of work lost in steps that were interrupted when their memory was taken back."""
    most_at_once: int
    states: list[tuple[float, str]]


class _Source:
    """Idle signals from the simulated machine; implements `IdleSource`."""

    def __init__(self, world: SimulatedSource, time: Callable[[], float]) -> None:
        self._world = world
        self._time = time

    def signals(self) -> IdleSignals:
        return self._world.at(self._time())

    def set_fast_polling(self, on: bool) -> None:
        pass

    def look_again(self, within_s: float) -> None:
        pass


class _Clock:
    def __init__(self, world: SimulatedSource, time: Callable[[], float]) -> None:
        self._world = world
        self._time = time

    def now(self) -> datetime:
        return self._world.world.local(self._time()).astimezone(UTC)

    def monotonic_s(self) -> float:
        return self._world.monotonic_s(self._time())


class _Ids:
    def __init__(self) -> None:
        self._count = 0

    def new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count:06d}"


class _Pace(LullPace):
    def __init__(
        self,
        world: SimulatedSource,
        time: Callable[[], float],
        drawn: random.Random,
        *,
        every_tick: bool,
    ) -> None:
        super().__init__()
        self._world = world
        self._time = time
        self._drawn = drawn
        self._every_tick = every_tick

    async def wait(self, tick_s: float, steady_s: Callable[[], float]) -> float:
        planned_s = await super().wait(tick_s, steady_s)
        wakes = self._world.asleep_until(self._time())
        if wakes is not None:
            await asyncio.sleep(wakes - self._time() + self._drawn.uniform(0.0, tick_s))
        return planned_s

    def planned_s(self, tick_s: float, steady_s: Callable[[], float]) -> float:
        if self._every_tick:
            return tick_s
        at = self._time()
        still_s = min(self._world.next_change(at) - at, steady_s())
        # The last look before a change is taken too: what it saw is remembered behind it.
        return max(1, math.ceil(still_s / tick_s - 1e-9) - 1) * tick_s


@dataclass
class _Log:
    running: Spans = field(default_factory=list)
    units: int = 0
    at_once: int = 0
    most_at_once: int = 0
    redone_s: float = 0.0


class SimulatedWork:
    """Endless simulated work in steps of half a second; implements `LullWork`."""

    def __init__(
        self,
        kind: WorkKind,
        *,
        needs_s: float,
        world: SimulatedSource,
        time: Callable[[], float],
        drawn: random.Random,
        log: _Log,
    ) -> None:
        self.kind = kind
        self.id = self.text = f"simulated {kind.value}"
        self.value = 1.0
        self.needs_s = needs_s
        self.left_s = 1e9
        self.progress = 0.0
        self.finished = self.kept = 0
        """Steps that came to their end, and those of them that are on disk."""
        self._world = world
        self._time = time
        self._drawn = drawn
        self._log = log
        self._since: float | None = None
        self._into_s = 0.0
        self._go = asyncio.Event()
        self._ended = asyncio.Event()

    async def run_slice(self, until_s: float) -> None:
        self._log.units += 1
        self._ended.clear()
        self._start()
        while not self._ended.is_set():
            left_s = until_s - self._world.monotonic_s(self._time())
            if self._since is None:
                await self._woken(self._go)
            elif left_s <= 1e-6:  # less than the clock can show
                self._stop()
                return
            else:
                await self._woken(self._ended, left_s)
                await self._sleep_with_the_machine()

    async def _woken(self, event: asyncio.Event, within_s: float | None = None) -> None:
        try:
            async with asyncio.timeout(within_s):
                await event.wait()
        except TimeoutError:
            pass

    async def _sleep_with_the_machine(self) -> None:
        wakes = self._world.asleep_until(self._time())
        if wakes is not None:
            await asyncio.sleep(wakes - self._time())

    async def suspend(self) -> None:
        await asyncio.sleep(self._drawn.uniform(*SUSPENDS_S))
        self._stop()
        self._go.clear()

    async def resume(self) -> None:
        self._start()
        self._go.set()

    async def give_back_memory(self) -> None:
        if self._since is not None:
            await asyncio.sleep(self._drawn.uniform(*SUSPENDS_S))
            self._stop()
        self._log.redone_s += self._into_s
        self._into_s = 0.0
        self._ended.set()
        self._go.set()

    def _start(self) -> None:
        if self._since is None:
            self._since = self._time()
            self._log.at_once += 1
            self._log.most_at_once = max(self._log.most_at_once, self._log.at_once)

    def _stop(self) -> None:
        if self._since is None:
            return
        now = self._time()
        self._log.running.append((self._since, now))
        self._log.at_once -= 1
        self._into_s += self._world.monotonic_s(now) - self._world.monotonic_s(self._since)
        steps, self._into_s = divmod(self._into_s + 1e-6, STEP_S)
        self.finished += int(steps)
        self.kept = self.finished
        self._since = None


def rule_of(world: World) -> IdleRule:
    """Return the idle settings of the world's person: the defaults and what the person set."""
    return IdleRule(
        sleep_hours=tuple(map(hours.parse_hours, world.person.sleep_hours)),
        exclusive_apps=("Game",),
    )


def play(world: World, folder: Path, *, seed: int, every_tick: bool = False) -> Played:
    """Play one year through the real idle loop. `folder` holds the database."""
    loop = VirtualLoop(threads=False)
    asyncio.set_event_loop(loop)
    database = Database(folder / "lull.db")
    try:
        return run_virtually(_played(world, loop, database, seed, every_tick), loop)
    finally:
        database.close()
        asyncio.set_event_loop(None)


async def _played(
    world: World, loop: VirtualLoop, database: Database, seed: int, every_tick: bool
) -> Played:
    drawn = random.Random(f"play {seed}")
    source, time, log = SimulatedSource(world), loop.time, _Log()
    work = _work(source, time, drawn, log)
    windows, states, ids = Windows(database), list[tuple[float, str]](), _Ids()

    def tell(window: IdleWindow) -> None:
        states.append((time(), window.state.value))

    near, rule = _NearEvents(world, time), rule_of(world)
    for until in [*_restarts(world, drawn), world.length_s]:
        pace = _Pace(source, time, drawn, every_tick=every_tick)
        watch = WatchIdle(
            deciding=DecideIdle(
                _Source(source, time),
                chats=NoChats(),
                calendars=near,
                settings=lambda: rule,
                windows=windows,
            ),
            queue=FixedWorks(*work),
            windows=windows,
            clock=_Clock(source, time),
            ids=ids,
            tell=tell,
            problems=NoProblems(),
            pace=pace,
            # Two things that cost time and change nothing here: work has no end and little needs.
            rule=WatchRule(journal_every_s=3600.0, guess_s=3600.0),
        )
        await _watched(watch, pace, world, loop, until)
        database.flush()
    return Played(
        running=without(union(log.running), world.asleep, until=world.length_s),
        windows=windows.between(world.local(0), world.local(world.length_s)),
        units=log.units,
        lost_steps=sum(one.finished - one.kept for one in work),
        redone_s=log.redone_s,
        most_at_once=log.most_at_once,
        states=states,
    )


def _work(
    world: SimulatedSource, time: Callable[[], float], drawn: random.Random, log: _Log
) -> list[SimulatedWork]:
    needs = ((WorkKind.STEP, 60.0), (WorkKind.ROLLOUT, 20.0), (WorkKind.PROOF, 5.0))
    return [
        SimulatedWork(kind, needs_s=needs_s, world=world, time=time, drawn=drawn, log=log)
        for kind, needs_s in needs
    ]


def _restarts(world: World, drawn: random.Random) -> list[float]:
    """Draw the times at which Lull is stopped and started again."""
    count = round(RESTARTS_A_YEAR * world.length_s / (365 * 86400))
    return sorted(drawn.uniform(0, world.length_s) for _ in range(count))


async def _watched(
    watch: WatchIdle, pace: LullPace, world: World, loop: VirtualLoop, until: float
) -> None:
    """Run Lull's idle loop until a time, waking it when a chat begins."""
    chats = [
        loop.call_at(start + 1e-3, pace.nudge)
        for start, _ in world.chats
        if loop.time() <= start < until
    ]
    running = asyncio.create_task(watch.run())
    await asyncio.wait({running}, timeout=until - loop.time())
    if running.done():
        running.result()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    for chat in chats:
        chat.cancel()


class _NearEvents:
    """The simulated calendar: answers with the events of the next nine days that are not over."""

    def __init__(self, world: World, time: Callable[[], float]) -> None:
        self._world = world
        self._time = time
        self._day = -1
        self._near: tuple[CalendarEvent, ...] = ()
        # In UTC, as a reader of feeds gives them.
        self._all = [
            replace(e, start=e.start.astimezone(UTC), end=e.end.astimezone(UTC))
            for e in world.events
        ]

    def calendars(self) -> tuple[Calendar, ...]:
        return ()

    def look_now(self) -> None:
        """Nothing is read here: the events are known beforehand."""

    def upcoming(self) -> Sequence[CalendarEvent]:
        day = int(self._time() // 86400)
        if day != self._day:
            self._day = day
            now = self._world.local(day * 86400.0).astimezone(UTC)
            self._near = remaining_events(
                (e for e in self._all if e.start < now + READ_AHEAD + _DAY), now
            )
        return self._near
