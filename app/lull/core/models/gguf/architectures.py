"""Names the model architectures that can be trained, and tells how MLX names and lays out the
tensors of each.

Names and layouts follow llama.cpp's converter (convert_hf_to_gguf.py, gguf's tensor_mapping.py) and
mlx-lm's model classes: llama's query and key rows are permuted for its kind of rotary embedding,
gemma's norms are stored with 1 added.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from lull.core.errors import CannotLearn


class Architecture(StrEnum):
    """GGUF's names of the model architectures that can be trained."""

    LLAMA = "llama"
    QWEN2 = "qwen2"
    QWEN3 = "qwen3"
    GEMMA = "gemma"
    GEMMA2 = "gemma2"
    GEMMA3 = "gemma3"


GEMMAS: Final = (Architecture.GEMMA, Architecture.GEMMA2, Architecture.GEMMA3)
_WHOLE: Final = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
_LAYER: Final = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_GEMMA_LAYER: Final = _LAYER | {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_LAYERED: Final = re.compile(r"blk\.(0|[1-9]\d{0,5})\.([a-z_0-9]+)\.(weight|bias)")


class Layout(StrEnum):
    """The ways in which the numbers of a GGUF tensor must be transformed for MLX."""

    SAME = "same"
    QUERY_ROWS = "query rows"
    """The tensor's rows are permuted within each query head."""
    KEY_ROWS = "key rows"
    PLUS_ONE = "plus one"
    """The file stores each number plus 1."""


def architecture_of(name: str) -> Architecture:
    """Parse the name of a model architecture. Raises CannotLearn for an unsupported one."""
    try:
        return Architecture(name)
    except ValueError:
        raise CannotLearn(
            f"Models of the architecture {name[:60]} cannot learn yet.",
            hint=f"Those that can: {', '.join(Architecture)}.",
        ) from None


def mlx_name(kind: Architecture, name: str) -> str | None:
    """Return MLX's name for the tensor that has this name in a GGUF file; None if MLX has no such
    tensor.
    """
    stem, _, leaf = name.rpartition(".")
    if stem in _WHOLE and leaf == "weight":
        return f"{_WHOLE[stem]}.weight"
    found = _LAYERED.fullmatch(name)
    names = _GEMMA_LAYER if kind in GEMMAS and kind is not Architecture.GEMMA else _LAYER
    if found is None or found[2] not in names:
        return None
    return f"model.layers.{found[1]}.{names[found[2]]}.{found[3]}"


def layout_of(kind: Architecture, name: str) -> Layout:
    """Return in which layout (order of rows, added constant) a GGUF file stores the numbers of a
    tensor; `name` is the tensor's name in MLX.
    """
    if kind is Architecture.LLAMA and ".q_proj." in name:
        return Layout.QUERY_ROWS
    if kind is Architecture.LLAMA and ".k_proj." in name:
        return Layout.KEY_ROWS
    if kind in GEMMAS and name.endswith("norm.weight"):
        return Layout.PLUS_ONE
    return Layout.SAME
