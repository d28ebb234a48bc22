"""Adapters with random numbers, as mlx-lm's trainer would save them, for any model folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

RANK = 4
SCALE = 1.5


def random_adapter(model: Path, folder: Path, *, seed: int = 1, size: float = 0.06) -> Path:
    """Save a random adapter for every linear layer of an MLX model folder in single precision."""
    draw = np.random.default_rng(seed)
    arrays: dict[str, Any] = {}
    with safe_open(model / "model.safetensors", framework="numpy") as file:
        for name in sorted(file.keys()):
            if not re.search(r"(_proj|lm_head)\.weight$", name):
                continue
            rows, columns = file.get_slice(name).get_shape()
            path = name.removesuffix(".weight")
            arrays[f"{path}.lora_a"] = draw.normal(size=(columns, RANK)) * 0.3
            arrays[f"{path}.lora_b"] = draw.normal(size=(RANK, rows)) * size
    return saved(arrays, folder)


def saved(arrays: dict[str, Any], folder: Path, *, scale: float = SCALE) -> Path:
    folder.mkdir(parents=True)
    plain = {name: np.asarray(value, np.float32) for name, value in arrays.items()}
    save_file(plain, folder / "adapters.safetensors")
    parameters = {"rank": RANK, "scale": scale, "dropout": 0.0}
    config = {"fine_tune_type": "lora", "num_layers": -1, "lora_parameters": parameters}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder
