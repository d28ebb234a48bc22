"""Quantizes weights in numpy as MLX's affine 4-bit mode does, with a scale and a bias per group.

It prepares weights row by row without MLX, which only the engine and the trainer load. The rule is
MLX's (`mx.quantize`, affine mode; mlx/backend/cpu/quantized.cpp): the end of the range with the
larger magnitude is exact, and zero falls on a whole step. A test compares it with `mx.quantize`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]
BITS: Final = 4
GROUP: Final = 64
"""Number of weights per quantization group."""
_STEPS: Final = (1 << BITS) - 1
_PER_WORD: Final = 32 // BITS
_LEAST_SCALE: Final = np.float32(1e-7)


def can_quantize(columns: int) -> bool:
    """Return whether rows with this many columns can be quantized to 4 bits, which is done in whole
    groups.
    """
    return columns % GROUP == 0


def quantize(values: Array) -> tuple[Array, Array, Array]:
    """Quantize rows of numbers, shape (rows, columns), to (weights, scales, biases).

    Weights: uint32 (rows, columns / 8), first number in the lowest bits. Scales and biases:
    bfloat16 as uint16, (rows, columns / 64).
    """
    groups = np.asarray(values, np.float32).reshape(-1, GROUP)
    low, high = groups.min(axis=1, keepdims=True), groups.max(axis=1, keepdims=True)
    downward = np.abs(low) > np.abs(high)
    scales = np.maximum((high - low) / np.float32(_STEPS), _LEAST_SCALE)
    scales = np.where(downward, scales, -scales)
    edges = np.where(downward, low, high)
    whole = np.rint(edges / scales)
    scales = np.where(whole != 0, edges / np.where(whole != 0, whole, 1), scales)
    biases = np.where(whole != 0, edges, np.float32(0))
    # Stored scales are rounded to bfloat16, so the steps are computed with the rounded ones.
    kept_scales, kept_biases = to_bfloat16(scales), to_bfloat16(biases)
    scales, biases = from_bfloat16(kept_scales), from_bfloat16(kept_biases)
    steps = np.clip(np.rint((groups - biases) / scales), 0, _STEPS).astype(np.uint32)
    shifts = np.arange(_PER_WORD, dtype=np.uint32) * BITS
    words = (steps.reshape(-1, _PER_WORD) << shifts).sum(axis=1, dtype=np.uint32)
    rows = values.shape[0]
    return words.reshape(rows, -1), kept_scales.reshape(rows, -1), kept_biases.reshape(rows, -1)


def to_bfloat16(values: Array) -> Array:
    """Round numbers to bfloat16 (nearest, ties to even), as uint16."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (rounded >> np.uint32(16)).astype(np.uint16)


def from_bfloat16(values: Array) -> Array:
    """Convert bfloat16 numbers, given as their 16 bits, to float32."""
    return (values.astype(np.uint32) << np.uint32(16)).view(np.float32)
