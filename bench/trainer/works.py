"""Measures all kinds of training steps in turn, so that other load slows all alike, and compares
each with the peer's step of the same round.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench.report import ROOT
from lull.core.training.spec import RunKind

Row = dict[str, Any]
SFT: Final = "sft step"
PEER: Final = "sft step, mlx-lm's trainer"
LORA: Final = "grpo step, mlx-lm-lora's"
"""Step of mlx-lm-lora's GRPO, measured only if that package is installed."""
WORKS: Final = (*(f"{kind.value} step" for kind in RunKind), SFT, PEER)
WARM: Final = 2
"""Warm-up steps that are not counted, in which kernels are compiled and buffers allocated."""


def stepped(model: Path, steps: int, seed: int, works: Sequence[str]) -> Iterator[Row]:
    """Yield one row for each kind of step."""
    told = _told(model, steps, seed, works)
    paces = {work: [one["tokens"] / one["took_s"] for one in told[work]] for work in works}
    for work in works:
        shares = [ours / theirs for ours, theirs in zip(paces[work], paces[PEER], strict=True)]
        yield {
            "work": work,
            "tokens_s": round(statistics.median(paces[work])),
            "step_s": round(statistics.median(one["took_s"] for one in told[work]), 4),
            "peak_mb": round(max(one["peak_mb"] for one in told[work]), 1),
            "steps": steps,
            "of_mlx_lm": round(statistics.median(shares), 2),
            "of_mlx_lm_low": round(min(shares), 2),
            "of_mlx_lm_high": round(max(shares), 2),
        }


def _told(model: Path, steps: int, seed: int, works: Sequence[str]) -> dict[str, list[Row]]:
    """Return what each kind of step reported for its counted steps."""
    told: dict[str, list[Row]] = {work: [] for work in works}
    with ExitStack() as stack:
        started = {}
        for work in works:
            started[work] = stack.enter_context(_started(model, work, steps, seed))
            _line(started[work])  # it is ready, and stands still
        for number in range(WARM + steps):
            for work, process in started.items():
                assert process.stdin is not None
                process.stdin.write("\n")
                process.stdin.flush()
                said = _line(process)
                if number >= WARM:
                    told[work].append(said)
    return told


def _started(model: Path, work: str, steps: int, seed: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bench.trainer.steps", str(model), work, str(steps), str(seed)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _line(process: subprocess.Popen[str]) -> Row:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("a measured process ended before its time; its error stands above")
    said: Row = json.loads(line)
    return said
