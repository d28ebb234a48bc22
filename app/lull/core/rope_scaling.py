"""How a model's window was stretched, in the words of MLX's config.json.

A way that MLX would compute otherwise is refused, never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lull.core.base_weights import Metadata, damaged, plain
from lull.core.errors import CannotLearn
from lull.core.model_names import Architecture

Config = dict[str, object]


def rope_scaling(
    meta: Metadata, kind: Architecture, freqs: Sequence[float], *, head: int, theta: float
) -> Config | None:
    """`freqs`: the numbers of rope_freqs.weight, where there is such a tensor; `head` and `theta`:
    the size of a head and the rotary base. None: not stretched. Raises CannotLearn."""
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
    raise CannotLearn(f"It stretches its window in a way that is not known here ({how[:40]}).")


def _llama3_scaling(freqs: Sequence[float], *, head: int, theta: float) -> Config:
    """Llama 3.1's scaling is stored as its outcome, one factor a frequency. The four numbers that
    it comes from are the published ones; that they give these factors is checked.

    convert_hf_to_gguf.py, LlamaModel.generate_extra_tensors: long waves are divided by `factor`,
    short ones not at all, those between smoothly.
    """
    if len(freqs) != head // 2 or not all(math.isfinite(f) and f > 0 for f in freqs):
        raise damaged("rope_freqs.weight has another length than the heads")
    scaling: Config = {
        "rope_type": "llama3",
        "factor": plain(max(freqs)),
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    expected = [_llama3_factor(theta ** (2 * i / head), max(freqs)) for i in range(head // 2)]
    if any(abs(one - other) > 1e-3 * other for one, other in zip(freqs, expected, strict=True)):
        raise CannotLearn("It stretches its window in a way that is not known here.")
    return scaling


def _llama3_factor(inverse: float, factor: float) -> float:
    wave = 2 * math.pi * inverse
    if wave < 8192 / 4.0:
        return 1.0
    if wave > 8192 / 1.0:
        return factor
    smooth = (8192 / wave - 1.0) / (4.0 - 1.0)
    return 1 / ((1 - smooth) / factor + smooth)
