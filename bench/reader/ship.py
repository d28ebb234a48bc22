"""Calibrates a trained reader and writes the files that ship: `python -m bench.reader.ship --base
FOLDER --work DIR`.

Needs PyTorch. What the shipped weights say of the people who calibrate, whose sentences teach
nothing, is turned into probabilities: a line of log-odds for each label (Platt 1999), with targets
drawn in a little as he does, so that few items cannot make it too sure; and one temperature for the
classes of check (arXiv 1706.04599).
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.json_object import Json
from bench.reader.items import CALIBRATION, LABELS, Item, people
from bench.reader.training.plan import plan_of
from lull.backends.reader.files import FACTS, VERSION, WEIGHTS
from lull.backends.shipped.small_model import NAME, SHA256
from lull.engine.reader.reading import Logits

Array = Any
SHIPPED: Final = Path(__file__).parents[2] / "resources" / "reader"
AS_IT_IS: Final = (1.0, 0.0)


def platt(logits_N: Sequence[float], right_N: Sequence[bool]) -> tuple[float, float]:
    """Fit Platt scaling p = sigmoid(a · z + b) by Newton's method; return (a, b), (1, 0) if only
    one class occurs.
    """
    z_N, y_N = np.array(logits_N, np.float64), np.array(right_N, bool)
    good, bad = int(y_N.sum()), int((~y_N).sum())
    if not good or not bad:
        return AS_IT_IS
    target_N = np.where(y_N, (good + 1) / (good + 2), 1 / (bad + 2))
    a, b = AS_IT_IS
    for _ in range(100):
        p_N = 1 / (1 + np.exp(-np.clip(a * z_N + b, -60, 60)))
        wrong_N, weight_N = p_N - target_N, np.maximum(p_N * (1 - p_N), 1e-9)
        gradient = np.array([(wrong_N * z_N).sum(), wrong_N.sum()])
        cross = (weight_N * z_N).sum()
        curve = np.array([[(weight_N * z_N * z_N).sum(), cross], [cross, weight_N.sum()]])
        step = np.linalg.solve(curve + 1e-6 * np.eye(2), gradient)
        # far from the minimum Newton's step may be far too long
        step *= min(1.0, 2.0 / max(1e-12, float(np.abs(step).max())))
        a, b = float(a - step[0]), float(b - step[1])
        if np.abs(step).max() < 1e-7:
            break
    return (a, b) if a > 0 else AS_IT_IS


def temperature(logits_NK: Array, right_N: Array) -> float:
    """Return the softmax temperature from 0.5 to 4 with the least cross-entropy."""
    if not len(right_N):
        return 1.0
    tried = np.geomspace(0.5, 4.0, 61)

    def loss(t: float) -> float:
        scaled = logits_NK / t
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        total = np.log(np.exp(scaled).sum(axis=1))
        return float((total - scaled[np.arange(len(right_N)), right_N]).mean())

    return float(min(tried, key=loss))


def calibration_of(items: Sequence[Item], said: Sequence[Logits]) -> dict[str, tuple[float, float]]:
    out = {}
    for at, label in enumerate(LABELS):
        told = [
            (one.labels[at], item.targets()[at] > 0.5)
            for item, one in zip(items, said, strict=True)
            if item.targets()[at] >= 0
        ]
        out[label] = platt([z for z, _ in told], [right for _, right in told])
    stated = [
        (z, right > 0.5)
        for item, one in zip(items, said, strict=True)
        for z, right in zip(one.sentences, item.stating(), strict=True)
        if z is not None and right >= 0
    ]
    out["sentence"] = platt([z for z, _ in stated], [right for _, right in stated])
    return out


def classes_of(items: Sequence[Item], said: Sequence[Logits]) -> float:
    told = [
        (one.classes, item.check_class())
        for item, one in zip(items, said, strict=True)
        if item.check_class() >= 0
    ]
    return temperature(np.array([z for z, _ in told]), np.array([k for _, k in told], np.int64))


def ship(base: Path, work: Path, out: Path, names: Sequence[str]) -> None:
    from bench.reader.training.asking import logits_of  # PyTorch

    plan = plan_of(work)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(work / WEIGHTS, out / WEIGHTS)
    facts: Json = {
        "version": VERSION,
        "base": {"name": NAME, "sha256": SHA256},
        "shape": plan.shape(),
        "calibration": dict.fromkeys((*LABELS, "sentence"), AS_IT_IS),
        "temperature": 1.0,
        "thresholds": {"sentence": 0.5},
    }
    items = people(*names)
    print(f"calibrating on {len(items)} items by {', '.join(names)}", flush=True)
    said = logits_of(plan, base, out / WEIGHTS, [item.exchange for item in items])
    facts["calibration"] = calibration_of(items, said)
    facts["temperature"] = round(classes_of(items, said), 4)
    facts["calibrated_on"] = {"people": list(names), "items": len(items)}
    facts["trained"] = {
        "seed": plan.seed,
        "epochs": plan.epochs,
        "onto": plan.onto,
        "settings": plan.settings(),
    }
    _write(out / FACTS, facts)
    size = (out / WEIGHTS).stat().st_size / 1e6
    print(f"{out}: {size:.1f} MB, {json.dumps(facts['calibration'])}")


def _write(file: Path, facts: Json) -> None:
    file.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the small model as an MLX folder")
    parser.add_argument("--work", type=Path, required=True, help="of a training")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--people", nargs="*", default=list(CALIBRATION), help="who calibrate")
    args = parser.parse_args()
    ship(args.base, args.work, args.out, args.people)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
