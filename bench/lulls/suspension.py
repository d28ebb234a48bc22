"""Measures how long work continues after real mouse input, with the real poller and a real child
process.

`measure(trials)`, or `python -m bench.lulls.suspension [--quick] [--seed N] [--out DIR]`. xdotool
moves the mouse of a virtual X11 screen while a child computes and writes down the time, again and
again, into memory that is shared with us. Its last time, less the time of the input as the X server
knows it, is how long it disturbed. Poller and child's controls are the product's. Three watches are
tried: bare ones that look as `loops/idle/watch_idle.py` does, ten times a second, without and with
being woken by the poller; and, a tenth as often since each lull has to be waited for, that loop
itself.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import mmap
import random
import struct
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, Final

import psutil

from bench.lulls.child_work import ChildWork, FixedWorks
from bench.lulls.signals import NoChats, NoProblems
from bench.report import RESULTS, Goal, print_goals, report, write
from bench.screen import Screen, missing
from lull.backends.idle.polled import PollPace
from lull.backends.idle.signals import Paces, SystemSignals
from lull.backends.idle.sources import sources_of
from lull.backends.idle.x11 import X11Idle
from lull.backends.mlx.paused_child import PausedChild
from lull.backends.system.clock import SystemClock, TimeSortedIds
from lull.core.calendars.event import Calendar, CalendarEvent
from lull.core.idle.rule import LEAST_WAIT_S, IdleRule
from lull.core.idle.signals import Known
from lull.loops.idle.decide_idle import DecideIdle
from lull.loops.idle.lull_pace import LullPace
from lull.loops.idle.watch_idle import WatchIdle, WatchRule
from lull.store.idle.windows import Windows
from lull.store.sqlite.database import Database

LIMIT_S: Final = 0.25
WORKING_TICK_S: Final = 0.1
_OFTEN_S: Final = 0.5
_PATIENCE_S: Final = 60.0
_COMPUTES: Final = """
import mmap, struct, sys, time
with open(sys.argv[1], "r+b") as file:
    shared = mmap.mmap(file.fileno(), 8)
    while True:
        sum(i * i for i in range(500))
        shared[:] = struct.pack("d", time.monotonic())
"""
ANY_TIME: Final = IdleRule(
    after_s=LEAST_WAIT_S,
    answer_after_s=LEAST_WAIT_S,
    load_share=1.0,
    memory_share=0.0,
    memory_pressure=1.0,
    battery_ok=True,
    battery_share=0.0,
    low_power_ok=True,
    settle_s=0.0,
)
"""Idle settings with which only user input closes the window, whatever the machine's state."""
Row = dict[str, Any]


