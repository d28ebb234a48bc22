"""Real kills and suspensions of real training runs on the built-in model."""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.lulls.suspension import quantile
from bench.trainer.batches import batch, run_folder, spec
from lull.backends.mlx.paused_child import PausedChild
from lull.backends.mlx.trainer_process import trainer_command
from lull.core.training.run_format import ADAPTER, CHECKPOINTS, EVENTS, WEIGHTS
from lull.core.training.spec import RunKind
from lull.resources import pocket_dir

Row = dict[str, Any]
_STEPS = 6
_APP = Path(sys.modules["lull"].__path__[0]).parent


def killed(place: Path, kills: int, seed: int) -> Row:
    """Kill training runs of every kind with SIGKILL `kills` times, a quarter of them during
    start-up, resume each, and compare its adapter byte for byte with an undisturbed run's.
    """
    chance, found, runs, same, after_checkpoint = random.Random(seed), 0, 0, 0, 0
    wanted, starts_s, steps_s = {}, {}, {}
    for kind in RunKind:
        folder = _folder(place / f"undisturbed-{kind.value}", kind)
        starts_s[kind], steps_s[kind] = _timed(folder)
        wanted[kind] = (folder / ADAPTER / WEIGHTS).read_bytes()
    while found < kills:
        kind = tuple(RunKind)[runs % len(RunKind)]
        folder = _folder(place / f"killed-{runs}", kind)
        while found < kills and not (folder / ADAPTER).exists():
            starting = chance.random() < 0.25
            after_s = chance.uniform(0.0, (starts_s if starting else steps_s)[kind])
            if _kill_within(folder, after_s, begun=not starting):
                found += 1
                after_checkpoint += any((folder / CHECKPOINTS).glob("step-*"))
        same += _finished(folder) == wanted[kind]
        runs += 1
        shutil.rmtree(folder)
    return {
        "work": "kill −9 and resume",
        "kills": found,
        "kills_after_a_checkpoint": after_checkpoint,
        "runs": runs,
        "bytes_equal": same,
    }


def _folder(folder: Path, kind: RunKind) -> Path:
    asked = spec(kind, pocket_dir(), steps=_STEPS, seed=1)
    return run_folder(folder, asked, batch(kind, 1)[:8])


def _finished(folder: Path) -> bytes:
    subprocess.run(
        [*trainer_command(), str(folder)], cwd=_APP, stdout=subprocess.DEVNULL, check=True
    )
    return (folder / ADAPTER / WEIGHTS).read_bytes()


def _timed(folder: Path) -> tuple[float, float]:
    """Train a run to its end; return the seconds until its first step and from there to the end."""
    began_s = time.monotonic()
    with _begun(folder) as process:
        assert process.stdout is not None
        process.stdout.readline()
        steps_s = time.monotonic()
        process.stdout.read()
    return steps_s - began_s, time.monotonic() - steps_s


def _begun(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*trainer_command(), str(folder)], cwd=_APP, stdout=subprocess.PIPE)


def _kill_within(folder: Path, after_s: float, *, begun: bool) -> bool:
    """Kill the run after `after_s` seconds, with `begun` counted from its first step; return
    whether it was still running.
    """
    with _begun(folder) as process:
        assert process.stdout is not None
        if begun:
            process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(after_s)
        running = process.poll() is None
        process.send_signal(signal.SIGKILL)
    return running


def suspended(place: Path, trials: int, seed: int) -> list[Row]:
    """Measure how long a training process takes to stop after the signal, and to give back its
    memory when told to.
    """
    return asyncio.run(_suspended(place, trials, random.Random(seed)))


async def _suspended(place: Path, trials: int, chance: random.Random) -> list[Row]:
    kind = RunKind.GRPO
    folder = run_folder(
        place / "suspended", spec(kind, pocket_dir(), steps=100_000, seed=1), batch(kind, 1)
    )
    child = PausedChild.start([*trainer_command(), str(folder)], cwd=_APP)
    try:
        await _until(lambda: _steps(folder) > 0)
        stops = [await _stop(child, chance) for _ in range(trials)]
    finally:
        began_s = time.monotonic()
        await asyncio.to_thread(child.kill)
        gone_s = time.monotonic() - began_s
    ranked = sorted(stops)
    return [
        {
            "work": "signal to suspended, in training",
            "trials": trials,
            "p50_s": quantile(ranked, 0.5),
            "p99_s": quantile(ranked, 0.99),
            "longest_s": round(ranked[-1], 4),
        },
        {"work": "suspended to its memory given back", "trials": 1, "took_s": round(gone_s, 4)},
    ]


async def _stop(child: PausedChild, chance: random.Random) -> float:
    await asyncio.sleep(chance.uniform(0.02, 0.12))
    began_s = time.monotonic()
    child.suspend()
    await _until(lambda: child.suspended)
    took_s = time.monotonic() - began_s
    child.resume()
    return took_s


async def _until(holds: Any) -> None:
    async with asyncio.timeout(120):
        while not holds():  # noqa: ASYNC110 - another process tells
            await asyncio.sleep(0.0005)


def _steps(folder: Path) -> int:
    file = folder / EVENTS
    return file.read_text().count('"step"') if file.exists() else 0
