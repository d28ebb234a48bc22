"""Numbers of a GGUF tensor, out of their blocks and back, and in MLX's order.

The blocks are the `gguf` package's to know; which row of llama's heads stands where is ours. Blocks
run along a row, so any range of rows can be read alone and a large tensor never stands in memory
whole.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gguf.constants import GGMLQuantizationType
from gguf.quants import QuantError, dequantize, quantize

from lull.core.base_weights import BaseTensor, damaged
from lull.core.errors import CannotLearn

Array = np.ndarray[Any, Any]
_AS_THEY_ARE: Final = {"F64": np.float64, "F32": np.float32, "F16": np.float16}


def readable(kind: str) -> bool:
    """Whether the numbers of this kind of tensor can be read at all."""
    try:
        numbers(np.zeros(_block_bytes(kind), np.uint8), kind, (1, _block(kind)))
    except (NotImplementedError, KeyError, CannotLearn):
        return False
    return True


def numbers(data: Array, kind: str, shape: tuple[int, ...]) -> Array:
    """Single-precision numbers of this shape from a tensor's bytes (or from some rows of them).

    Raises CannotLearn for a kind that is not known, WeightsError for numbers that are none.
    """
    plain = _AS_THEY_ARE.get(kind)
    try:
        if plain is not None:
            found = data.view(np.dtype(plain).newbyteorder("<")).astype(np.float32)
        else:
            rows = data.reshape(*shape[:-1], -1)
            # Blocks of zeros divide by zero on the way, and come out as zeros.
            with np.errstate(all="ignore"):
                found = dequantize(rows, GGMLQuantizationType[kind])
    except NotImplementedError as error:
        raise CannotLearn(
            f"Its numbers are stored in a way that Lull cannot read ({kind}).",
            hint="A Q8_0, Q4_K_M or F16 build of the model works.",
        ) from error
    found = np.ascontiguousarray(found.reshape(shape), dtype=np.float32)
    if not np.isfinite(found).all():
        raise damaged("some of its numbers are none")
    return found


def stored(values: Array, kind: str) -> Array:
    """The bytes of single-precision numbers, stored as this kind. Raises ValueError when it cannot:
    a row that is no whole number of blocks, or numbers too large."""
    if kind == "F32":
        return np.ascontiguousarray(values, dtype="<f4").view(np.uint8)
    if kind == "F16":
        if values.size and np.abs(values).max() > np.finfo(np.float16).max:
            raise ValueError("too large for half precision")
        return np.ascontiguousarray(values, dtype="<f2").view(np.uint8)
    try:
        made: Array = quantize(values, GGMLQuantizationType[kind])
    except QuantError as error:
        raise ValueError(str(error)) from error
    return np.ascontiguousarray(made).view(np.uint8)


def to_mlx_rows(values: Array, heads: int) -> Array:
    """llama.cpp turns neighbouring rows of a head together, MLX rows that are half a head apart:
    the inverse of `permute` in convert_hf_to_gguf.py (LlamaModel)."""
    half = values.shape[0] // heads // 2
    split = values.reshape(heads, half, 2, *values.shape[1:])
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(values.shape))


def to_gguf_rows(values: Array, heads: int) -> Array:
    """The inverse of `to_mlx_rows`."""
    half = values.shape[0] // heads // 2
    split = values.reshape(heads, 2, half, *values.shape[1:])
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(values.shape))


def row_bytes(tensor: BaseTensor) -> int:
    rows = tensor.shape[0] if len(tensor.shape) > 1 else 1
    return tensor.n_bytes // rows


def _block(kind: str) -> int:
    from gguf.constants import GGML_QUANT_SIZES

    return int(GGML_QUANT_SIZES[GGMLQuantizationType[kind]][0])


def _block_bytes(kind: str) -> int:
    from gguf.constants import GGML_QUANT_SIZES

    return int(GGML_QUANT_SIZES[GGMLQuantizationType[kind]][1])
