"""Loads the feedback reader: a small language model's lower layers with the trained LoRA and
classifier heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model
from tokenizers import Tokenizer

from lull.backends.reader.files import ReaderFiles
from lull.core.errors import EngineError
from lull.engine.reader.net import ReaderNet, ReaderShape


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedReader:
    """The feedback reader (a small model that classifies users' messages) in memory: its network,
    tokenizer and files.
    """

    net: ReaderNet
    tokenizer: Any
    files: ReaderFiles


def load_reader(base: Path, files: ReaderFiles) -> LoadedReader:
    """Load the feedback reader, a small model that classifies what users' messages say about
    answers.

    Raises EngineError.

    `base` is the small model's MLX folder, already checked. Its upper layers are never read from
    disk.
    """
    try:
        model, _ = load_model(base, lazy=True)
        net = ReaderNet(model, shape_of(files))
        trained: Any = mx.load(str(files.weights))
        wanted = dict(tree_flatten(net.trainable_parameters()))
        if {name: array.shape for name, array in wanted.items()} != {
            name: array.shape for name, array in trained.items()
        }:
            raise EngineError(f"{files.weights} was made for another network.", hint=_INSTALL_AGAIN)
        net.load_weights(list(trained.items()), strict=False)
        # It was trained in float32, and half precision is emulated on a CPU.
        net.set_dtype(mx.float32)
        mx.eval(net.parameters())
        net.eval()
        tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    except (ValueError, KeyError, TypeError, OSError, RuntimeError, ImportError) as error:
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise EngineError(
            f"The reader cannot be loaded: “{reason[0][:300]}”.", hint=_INSTALL_AGAIN
        ) from error
    return LoadedReader(net=net, tokenizer=tokenizer, files=files)


_INSTALL_AGAIN = "Install Lull again; in a checkout, run `git checkout -- resources`."


def shape_of(files: ReaderFiles) -> ReaderShape:
    """Return the shape of the feedback reader's network (layers, LoRA, classifier heads), read from
    its files.

    Raises TypeError or ValueError for fields this release does not know.
    """
    said: dict[str, Any] = dict(files.shape)
    for key in ("labels", "classes"):
        said[key] = tuple(map(str, said[key]))
    if "turn_marks" in said:
        begin, end = map(int, said["turn_marks"])
        said["turn_marks"] = begin, end
    return ReaderShape(**said)