def measure(trials: int = 200, *, seed: int = 1) -> dict[str, Any]:
    """Measure the seconds from input until computing stops; return the rows and the goals for their
    99th percentile.

    Takes about 1.5 s a trial. Raises RuntimeError where Xvfb or xdotool is missing.
    """
    if absent := missing():
        raise RuntimeError(f"no {' and no '.join(absent)} on this machine")
    rows = []
    for name, watched, n in (
        ("looks every 100 ms", _bare, trials),
        ("looks every 100 ms and when the poller sees input", _woken, trials),
        ("the watch over lulls itself", whole_watch, max(1, trials // 10)),
    ):
        load = psutil.getloadavg()[0]
        rows.append(_row(name, asyncio.run(_trials(n, random.Random(seed), watched)), load))
    goals = [
        Goal(goal=f"p99 s from input to suspended, {r['watch']}", value=r["p99_s"], limit=LIMIT_S)
        for r in rows
    ]
    return report(
        "suspension", rows=rows, goals=goals, seeds=[seed], packages=["psutil"], simulated=False
    )


def _row(name: str, times_s: Sequence[float], load: float) -> Row:
    ranked = sorted(times_s)
    return {
        "watch": name,
        "trials": len(ranked),
        "p50_s": quantile(ranked, 0.5),
        "p99_s": quantile(ranked, 0.99),
        "longest_s": round(ranked[-1], 4),
        "over_limit": sum(one > LIMIT_S for one in ranked),
        "load_before": round(load, 1),
    }


def quantile(ranked: Sequence[float], share: float) -> float:
    """Return the smallest of the sorted values that is at least as large as `share` of them."""
    return round(ranked[max(0, math.ceil(share * len(ranked)) - 1)], 4)


# Trials


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """The test setup: a virtual screen and a child process that computes."""

    screen: Screen
    child: PausedChild
    beat: mmap.mmap
    ruler: X11Idle

    def computed_at_s(self) -> float:
        """Return when the child last computed, on the monotonic clock; 0 before the first time."""
        return float(struct.unpack("d", self.beat[:])[0])

    def input_at_s(self) -> float:
        """Return when the X server last saw input, on the monotonic clock, never later than it was;
        NaN if unknown.
        """
        now_s = time.monotonic()
        idle = self.ruler.read()
        return now_s - idle.value - 0.001 if isinstance(idle, Known) else math.nan


Watched = Callable[[Rig], AbstractAsyncContextManager[Callable[[], None]]]
"""A context manager that watches the rig's child; it yields a function that lets the child
continue.
"""


def rig(stack: ExitStack) -> Rig:
    """Start the screen and the child process; both end when `stack` is closed."""
    screen = stack.enter_context(Screen())
    file = stack.enter_context(tempfile.NamedTemporaryFile())  # noqa: SIM115 - the stack is one
    file.write(bytes(8))
    file.flush()
    beat = stack.enter_context(mmap.mmap(file.fileno(), 8))
    ruler = X11Idle(screen.display)
    stack.callback(ruler.close)
    child = PausedChild.start([sys.executable, "-c", _COMPUTES, file.name])
    stack.callback(child.kill)
    return Rig(screen=screen, child=child, beat=beat, ruler=ruler)


async def _trials(trials: int, chance: random.Random, watched: Watched) -> list[float]:
    with ExitStack() as stack:
        made = rig(stack)
        await until(lambda: made.computed_at_s() > 0.0)
        async with watched(made) as go_on:
            return [await _trial(made, go_on, chance) for _ in range(trials)]


async def _trial(rig: Rig, go_on: Callable[[], None], chance: random.Random) -> float:
    go_on()
    began_s = time.monotonic()
    await until(lambda: rig.computed_at_s() > began_s)
    # Any moment between two looks is as likely.
    await asyncio.sleep(chance.uniform(0.3, 0.5))
    if rig.child.suspended:
        raise RuntimeError("the child was suspended, and nobody had touched anything")
    await asyncio.to_thread(rig.screen.move_mouse, chance.randrange(600), chance.randrange(400))
    await until(lambda: rig.child.suspended)
    return rig.computed_at_s() - rig.input_at_s()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until the condition `holds` returns True. Raises TimeoutError after a minute."""
    async with asyncio.timeout(_PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - another process tells by shared memory
            await asyncio.sleep(0.002)


# Watches


def _signals(rig: Rig, returned: Callable[[], None] | None) -> SystemSignals:
    loop = asyncio.get_running_loop()
    environ = {**rig.screen.environ, "XDG_SESSION_TYPE": "x11"}
    signals = SystemSignals(
        sources_of("linux", environ, apps=lambda: ()),
        clock=SystemClock(),
        zone=lambda: UTC,
        returned=None if returned is None else lambda: loop.call_soon_threadsafe(returned),
        # In calm times more often than the product, for which a lull is ten minutes and not five
        # seconds; how often it asks while work runs is the product's.
        paces=Paces(calm=PollPace(every_s=_OFTEN_S, within_s=5.0)),
    )
    signals.start()
    return signals


@asynccontextmanager
async def _bare(rig: Rig, *, woken: bool = False) -> AsyncIterator[Callable[[], None]]:
    pace = LullPace()
    signals = _signals(rig, pace.nudge if woken else None)
    signals.set_fast_polling(True)
    watch = asyncio.create_task(_look(signals, rig.child, pace))
    try:
        yield rig.child.resume
    finally:
        signals.close()
        await _ended(watch)


def _woken(rig: Rig) -> AbstractAsyncContextManager[Callable[[], None]]:
    return _bare(rig, woken=True)


async def _look(signals: SystemSignals, child: PausedChild, pace: LullPace) -> None:
    last_s = 0.0
    while True:
        idle_s = signals.signals().input_idle_s
        if isinstance(idle_s, float):
            if idle_s < last_s:
                child.suspend()
            last_s = idle_s
        await pace.wait(WORKING_TICK_S, lambda: 0.0)


class _NoCalendars:
    """Implements KnownCalendars."""

    def upcoming(self) -> tuple[CalendarEvent, ...]:
        return ()

    def calendars(self) -> tuple[Calendar, ...]:
        return ()

    def look_now(self) -> None:
        pass


@asynccontextmanager
async def whole_watch(rig: Rig) -> AsyncIterator[Callable[[], None]]:
    """Run the product's whole idle loop on the rig, with a wait of five seconds."""
    clock, work, pace = SystemClock(), ChildWork(rig.child), LullPace()
    signals = _signals(rig, pace.nudge)
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "lull.db")
        windows = Windows(database)
        watch = WatchIdle(
            deciding=DecideIdle(
                signals,
                chats=NoChats(),
                calendars=_NoCalendars(),
                settings=lambda: ANY_TIME,
                windows=windows,
            ),
            queue=FixedWorks(work),
            windows=windows,
            clock=clock,
            ids=TimeSortedIds(),
            tell=lambda _window: None,
            problems=NoProblems(),
            pace=pace,
            rule=WatchRule(tick_s=_OFTEN_S),
        )
        task = asyncio.create_task(watch.run())
        try:
            yield lambda: None
        finally:
            signals.close()
            await _ended(task)
            database.close()


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.lulls.suspension")
    parser.add_argument("--quick", action="store_true", help="30 trials instead of 200")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="exit 1 when a goal is missed")
    options = parser.parse_args(argv)
    document = measure(30 if options.quick else 200, seed=options.seed)
    for row in document["rows"]:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    missed = print_goals(document)
    print(f"written to {write(document, options.out)}")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
