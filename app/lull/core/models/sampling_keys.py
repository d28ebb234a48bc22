"""Derives, from an answer's seed and a token's number, the random key with which that token is
sampled.

The inference engine and the trainer sample in processes of their own, by the same keys.
"""

from __future__ import annotations

from typing import Final

_MASK: Final = (1 << 64) - 1


def sampling_key(seed: int, step: int) -> tuple[int, int]:
    """Return the random key with which MLX samples token number `step` of the answer with this
    seed.
    """
    mixed = splitmix64(splitmix64(seed & _MASK) + step)
    return mixed >> 32, mixed & 0xFFFFFFFF


def splitmix64(value: int) -> int:
    """Hash a 64-bit number by Sebastiano Vigna's SplitMix64: neighbouring inputs give unrelated
    outputs.
    """
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
