"""Merges a LoRA adapter into a base model's GGUF file.

Only tensors that the adapter changes are rewritten: W + (alpha/r)·B·A (LoRA, arXiv 2106.09685, eq.
3; mlx-lm's `scale` is alpha/r), with llama's query and key rows in llama.cpp's order. Everything
else, including metadata, is copied byte for byte. Quantized tensors are written as Q8_0, because
one night of training changes weights by less than a 4-bit step; others as F16.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from lull.backends.gguf.file import MAGIC, GgufFile
from lull.backends.gguf.numbers import Array, decode_tensor, encode_tensor, to_gguf_rows
from lull.core.errors import WeightsError
from lull.core.models.gguf.architectures import Layout
from lull.core.models.gguf.head import BaseTensor
from lull.core.models.gguf.shape import MappedTensor, ModelShape
from lull.core.models.weight_work import Report

_UNQUANTIZED: Final = ("F32", "F16", "BF16")
_COPY_BYTES: Final = 8 * 1024 * 1024
_WEIGHTS_PER_STEP: Final = 4 * 1024 * 1024
"""Weights converted at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraPair:
    """The LoRA matrices of one layer as mlx-lm stores them: the layer adds x·A·B·scale."""

    a: Array
    """Matrix A, shape (in, rank); for an embedding (rows, rank)."""
    b: Array
    """Matrix B, shape (rank, out)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraWeights:
    """A LoRA adapter's weights: all its matrix pairs, by module path in MLX, and their scale."""

    pairs: Mapping[str, LoraPair]
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedGguf:
    """Describes a GGUF file into which a LoRA adapter was merged: its path, hash and size."""

    path: Path
    sha256: str
    n_bytes: int
    changed: int
    """Number of tensors that differ from the base model."""


def read_lora(folder: Path) -> LoraWeights:
    """Read a LoRA adapter from an mlx-lm folder. Raises WeightsError if it is not a plain LoRA."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        config = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
        scale = config["lora_parameters"]["scale"]
        arrays: dict[str, Any] = load_file(folder / "adapters.safetensors")
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise WeightsError(f"The adapter in {folder} cannot be read: {error}.") from error
    kind = config.get("fine_tune_type", "lora")
    if kind != "lora" or not isinstance(scale, int | float):
        raise WeightsError(f"The adapter in {folder} is not a plain LoRA.")
    return LoraWeights(pairs=_pairs(folder, arrays), scale=float(scale))


def merge(
    base: GgufFile, shape: ModelShape, change: LoraWeights, out: Path, *, report: Report
) -> MergedGguf:
    """Merge a LoRA adapter into the base model and write the result as the GGUF file `out`.

    An existing file is replaced only when the new one is complete. Raises WeightsError if the
    adapter does not fit this base.
    """
    targets = _targets(shape, change)
    tensors = [_new(one, targets) for one in base.tensors]
    head = _head(base, tensors)
    total = len(head) + tensors[-1].offset + _up(tensors[-1].n_bytes, base.alignment)
    digest, written = hashlib.sha256(), 0
    temporary = out.with_name(out.name + ".tmp")
    with base.data() as view, temporary.open("wb") as stream:
        for piece in _contents(base, shape, change, targets, tensors, head, view):
            stream.write(piece)
            digest.update(piece)
            written += len(piece)
            report(written, total)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(out)
    return MergedGguf(path=out, sha256=digest.hexdigest(), n_bytes=written, changed=len(targets))


def merged_bytes(base: GgufFile, shape: ModelShape, change: LoraWeights) -> int:
    """Return the size in bytes that a GGUF file merged with this adapter would have."""
    tensors = [_new(one, _targets(shape, change)) for one in base.tensors]
    return sum(one.n_bytes for one in tensors) + base.data_at


def _pairs(folder: Path, arrays: Mapping[str, Array]) -> dict[str, LoraPair]:
    paths = {name.rpartition(".")[0] for name in arrays}
    wanted = {f"{path}.{leaf}" for path in paths for leaf in ("lora_a", "lora_b")}
    if not arrays or set(arrays) != wanted:
        raise WeightsError(f"The adapter in {folder} contains something other than LoRA pairs.")
    found = {}
    for path in sorted(paths):
        a, b = (arrays[f"{path}.{leaf}"].astype(np.float32) for leaf in ("lora_a", "lora_b"))
        if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
            raise WeightsError(f"The adapter in {folder} has wrong shapes at {path}.")
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise WeightsError(
                f"The adapter in {folder} contains invalid numbers (NaN or infinite) at {path}."
            )
        found[path] = LoraPair(a=a, b=b)
    return found


def _targets(shape: ModelShape, change: LoraWeights) -> dict[str, MappedTensor]:
    """Map the GGUF names of changed tensors to their tensors."""
    by_path = {one.name.removesuffix(".weight"): one for one in shape.placed}
    found = {}
    for path, pair in change.pairs.items():
        one = by_path.get(path)
        # A linear layer stores (out, in); an embedding (rows, columns), not transposed.
        sizes = (pair.a.shape[0], pair.b.shape[1])
        wanted = None if one is None else one.tensor.shape
        if wanted is None or (sizes if path.endswith("embed_tokens") else sizes[::-1]) != wanted:
            raise WeightsError(
                f"The adapter does not fit this model: it changes {path}.",
                hint="It was trained on another one.",
            )
        assert one is not None
        found[one.tensor.name] = one
    if not found:
        raise WeightsError("The adapter changes nothing.")
    return found


def _new(tensor: BaseTensor, targets: Mapping[str, MappedTensor]) -> BaseTensor:
    if tensor.name not in targets:
        return tensor
    kind = "F16" if tensor.kind in _UNQUANTIZED or tensor.shape[-1] % 32 else "Q8_0"
    block, block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
    return replace(tensor, kind=kind, n_bytes=tensor.size // block * block_bytes)


# The file


def _head(base: GgufFile, tensors: list[BaseTensor]) -> bytes:
    """Build the file up to its tensor data; sets each tensor's new offset in `tensors`."""
    at = 0
    entries = []
    for k, tensor in enumerate(tensors):
        tensors[k] = replace(tensor, offset=at)
        at += _up(tensor.n_bytes, base.alignment)
        name = tensor.name.encode()
        sizes = _sizes(base.tensors[k])
        entries.append(
            struct.pack(f"<Q{len(name)}sI", len(name), name, len(sizes))
            + struct.pack(f"<{len(sizes)}Q", *sizes)
            + struct.pack("<IQ", GGMLQuantizationType[tensor.kind].value, tensors[k].offset)
        )
    with base.data() as view:
        keys = bytes(view[slice(*base.keys_at)])
    start = MAGIC + struct.pack("<IQQ", base.version, len(tensors), base.keys)
    head = start + keys + b"".join(entries)
    return head + bytes(_up(len(head), base.alignment) - len(head))


