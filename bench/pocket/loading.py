"""Loads a model folder for measurement in the same way as the engine does."""

# isort: off
from bench.pocket import arithmetic  # noqa: F401 - it must come before mlx
# isort: on

from pathlib import Path

import mlx.core as mx
from mlx_lm.models import qwen3
from mlx_lm.utils import load_model
from tokenizers import Tokenizer


def load(folder: Path) -> tuple[qwen3.Model, Tokenizer]:
    """Load the model in single precision, with its tokenizer.

    Half precision is for the file: on a CPU it computes many times slower than single.
    """
    model, _ = load_model(folder)
    model.set_dtype(mx.float32)
    mx.eval(model.parameters())
    return model, Tokenizer.from_file(str(folder / "tokenizer.json"))
