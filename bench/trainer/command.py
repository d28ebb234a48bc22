"""`python -m bench trainer [--quick] [--seed N] [--out DIR] [--strict]`: measures the trainer.

Steps of every kind are made by turns, each in a process of its own, and held against the step of
mlx-lm's own trainer in the same round. mlx-lm-lora's GRPO is measured where it is installed, and
said to be missing where not.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.report import RESULTS, ROOT, Goal, print_goals, report, write
from bench.trainer.batches import batch, run_folder, spec
from bench.trainer.beside_lora import apart, installed
from bench.trainer.interrupted import killed, suspended
from bench.trainer.models import NAMES, folder_of
from bench.trainer.swap import sampling, swapped
from bench.trainer.works import LORA, WORKS, stepped
from lull.backends.mlx.trainer_process import trainer_command
from lull.core.training.examples import Group
from lull.core.training.run_format import ADAPTER
from lull.core.training.spec import Lora, RunKind
from lull.resources import pocket_dir
from lull.trainer.policy import load

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
        packages=["mlx", "mlx-lm", "numpy", *(["mlx-lm-lora"] if installed() else [])],
        simulated=False,
    )
    missed = print_goals(document)
    print(f"written to {write(document, options.out)}")
    return 1 if missed and options.strict else 0


def measure(*, quick: bool, seed: int) -> Iterator[Row]:
    """Yield the rows of the table as they are measured."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        works = (*WORKS, LORA) if installed() else WORKS
        for model in NAMES[: 2 if quick else None]:
            folder = folder_of(model, place)
            for row in stepped(folder, 3 if quick else _STEPS[model], seed, works):
                yield {"model": model, **row}
            yield {"model": model, **sampling(folder, 8 if quick else 32, seed)}
        yield _beside_lora(seed)
        pocket = {"model": "pocket"}
        yield {**pocket, **killed(place, 6 if quick else 100, seed)}
        for row in suspended(place, 30 if quick else 200, seed):
            yield {**pocket, **row}
        for row in _swaps(place, 5 if quick else 50):
            yield {**pocket, **row}


def _beside_lora(seed: int) -> Row:
    """Measure the difference between our gradient and mlx-lm-lora's on equal terms."""
    work = {"model": "pocket", "work": "grpo gradient beside mlx-lm-lora's"}
    if not installed():
        return {**work, "missing": "mlx-lm-lora is not installed here"}
    policy = load(pocket_dir(), parent=None, lora=Lora(rank=8), seed=seed, checkpoint_layers=False)
    groups = [one for one in batch(RunKind.GRPO, seed) if isinstance(one, Group)]
    return {**work, "largest_difference": apart(policy, pocket_dir(), groups)}


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