def _sizes(tensor: BaseTensor) -> tuple[int, ...]:
    return tuple(reversed(tensor.shape))


def _contents(
    base: GgufFile,
    shape: ModelShape,
    change: LoraWeights,
    targets: Mapping[str, MappedTensor],
    tensors: list[BaseTensor],
    head: bytes,
    view: memoryview,
) -> Iterator[bytes]:
    yield head
    for old, new in zip(base.tensors, tensors, strict=True):
        data = base.bytes_of(view, old)
        if old.name in targets:
            yield from _changed(shape, change, targets[old.name], data, new.kind)
        else:
            for at in range(0, len(data), _COPY_BYTES):
                yield bytes(data[at : at + _COPY_BYTES])
        yield bytes(_up(new.n_bytes, base.alignment) - new.n_bytes)


def _changed(
    shape: ModelShape, change: LoraWeights, one: MappedTensor, data: memoryview, kind: str
) -> Iterator[bytes]:
    tensor = one.tensor
    path = one.name.removesuffix(".weight")
    left, right = _factors(shape, change, one, path)
    rows, width = tensor.shape
    size = tensor.n_bytes // rows
    step = max(1, _WEIGHTS_PER_STEP // width)
    for row in range(0, rows, step):
        end = min(rows, row + step)
        piece = np.frombuffer(data[row * size : end * size], np.uint8)
        values = decode_tensor(piece, tensor.kind, (end - row, width))
        values = values + np.float32(change.scale) * (left[row:end] @ right)
        try:
            yield encode_tensor(values, kind).tobytes()
        except ValueError as error:
            raise WeightsError(f"The merged weights of {tensor.name} are {error}.") from error


def _factors(
    shape: ModelShape, change: LoraWeights, one: MappedTensor, path: str
) -> tuple[Array, Array]:
    """Return (rows, rank) and (rank, columns) factors whose product is in the file's row order."""
    pair = change.pairs[path]
    if path.endswith("embed_tokens"):
        return pair.a, pair.b
    left = np.ascontiguousarray(pair.b.T)
    if one.layout in (Layout.QUERY_ROWS, Layout.KEY_ROWS):
        left = to_gguf_rows(left, shape.heads_of(one.layout))
    return left, np.ascontiguousarray(pair.a.T)


def _up(n_bytes: int, alignment: int) -> int:
    return -(-n_bytes // alignment) * alignment
