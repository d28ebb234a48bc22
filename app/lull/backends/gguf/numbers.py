"""Converts GGUF tensor data to numbers and back, and between row orders of GGUF and MLX.

The `gguf` package handles quantized blocks. Blocks run along rows, so any range of rows can be
converted alone and a large tensor is never in memory as a whole.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gguf.constants import GGMLQuantizationType
from gguf.quants import QuantError, dequantize, quantize

from lull.core.errors import CannotLearn
from lull.core.models.gguf.head import BaseTensor, damaged

Array = np.ndarray[Any, Any]
_FLOAT_TYPES: Final = {"F64": np.float64, "F32": np.float32, "F16": np.float16}


def can_decode(kind: str) -> bool:
    """Return whether Lull can read tensors of this GGUF type, such as a kind of quantization."""
    try:
        decode_tensor(np.zeros(_block_bytes(kind), np.uint8), kind, (1, _block(kind)))
    except (NotImplementedError, KeyError, CannotLearn):
        return False
    return True


def decode_tensor(data: Array, kind: str, shape: tuple[int, ...]) -> Array:
    """Convert the bytes of a tensor, or of some of its rows, to a float32 array of this shape.

    `kind` is the GGUF type of the bytes. Raises CannotLearn for an unknown one, WeightsError if a
    number is not finite.
    """
    plain = _FLOAT_TYPES.get(kind)
    try:
        if plain is not None:
            found = data.view(np.dtype(plain).newbyteorder("<")).astype(np.float32)
        else:
            rows = data.reshape(*shape[:-1], -1)
            # All-zero blocks divide by zero internally, but come out as zeros.
            with np.errstate(all="ignore"):
                found = dequantize(rows, GGMLQuantizationType[kind])
    except NotImplementedError as error:
        raise CannotLearn(
            f"Its numbers are stored in a way that Lull cannot read ({kind}).",
            hint="A Q8_0, Q4_K_M or F16 version of the model works.",
        ) from error
    found = np.ascontiguousarray(found.reshape(shape), dtype=np.float32)
    if not np.isfinite(found).all():
        raise damaged("it contains invalid numbers (NaN or infinite)")
    return found


def encode_tensor(values: Array, kind: str) -> Array:
    """Convert float32 numbers to the bytes of a tensor of this GGUF type.

    Raises ValueError if a row is not a whole number of blocks or a number is too large.
    """
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
    """Reorder a tensor's rows from llama.cpp's rotary layout to MLX's.

    Pairs are neighbours in llama.cpp and half a head apart in MLX.

    The inverse of `permute` in convert_hf_to_gguf.py (LlamaModel).
    """
    half = values.shape[0] // heads // 2
    split = values.reshape(heads, half, 2, *values.shape[1:])
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(values.shape))


def to_gguf_rows(values: Array, heads: int) -> Array:
    """Reorder a tensor's rows from MLX's rotary layout to llama.cpp's; inverse of `to_mlx_rows`."""
    half = values.shape[0] // heads // 2
    split = values.reshape(heads, 2, half, *values.shape[1:])
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(values.shape))


def row_bytes(tensor: BaseTensor) -> int:
    """Return how many bytes one row of a tensor takes in a GGUF file."""
    rows = tensor.shape[0] if len(tensor.shape) > 1 else 1
    return tensor.n_bytes // rows


def _block(kind: str) -> int:
    from gguf.constants import GGML_QUANT_SIZES

    return int(GGML_QUANT_SIZES[GGMLQuantizationType[kind]][0])


def _block_bytes(kind: str) -> int:
    from gguf.constants import GGML_QUANT_SIZES

    return int(GGML_QUANT_SIZES[GGMLQuantizationType[kind]][1])
