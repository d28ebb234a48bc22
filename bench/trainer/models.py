"""The models that training is measured on: the built-in one, and two larger ones with random
weights.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

from lull.resources import pocket_dir

RANDOM: Final[dict[str, dict[str, int]]] = {
    "random 5 M": {"hidden_size": 256, "num_hidden_layers": 6, "intermediate_size": 768},
    "random 20 M": {"hidden_size": 512, "num_hidden_layers": 7, "intermediate_size": 1408},
}
NAMES: Final = ("pocket", *RANDOM)


def folder_of(name: str, place: Path) -> Path:
    """Return the model's folder, which mlx-lm can load, with the built-in model's tokenizer."""
    return pocket_dir() if name == "pocket" else _made(place / name.replace(" ", "-"), RANDOM[name])


def _made(folder: Path, shape: dict[str, int]) -> Path:
    if folder.exists():
        return folder
    import mlx.core as mx
    from mlx.utils import tree_flatten
    from mlx_lm.models import qwen3

    pocket = pocket_dir()
    config: dict[str, Any] = json.loads((pocket / "config.json").read_text())
    config |= {**shape, "num_attention_heads": 8, "num_key_value_heads": 8}
    config["head_dim"] = shape["hidden_size"] // 8
    mx.random.seed(0)
    model = qwen3.Model(qwen3.ModelArgs.from_dict(config))
    folder.mkdir(parents=True)
    weights: Any = tree_flatten(model.parameters())
    mx.save_safetensors(str(folder / "model.safetensors"), dict(weights))
    (folder / "config.json").write_text(json.dumps(config))
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        shutil.copyfile(pocket / name, folder / name)
    return folder
