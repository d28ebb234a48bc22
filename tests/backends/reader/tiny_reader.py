"""Writes a random reader on a tiny model; called with the folders BASE and OUT and a SHA256.

It runs in a process of its own, since importing MLX and transformers into the test process is slow
and noisy.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from lull.engine.reader.main import prepare_to_read

prepare_to_read()

import mlx.core as mx  # noqa: E402
from mlx.utils import tree_flatten  # noqa: E402
from mlx_lm.utils import load_model  # noqa: E402

from lull.engine.reader.net import ReaderNet, ReaderShape  # noqa: E402

SHAPE = ReaderShape(
    frozen=1,
    layers=2,
    rank=4,
    scale=2.0,
    labels=("correction", "lasting", "kind", "fact", "thanks"),
    classes=("none", "bullets", "words"),
)


def main(base: Path, out: Path, sha256: str) -> None:
    mx.random.seed(0)
    model, _ = load_model(base, lazy=True)
    trained = dict(tree_flatten(ReaderNet(model, SHAPE).trainable_parameters()))
    out.mkdir(parents=True, exist_ok=True)
    mx.save_safetensors(
        str(out / "reader.safetensors"),
        {name: (array + 0.1).astype(mx.float16) for name, array in trained.items()},
    )
    facts = {
        "version": 1,
        "base": {"name": "tiny", "sha256": sha256},
        "shape": asdict(SHAPE),
        # this calibration turns any output of the random heads into a lasting correction
        "calibration": {
            **dict.fromkeys(("correction", "lasting", "kind", "sentence"), (0.01, 2.0)),
            **dict.fromkeys(("fact", "thanks"), (0.01, -2.0)),
        },
        "temperature": 1.0,
        "thresholds": {"sentence": 0.5},
    }
    (out / "reader.json").write_text(json.dumps(facts))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
