"""Holds several LoRA adapters by version over one loaded base model, and puts the one that a
request needs into the model.

An adapter is a set of mlx-lm LoRA layers, each wrapped around a layer of the base; the base weights
are shared, not copied. Before a forward pass the requested version's layers are assigned into the
model, without arithmetic or copies. Therefore

- without an adapter the model has its original modules and gives the same bits as before;
- versions may differ in rank, scale and layers, and MoE and embedding layers work too;
- a request holds its own `LoadedAdapter`, so replacing or dropping a version does not affect it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten
from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear
from mlx_lm.tuner.dora import DoRAEmbedding, DoRALinear
from mlx_lm.tuner.lora import LoRAEmbedding, LoRALinear, LoRASwitchLinear

from lull.backends.mlx.model_folder import check_safetensors, read_json
from lull.core.errors import EngineError, RequestError

_LEAVES = ("lora_a", "lora_b", "m")
_serials = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedAdapter:
    """One LoRA adapter in memory, compared by identity: loading the same version again gives
    another object.
    """

    version: str
    layers: dict[str, Any]
    """Maps a module's path in the model to its LoRA layer."""
    serial: int = field(default_factory=lambda: next(_serials))
    """Unique number of this load of an adapter, from 1."""


class AdapterSwitcher:
    """Holds the loaded LoRA adapters, and puts the layers of one of them into the model, or takes
    them out.
    """

    def __init__(self, model: Any, *, f32: bool = False) -> None:
        self._model = model
        self._f32 = f32
        self._base: dict[str, Any] = {}
        """The base's module at each path that any adapter replaces."""
        self._worn: LoadedAdapter | None = None
        self._versions: dict[str, LoadedAdapter] = {}

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of the loaded LoRA adapters."""
        return tuple(self._versions)

    def get(self, version: str | None) -> LoadedAdapter | None:
        """Return a loaded LoRA adapter by its version; None is the base model.

        Raises RequestError if it is not loaded.
        """
        if version is None:
            return None
        if version not in self._versions:
            raise RequestError(f"The adapter {version!r} is not loaded.", status=400)
        return self._versions[version]

    def load(self, version: str, folder: Path) -> None:
        """Load a LoRA adapter from a folder in mlx-lm's format. Raises RequestError when it cannot
        be used.
        """
        self.activate(None)
        self._versions[version] = LoadedAdapter(version, self._layers(folder))

    def drop(self, version: str) -> None:
        """Unload a version of a LoRA adapter; an unknown version is ignored."""
        self._versions.pop(version, None)

    def activate(self, adapter: LoadedAdapter | None) -> None:
        """Make a loaded adapter the active one by putting its layers into the model; with None the
        model is the base model again.
        """
        if adapter is self._worn:
            return
        if self._worn is not None:
            for path in self._worn.layers:
                _put(self._model, path, self._base[path])
        if adapter is not None:
            for path, layer in adapter.layers.items():
                _put(self._model, path, layer)
        self._worn = adapter

    def _layers(self, folder: Path) -> dict[str, Any]:
        scale, dora = _read_config(folder)
        by_path = _read_weights(folder)
        modules = dict(self._model.named_modules())
        layers = {}
        for path, arrays in by_path.items():
            base = self._base.get(path) or modules.get(path)
            kind = _layer_class(base, dora=dora)
            if kind is None:
                raise _unusable(folder, f"this model has no layer {path} that can carry it")
            if self._f32:
                arrays.update({name: array.astype(mx.float32) for name, array in arrays.items()})
            layer = _tuned(kind, base, arrays, scale)
            if layer is None:
                raise _unusable(folder, f"the shapes of {path} are not this model's")
            layers[path] = layer
            self._base[path] = base
        # Read the arrays now: the file may have changed or gone before the first request.
        mx.eval(list(by_path.values()))
        return layers


def _read_config(folder: Path) -> tuple[float, bool]:
    """Read the adapter's (scale, whether it is DoRA)."""
    try:
        config = read_json(folder / "adapter_config.json")
    except EngineError as error:
        raise _unusable(folder, error.detail.rstrip(".")) from error
    kind = config.get("fine_tune_type", "lora")
    scale = config.get("lora_parameters", {}).get("scale")
    if kind not in ("lora", "dora") or not isinstance(scale, int | float):
        raise _unusable(folder, "its adapter_config.json describes no LoRA with a scale")
    return float(scale), kind == "dora"


def _read_weights(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the adapter's arrays: module path → leaf name → array."""
    file = folder / "adapters.safetensors"
    try:
        check_safetensors(file)
    except EngineError as error:
        raise _unusable(folder, error.detail.rstrip(".")) from error
    weights: Any = mx.load(str(file))
    by_path: dict[str, dict[str, Any]] = {}
    for name, array in weights.items():
        path, _, leaf = name.rpartition(".")
        if leaf not in _LEAVES:
            raise _unusable(folder, f"{name} is not a LoRA weight")
        by_path.setdefault(path, {})[leaf] = array
    return by_path


def _tuned(kind: Any, base: Any, arrays: dict[str, Any], scale: float) -> Any:
    """mlx-lm's LoRA layer around `base` with these weights, or None when they do not fit."""
    rank = _rank(base, arrays)
    if rank is None:
        return None
    layer = kind.from_base(base, r=rank, scale=scale, dropout=0.0)
    own: Any = tree_flatten(layer.parameters())
    wanted = {name: array.shape for name, array in own if name in _LEAVES}
    if wanted != {name: array.shape for name, array in arrays.items()}:
        return None
    layer.load_weights(list(arrays.items()), strict=False)
    layer.eval()
    return layer


def _rank(base: Any, arrays: dict[str, Any]) -> int | None:
    a = arrays.get("lora_a")
    if a is None or "lora_b" not in arrays:
        return None
    # Mixture-of-experts layers have lora_a of shape (experts, rank, in), all others (in, rank).
    return int(
        a.shape[1] if isinstance(base, SwitchLinear | QuantizedSwitchLinear) else a.shape[-1]
    )


def _layer_class(base: Any, *, dora: bool) -> Any:
    """The LoRA class for a layer, as in mlx-lm's `linear_to_lora_layers`; None if there is none."""
    if isinstance(base, nn.Linear | nn.QuantizedLinear):
        return DoRALinear if dora else LoRALinear
    if isinstance(base, SwitchLinear | QuantizedSwitchLinear):
        return None if dora else LoRASwitchLinear
    if isinstance(base, nn.Embedding | nn.QuantizedEmbedding):
        return DoRAEmbedding if dora else LoRAEmbedding
    return None


def _put(model: Any, path: str, module: Any) -> None:
    *parents, name = path.split(".")
    at = model
    for step in parents:
        at = at[int(step)] if isinstance(at, list) else at[step]
    if isinstance(at, list):
        at[int(name)] = module
    else:
        at[name] = module


def _unusable(folder: Path, why: str) -> RequestError:
    return RequestError(
        f"The adapter in {folder} cannot be used: {why}.",
        status=400,
        hint="It was made for another model, or its files are damaged.",
    )
