"""Reads a model's properties, such as its context window, from its folder of MLX weights."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable
from datetime import UTC, datetime
from math import prod
from pathlib import Path
from typing import Final

from lull.backends.mlx.model_folder import check_model_folder
from lull.core.chat.messages import Sampling
from lull.core.errors import EngineError, ResourceError
from lull.core.models.local_model import LocalModel, Tensor

_FULL_HASH_BYTES: Final = 64 * 1024 * 1024
"""Larger weight files are hashed by head and tail only, so a start does not read gigabytes."""


_END_BYTES: Final = 1024 * 1024
"""Bytes hashed at each end of a larger file."""


_DIMENSIONS: Final = {
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.value_length": "head_dim",
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "rope.dimension_count": "head_dim",
    "rope.freq_base": "rope_theta",
    "vocab_size": "vocab_size",
}


def read_local_model(name: str, folder: Path, *, sampling: Sampling | None = None) -> LocalModel:
    """Read a model's properties, such as its context window, from a complete folder of MLX weights.
    Blocking. Raises ResourceError.
    """
    try:
        check_model_folder(folder)
        return _read(name, folder, sampling or Sampling())
    except EngineError as error:
        raise ResourceError(error.detail, hint=error.hint) from error
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise ResourceError(
            f"The model in {folder} cannot be described: “{error}”.",
            hint="Copy or download the model again.",
        ) from error


def _read(name: str, folder: Path, sampling: Sampling) -> LocalModel:
    config = _json(folder / "config.json")
    files = sorted(folder.glob("model*.safetensors"))
    tensors = tuple(tensor for file in files for tensor in _tensors(file))
    bits = _bits(config)
    dimensions = dict(_dimensions(config))
    return LocalModel(
        name=name,
        digest=_digest([folder / "config.json", *files]),
        parameters=sum(_count(tensor, bits) for tensor in tensors),
        size_bytes=sum(file.stat().st_size for file in files),
        family=str(config.get("model_type", "unknown")),
        quantization=f"{bits}-bit" if bits else _commonest_type(tensors),
        window_tokens=int(dimensions.get("context_length", 4096)),
        modified_at=datetime.fromtimestamp(max(file.stat().st_mtime for file in files), UTC),
        folder=folder,
        template=_template(folder),
        license=_text(folder / "LICENSE"),
        sampling=sampling,
        dimensions=tuple(dimensions.items()),
        tensors=tensors,
        eos_token_id=_first_int(config.get("eos_token_id")),
    )


def _json(path: Path) -> dict[str, object]:
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        raise ValueError(f"{path.name} is no JSON object")
    return value


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _template(folder: Path) -> str:
    own = _text(folder / "chat_template.jinja")
    path = folder / "tokenizer_config.json"
    if own or not path.is_file():
        return own
    template = _json(path).get("chat_template")
    return template if isinstance(template, str) else ""


def _tensors(file: Path) -> list[Tensor]:
    """Read the header of a safetensors file: eight bytes of length, then JSON."""
    with file.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(length))
    return [
        Tensor(name=name, dtype=str(facts["dtype"]), shape=tuple(facts["shape"]))
        for name, facts in header.items()
        if name != "__metadata__"
    ]


def _count(tensor: Tensor, bits: int) -> int:
    """Count a tensor's parameters. Quantized weights are packed in 32-bit words; scales and biases
    do not count."""
    if bits and tensor.name.endswith((".scales", ".biases")):
        return 0
    packed = bool(bits) and tensor.dtype == "U32"
    return prod(tensor.shape) * (32 // bits if packed else 1)


def _commonest_type(tensors: Iterable[Tensor]) -> str:
    """Return the type of most of the weights."""
    sizes: dict[str, int] = {}
    for tensor in tensors:
        sizes[tensor.dtype] = sizes.get(tensor.dtype, 0) + prod(tensor.shape)
    return max(sizes, key=lambda dtype: sizes[dtype], default="unknown")


def _bits(config: dict[str, object]) -> int:
    quantization = config.get("quantization")
    bits = quantization.get("bits") if isinstance(quantization, dict) else None
    return bits if isinstance(bits, int) else 0


def _dimensions(config: dict[str, object]) -> Iterable[tuple[str, float]]:
    heads, hidden = config.get("num_attention_heads"), config.get("hidden_size")
    if isinstance(heads, int) and isinstance(hidden, int) and heads:
        config = {"head_dim": hidden // heads, "num_key_value_heads": heads, **config}
    for ours, theirs in _DIMENSIONS.items():
        value = config.get(theirs)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield ours, int(value) if value == int(value) else value


def _first_int(value: object) -> int | None:
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, int) else None


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.name} {size}\n".encode())
        with file.open("rb") as stream:
            if size <= _FULL_HASH_BYTES:
                digest.update(stream.read())
                continue
            digest.update(stream.read(_END_BYTES))
            stream.seek(-_END_BYTES, 2)
            digest.update(stream.read())
    return digest.hexdigest()
