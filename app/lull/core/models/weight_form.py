"""Storage formats of model weights (single precision, half precision, 4-bit), and their size."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class WeightForm(StrEnum):
    """The number formats in which Lull keeps a model's weights for training."""

    F32 = "f32"
    """Single precision, exactly the file's values; used for computing on the CPU."""
    HALF = "f16"
    """Half precision: half the disk space, for weights that are only read; widened to f32 when
    loaded on a CPU.
    """
    FOUR_BIT = "4-bit"
    """MLX's own 4-bit format, for Metal: an eighth of the memory (QLoRA, arXiv 2305.14314)."""

    @property
    def bytes_a_weight(self) -> float:
        """Bytes per weight; with four bits, each 64 weights also have a 16-bit scale and bias."""
        match self:
            case WeightForm.F32:
                return 4.0
            case WeightForm.HALF:
                return 2.0
            case WeightForm.FOUR_BIT:
                return 0.5 + 2 * 2 / 64


def form_for(platform: str, machine: str) -> WeightForm:
    """Return the storage format in which weights are kept on a machine, given as `sys.platform` and
    `platform.machine()`: 4-bit where there is Metal, on Apple Silicon.
    """
    return WeightForm.FOUR_BIT if has_metal(platform, machine) else WeightForm.F32


def has_metal(platform: str, machine: str) -> bool:
    """Whether a machine, given as `sys.platform` and `platform.machine()`, is Apple Silicon, on
    whose GPU Lull's own engine runs.
    """
    return platform == "darwin" and machine == "arm64"


SPARE_BYTES: Final = 256 * 1024 * 1024
"""Bytes always left free on the disk: a full disk harms more than a late model."""
