"""Reads and writes LoRA adapter files in mlx-lm's format.

The files are `adapters.safetensors` and `adapter_config.json`.
"""

from __future__ import annotations

import errno
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import mlx.core as mx

from lull.core.errors import TrainingError
from lull.core.training.run_format import CONFIG, WEIGHTS
from lull.core.training.spec import Lora

_NO_MEMORY: Final = (
    "unable to allocate",
    "insufficient memory",  # Metal
    "resource temporarily unavailable",  # a thread for which there is no room
    "cannot allocate memory",
)
"""Texts by which MLX's errors for too little memory are recognised."""
DAMAGED: Final = (
    FileNotFoundError,
    NotADirectoryError,
    IsADirectoryError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    RuntimeError,
)
"""Errors of files that are gone, something else or damaged inside, which reading them again will
not mend. Every other error of the system may pass, such as a fault of the disk, a missing
permission or a loop of links, which the user made and can untie.
"""


def read_arrays(file: Path) -> dict[str, Any]:
    """Read all arrays of a safetensors file into memory.

    Raises OSError when the file cannot be opened or read now, MemoryError when there is no room for
    it, and RuntimeError when its contents are damaged.
    """
    with file.open("rb") as whole:  # MLX raises the same for a fault of the disk as for damage
        hashlib.file_digest(whole, "sha256")
    try:
        arrays: Any = mx.load(str(file), format="safetensors")
        mx.eval(arrays)
    except RuntimeError as error:
        raise_if_no_memory(error)
        raise
    return dict(arrays)


def raise_if_no_memory(error: Exception) -> None:
    """Raise MemoryError if this error, raised while reading a file, was caused by lack of memory;
    the file then does not count as damaged.
    """
    no_room = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if isinstance(error, RuntimeError):
        no_room = any(words in str(error).lower() for words in _NO_MEMORY)
    if no_room:
        raise MemoryError().with_traceback(error.__traceback__) from error


def leads_nowhere(path: Path) -> bool:
    """Return whether a path goes through a link to a place that is not there now, such as another
    disk: then what is behind it is not known to be gone.
    """
    try:
        return any(one.is_symlink() and not one.exists() for one in (path, *path.parents))
    except OSError:
        return True  # the link cannot even be looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterShape:
    """A LoRA adapter's contents: how many layers it changes, its LoRA parameters (rank, scale and
    so on) and its weights.
    """

    layers: int
    """Number of transformer blocks with LoRA layers, counted from the last; -1 for all."""
    lora_parameters: dict[str, Any]
    weights: dict[str, Any] = field(default_factory=dict)
    """Weight arrays by name; empty for a new adapter."""

    @classmethod
    def new(cls, lora: Lora) -> AdapterShape:
        """Describe a new LoRA adapter over all layers of a model, without weights."""
        parameters = {"rank": lora.rank, "scale": lora.scale, "dropout": 0.0}
        return cls(layers=-1, lora_parameters=parameters)

    @classmethod
    def read(cls, folder: Path) -> AdapterShape:
        """Read a LoRA adapter from its folder.

        Raises TrainingError when it holds no usable one, and OSError when it cannot be read now,
        though it may be whole: also where a link leads to a disk that is away.
        """
        try:
            config = json.loads((folder / CONFIG).read_text("utf-8"))
            weights = read_arrays(folder / WEIGHTS)
            parameters = dict(config["lora_parameters"])
            layers = int(config.get("num_layers", -1))
            if config.get("fine_tune_type", "lora") != "lora":
                raise ValueError("it is no LoRA")
            parameters = {**parameters, "rank": int(parameters["rank"]), "dropout": 0.0}
            parameters["scale"] = float(parameters["scale"])
        except DAMAGED as error:
            raise_if_no_memory(error)
            if isinstance(error, OSError) and leads_nowhere(Path(error.filename or folder)):
                raise
            raise TrainingError(
                f"The adapter in {folder} cannot be started from: “{error}”.",
                hint="Its files are damaged or another program's; start without it.",
            ) from error
        except OSError as error:
            error.filename = error.filename or str(folder)  # a fault while reading names no file
            raise
        return cls(layers=layers, lora_parameters=parameters, weights=weights)

    def config_text(self) -> str:
        """Return the text of the adapter's `adapter_config.json`."""
        config = {
            "fine_tune_type": "lora",
            "num_layers": self.layers,
            "lora_parameters": self.lora_parameters,
        }
        return json.dumps(config, indent=2, sort_keys=True) + "\n"
