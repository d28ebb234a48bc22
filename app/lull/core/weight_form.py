"""How weights are kept on disk, and what that takes of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class WeightForm(StrEnum):
    F32 = "f32"
    """Exactly what the file holds; the CPU computes in it."""
    HALF = "f16"
    """Half the disk, for weights that only read: widened to f32 when they are loaded on a CPU."""
    FOUR_BIT = "4-bit"
    """MLX's own four bits, for Metal: an eighth of the memory (QLoRA, arXiv 2305.14314)."""

    @property
    def bytes_a_weight(self) -> float:
        """Of the four bits: each 64 weights also have a scale and a bias of 16 bits."""
        match self:
            case WeightForm.F32:
                return 4.0
            case WeightForm.HALF:
                return 2.0
            case WeightForm.FOUR_BIT:
                return 0.5 + 2 * 2 / 64


def form_for(platform: str, machine: str) -> WeightForm:
    """`sys.platform` and `platform.machine()`: Apple Silicon has Metal."""
    metal = platform == "darwin" and machine == "arm64"
    return WeightForm.FOUR_BIT if metal else WeightForm.F32


SPARE_BYTES: Final = 256 * 1024 * 1024
"""Left free on the disk whatever is written: a full disk harms more than a late model."""
