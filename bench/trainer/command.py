"""`python -m bench trainer [--quick] [--seed N] [--out DIR] [--strict]`: the table of the trainer.

Speed is measured in a process for each model; every figure stands beside mlx-lm's own trainer on
the same rows in the same run. mlx-lm-lora's GRPO is measured where it is installed, and said to be
missing where not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.report import RESULTS, ROOT, Goal, print_goals, report, write
from bench.trainer.batches import batch, run_folder, spec
from bench.trainer.interrupted import killed, suspended
from bench.trainer.models import NAMES, folder_of
from bench.trainer.swap import sampling, swapped
from lull.backends.trainer_process import trainer_command
from lull.core.run_format import ADAPTER
from lull.core.training_run import RunKind
from lull.resources import pocket_dir

Row = dict[str, Any]
_SUSPEND_LIMIT_S = 0.25
_STEPS = {"pocket": 10, "random 5 M": 5, "random 20 M": 3}


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench trainer", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer steps, kills and models")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--strict", action="store_true", help="exit 1 when a goal is missed")
    options = parser.parse_args(argv)
    rows = []
    for row in measure(quick=options.quick, seed=options.seed):
        print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)
        rows.append(row)
    document = report(
        "trainer",
        rows=rows,
        goals=_goals(rows),
        seeds=[options.seed],
        packages=["mlx", "mlx-lm", "numpy"],
        simulated=False,
    )
    missed = print_goals(document)
    print(f"written to {write(document, options.out)}")
    return 1 if missed and options.strict else 0


def measure(*, quick: bool, seed: int) -> Iterator[Row]:
    """Rows of the table, as they come."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for model in NAMES[: 2 if quick else None]:
            folder = folder_of(model, place)
            for row in _steps(folder, 3 if quick else _STEPS[model], seed):
                yield {"model": model, **row}
            yield {"model": model, **sampling(folder, 8 if quick else 32, seed)}
        if find_spec("mlx_lm_lora") is None:
            yield {"work": "mlx-lm-lora's GRPO", "missing": "mlx-lm-lora is not installed here"}
        pocket = {"model": "pocket"}
        yield {**pocket, **killed(place, 6 if quick else 100, seed)}
        for row in suspended(place, 30 if quick else 200, seed):
            yield {**pocket, **row}
        for row in _swaps(place, 5 if quick else 50):
            yield {**pocket, **row}


def _steps(folder: Path, steps: int, seed: int) -> Iterator[Row]:
    command = [sys.executable, "-m", "bench.trainer.steps", str(folder), str(steps), str(seed)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    peer = next(row for row in rows if "mlx-lm" in row["work"])
    for row in rows:
        yield {**row, "of_mlx_lm": round(row["tokens_s"] / peer["tokens_s"], 2)}


def _swaps(place: Path, times: int) -> list[Row]:
    adapters = []
    for kind in (RunKind.GRPO, RunKind.KTO):
        asked = spec(kind, pocket_dir(), steps=3, seed=2)
        folder = run_folder(place / f"swap-{kind.value}", asked, batch(kind, 2)[:8])
        subprocess.run(
            [*trainer_command(), str(folder)], stdout=subprocess.DEVNULL, cwd=ROOT, check=True
        )
        adapters.append(folder / ADAPTER)
    return swapped(pocket_dir(), adapters[0], adapters[1], times)


def _goals(rows: Sequence[Row]) -> list[Goal]:
    by_work = {row["work"]: row for row in rows if row.get("model") == "pocket"}
    kills = by_work["kill −9 and resume"]
    stop = by_work["signal to suspended, in training"]
    back = by_work["way back, with its first answer"]
    return [
        Goal(
            goal="killed runs whose adapter is another",
            value=kills["runs"] - kills["bytes_equal"],
            limit=0,
        ),
        Goal(goal="p99 s from signal to suspended", value=stop["p99_s"], limit=_SUSPEND_LIMIT_S),
        Goal(
            goal="log-probability difference after the way back",
            value=back["logprob_difference"],
            limit=0,
        ),
    ]
