"""How long work goes on after somebody touches the mouse: real input, real poller, real child.

`measure(trials)`, or `python -m bench.lulls.suspension [--quick] [--seed N] [--out DIR]`. xdotool
moves the mouse of a virtual X11 screen while a child computes and writes down the time, again and
again, into memory that is shared with us. Its last time, less the time of the input as the X
server knows it, is how long it disturbed. Poller and child's controls are the product's; looks are
taken as `loops/watch_idle.py` takes them, ten times a second, once without and once with being
woken by the poller.
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
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from typing import Any, Final

import psutil

from bench.report import RESULTS, Goal, print_goals, report, write
from bench.screen import Screen, missing
from lull.backends.clock import SystemClock
from lull.backends.idle_sources import sources_of
from lull.backends.idle_x11 import X11Idle
from lull.backends.paused_child import PausedChild
from lull.backends.signals import SystemSignals
from lull.core.idle_signals import Known
from lull.loops.lull_pace import Pace

LIMIT_S: Final = 0.25
WORKING_TICK_S: Final = 0.1
_PATIENCE_S: Final = 30.0
_COMPUTES: Final = """
import mmap, struct, sys, time
with open(sys.argv[1], "r+b") as file:
    shared = mmap.mmap(file.fileno(), 8)
    while True:
        sum(i * i for i in range(500))
        shared[:] = struct.pack("d", time.monotonic())
"""
Row = dict[str, Any]


def measure(trials: int = 200, *, seed: int = 1) -> dict[str, Any]:
    """Rows of seconds from input to the end of computing, and the goal about their p99.

    Takes about 0.6 s a trial, twice. Raises RuntimeError where Xvfb or xdotool is missing.
    """
    if absent := missing():
        raise RuntimeError(f"no {' and no '.join(absent)} on this machine")
    rows = []
    for woken in (False, True):
        load = psutil.getloadavg()[0]
        times_s = asyncio.run(_trials(trials, random.Random(seed), woken=woken))
        rows.append(_row(times_s, woken=woken, load=load))
    goals = [
        Goal(
            goal=f"p99 from input to suspended, s; {row['looks']}",
            value=row["p99_s"],
            limit=LIMIT_S,
        )
        for row in rows
    ]
    return report(
        "suspension", rows=rows, goals=goals, seeds=[seed], packages=["psutil"], simulated=False
    )


def _row(times_s: Sequence[float], *, woken: bool, load: float) -> Row:
    ranked = sorted(times_s)
    return {
        "looks": "every 100 ms, and when the poller sees input" if woken else "every 100 ms",
        "trials": len(ranked),
        "p50_s": quantile(ranked, 0.5),
        "p99_s": quantile(ranked, 0.99),
        "longest_s": round(ranked[-1], 4),
        "over_limit": sum(one > LIMIT_S for one in ranked),
        "load_before": round(load, 1),
    }


def quantile(ranked: Sequence[float], share: float) -> float:
    """The smallest of them that at least this share does not exceed."""
    return round(ranked[max(0, math.ceil(share * len(ranked)) - 1)], 4)


async def _trials(trials: int, chance: random.Random, *, woken: bool) -> list[float]:
    with Screen() as screen, tempfile.NamedTemporaryFile() as file:
        file.write(bytes(8))
        file.flush()
        child = PausedChild.start([sys.executable, "-c", _COMPUTES, file.name])
        ruler = X11Idle(screen.display)
        try:
            with mmap.mmap(file.fileno(), 8) as beat:
                async with _watched(screen, child, woken=woken):
                    await _until(lambda: _read(beat) > 0.0)
                    return [await _trial(screen, child, ruler, beat, chance) for _ in range(trials)]
        finally:
            child.kill()
            ruler.close()


async def _trial(
    screen: Screen, child: PausedChild, ruler: X11Idle, beat: mmap.mmap, chance: random.Random
) -> float:
    child.resume()
    began_s = time.monotonic()
    await _until(lambda: _read(beat) > began_s)
    # Any moment between two looks is as likely.
    await asyncio.sleep(chance.uniform(0.3, 0.5))
    assert not child.suspended, "nobody touched anything"
    await asyncio.to_thread(screen.move_mouse, chance.randrange(600), chance.randrange(400))
    await _until(lambda: child.suspended)
    idle = ruler.read()
    input_s = time.monotonic() - idle.value if isinstance(idle, Known) else float("nan")
    return _read(beat) - input_s


def _read(beat: mmap.mmap) -> float:
    return float(struct.unpack("d", beat[:])[0])


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - another process tells by shared memory
            await asyncio.sleep(0.002)


@asynccontextmanager
async def _watched(screen: Screen, child: PausedChild, *, woken: bool) -> AsyncIterator[None]:
    """A watch that suspends the child when there was input."""
    pace, loop = Pace(), asyncio.get_running_loop()

    def returned() -> None:
        loop.call_soon_threadsafe(pace.nudge)

    signals = SystemSignals(
        sources_of("linux", {**screen.environ, "XDG_SESSION_TYPE": "x11"}, apps=lambda: ()),
        clock=SystemClock(),
        zone=lambda: UTC,
        returned=returned if woken else None,
    )
    signals.start()
    signals.hurry(True)
    watch = asyncio.create_task(_watch(signals, child, pace))
    try:
        yield
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        signals.close()


async def _watch(signals: SystemSignals, child: PausedChild, pace: Pace) -> None:
    last_s = 0.0
    while True:
        idle_s = signals.signals().input_idle_s
        if isinstance(idle_s, float):
            if idle_s < last_s:
                child.suspend()
            last_s = idle_s
        await pace.rest(WORKING_TICK_S, lambda: 0.0)


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
