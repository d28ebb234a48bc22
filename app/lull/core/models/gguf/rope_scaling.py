"""Converts the RoPE scaling of a GGUF model, which extends its context window, into the form of
MLX's config.json.

A method that MLX would compute differently is rejected, never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lull.core.errors import CannotLearn
from lull.core.models.gguf.architectures import Architecture
from lull.core.models.gguf.head import Metadata, as_written, damaged

Config = dict[str, object]


def rope_scaling(
    meta: Metadata, kind: Architecture, freqs: Sequence[float], *, head: int, theta: float
) -> Config | None:
    """Return the RoPE scaling section for MLX's config.json; None if the context window was not
    extended. Raises CannotLearn.

    `freqs`: the values of rope_freqs.weight, if there is such a tensor; `head` and `theta`: the
    size of a head and the rotary base.
    """
    if freqs:
        return _llama3_scaling(freqs, head=head, theta=theta)
    prefix = f"{kind}.rope.scaling"
    how = meta.text(f"{prefix}.type", "none")
    factor = meta.number(f"{prefix}.factor", 1.0)
    if how == "none" or factor == 1.0:
        return None
    if how == "linear":
        return {"rope_type": "linear", "type": "linear", "factor": factor}
    if how == "yarn" and kind in (Architecture.QWEN2, Architecture.QWEN3, Architecture.LLAMA):
        original = meta.whole(f"{prefix}.original_context_length", 0)
        if original:
            return {
                "rope_type": "yarn",
                "type": "yarn",
                "factor": factor,
                "original_max_position_embeddings": original,
            }
    raise CannotLearn(
        f"It extends its context window in a way that Lull does not know ({how[:40]})."
    )


def _llama3_scaling(freqs: Sequence[float], *, head: int, theta: float) -> Config:
    """Recovers Llama 3.1's scaling, which is stored as one factor per frequency.

    Uses the four published parameters and checks that they give these factors.
    convert_hf_to_gguf.py, LlamaModel.generate_extra_tensors: long waves are divided by `factor`,
    short ones not at all, those between smoothly.
    """
    if len(freqs) != head // 2 or not all(math.isfinite(f) and f > 0 for f in freqs):
        raise damaged("rope_freqs.weight has a different length from the heads")
    scaling: Config = {
        "rope_type": "llama3",
        "factor": as_written(max(freqs)),
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    expected = [_llama3_factor(theta ** (2 * i / head), max(freqs)) for i in range(head // 2)]
    if any(abs(one - other) > 1e-3 * other for one, other in zip(freqs, expected, strict=True)):
        raise CannotLearn("It extends its context window in a way that Lull does not know.")
    return scaling


def _llama3_factor(inverse: float, factor: float) -> float:
    wave = 2 * math.pi * inverse
    if wave < 8192 / 4.0:
        return 1.0
    if wave > 8192 / 1.0:
        return factor
    smooth = (8192 / wave - 1.0) / (4.0 - 1.0)
    return 1 / ((1 - smooth) / factor + smooth)
