"""Loads the small model with an adapter, by PyTorch where that is installed and else by MLX."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.english.model.tokens import Speaker
from lull.core.errors import ResourceError


def fast() -> bool:
    """Whether PyTorch is there, which Lull itself does not need."""
    return find_spec("torch") is not None


def worn(adapter: Path, work: Path) -> Speaker:
    """Load the small model with an adapter in mlx-lm's format; its weights are made in `work`.

    Raises LullError.
    """
    from bench.english.model.small import Small, folder  # first of all that loads MLX

    base = folder(work / "models")
    try:
        config = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
        lora = config["lora_parameters"]
        shape = {"rank": lora["rank"], "scale": lora["scale"], "layers": config["num_layers"]}
        return _fast(base, adapter, shape) if fast() else _plain(Small, base, adapter, shape)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ResourceError(f"The adapter in {adapter} cannot be read: {error}") from error


def _fast(base: Path, adapter: Path, shape: dict[str, Any]) -> Speaker:
    from bench.english.model.fast_small import FastSmall

    small = FastSmall(base, **shape)
    small.net.wear(adapter / "adapters.safetensors")
    return small


def _plain(kind: Any, base: Path, adapter: Path, shape: dict[str, Any]) -> Speaker:
    small = kind(base, **shape)
    small.model.load_weights(str(adapter / "adapters.safetensors"), strict=False)
    return small  # type: ignore[no-any-return]
