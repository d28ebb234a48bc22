"""Describes a GGUF model in MLX's format: its config.json, and each tensor's name and layout.

Covers the architectures that Lull can train. Anything that MLX would compute differently is
rejected by name, never guessed: nearly right weights would be trained wrongly for nights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.errors import CannotLearn, WeightsError
from lull.core.models.gguf.architectures import (
    GEMMAS,
    Architecture,
    Layout,
    architecture_of,
    layout_of,
    mlx_name,
)
from lull.core.models.gguf.head import BaseTensor, Metadata, as_written, damaged
from lull.core.models.gguf.rope_scaling import Config, rope_scaling

_NOT_FOR_MLX: Final = ("rope_freqs.weight",)
"""Tensors that the config describes instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedTensor:
    """A tensor of a GGUF file with its name and layout in MLX."""

    tensor: BaseTensor
    name: str
    """The tensor's name in MLX."""
    layout: Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """A GGUF model file's architecture and tensors, translated to those of an MLX model."""

    architecture: Architecture
    config: Config
    """The model's config.json without the token ids."""
    placed: tuple[MappedTensor, ...]
    heads: int
    kv_heads: int

    def heads_of(self, layout: Layout) -> int:
        """Return the number of attention heads among which the rows of a tensor with this layout
        are divided: query heads or key/value heads.
        """
        return self.heads if layout is Layout.QUERY_ROWS else self.kv_heads


def model_shape(
    meta: Metadata, tensors: Sequence[BaseTensor], freqs: Sequence[float]
) -> ModelShape:
    """Return the description of a GGUF model in MLX's format: its config.json, and the name and
    layout of each tensor.

    `freqs`: the values of rope_freqs.weight, if there is such a tensor. Raises CannotLearn for a
    model that MLX would compute differently, WeightsError for an inconsistent file.
    """
    kind = architecture_of(meta.architecture)
    _refuse_other_kinds(meta, kind, tensors)
    placed = tuple(_placed(kind, tensor) for tensor in tensors if tensor.name not in _NOT_FOR_MLX)
    shapes = {one.name: one.tensor.shape for one in placed}
    config = _config(meta, kind, shapes, freqs)
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    assert isinstance(heads, int)
    assert isinstance(kv_heads, int)
    _check_shapes(config, kind, shapes)
    return ModelShape(
        architecture=kind, config=config, placed=placed, heads=heads, kv_heads=kv_heads
    )


def _placed(kind: Architecture, tensor: BaseTensor) -> MappedTensor:
    name = mlx_name(kind, tensor.name)
    if name is None:
        raise CannotLearn(
            f"It has a part that Lull does not know: {tensor.name[:80]}.",
            hint=f"It is not a plain {kind} model.",
        )
    return MappedTensor(tensor=tensor, name=name, layout=layout_of(kind, name))


def _refuse_other_kinds(meta: Metadata, kind: Architecture, tensors: Sequence[BaseTensor]) -> None:
    if meta.whole(f"{kind}.expert_count", 0) > 0:
        raise CannotLearn("It is a mixture of experts, which cannot learn yet.")
    if any(one.name.startswith(("v.", "mm.")) for one in tensors):
        raise CannotLearn("It also reads pictures; such models cannot learn yet.")
    if f"{kind}.pooling_type" in meta and meta.whole(f"{kind}.pooling_type") > 0:
        raise CannotLearn("It makes embeddings and does not answer.")


# config.json


def _config(
    meta: Metadata,
    kind: Architecture,
    shapes: Mapping[str, tuple[int, ...]],
    freqs: Sequence[float],
) -> Config:
    def whole(key: str, default: int | None = None) -> int:
        return meta.whole(f"{kind}.{key}", default)

    hidden, heads = whole("embedding_length"), whole("attention.head_count")
    if heads < 1 or hidden < 1:
        raise damaged("it says that it has no heads")
    head = whole("attention.key_length", whole("rope.dimension_count", hidden // heads))
    config: Config = {
        "model_type": "gemma3_text" if kind is Architecture.GEMMA3 else kind.value,
        "architectures": [_CLASSES[kind]],
        "hidden_size": hidden,
        "num_hidden_layers": whole("block_count"),
        "intermediate_size": whole("feed_forward_length"),
        "num_attention_heads": heads,
        "num_key_value_heads": whole("attention.head_count_kv", heads),
        "head_dim": head,
        "rms_norm_eps": as_written(meta.number(f"{kind}.attention.layer_norm_rms_epsilon", 1e-6)),
        "vocab_size": _rows(shapes, "model.embed_tokens.weight"),
        "max_position_embeddings": whole("context_length"),
        "rope_theta": as_written(meta.number(f"{kind}.rope.freq_base", _THETA.get(kind, 1e4))),
        "tie_word_embeddings": "lm_head.weight" not in shapes,
        "hidden_act": "gelu_pytorch_tanh" if kind in GEMMAS else "silu",
    }
    _refuse_part_rotation(meta, kind, config)
    theta = _float(config["rope_theta"])
    scaling = rope_scaling(meta, kind, freqs, head=head, theta=theta)
    if scaling is not None:
        config["rope_scaling"] = scaling
    return config | _more(meta, kind, config, shapes)


_CLASSES: Final = {
    Architecture.LLAMA: "LlamaForCausalLM",
    Architecture.QWEN2: "Qwen2ForCausalLM",
    Architecture.QWEN3: "Qwen3ForCausalLM",
    Architecture.GEMMA: "GemmaForCausalLM",
    Architecture.GEMMA2: "Gemma2ForCausalLM",
    Architecture.GEMMA3: "Gemma3ForCausalLM",
}
_THETA: Final = {Architecture.QWEN2: 1e6, Architecture.QWEN3: 1e6, Architecture.GEMMA3: 1e6}


def _rows(shapes: Mapping[str, tuple[int, ...]], name: str) -> int:
    if len(shapes.get(name, ())) != 2:
        raise damaged(f"it has no tensor {name}")
    return shapes[name][0]


def _refuse_part_rotation(meta: Metadata, kind: Architecture, config: Config) -> None:
    head = config["head_dim"]
    if meta.whole(f"{kind}.rope.dimension_count", _int(head)) != head:
        raise CannotLearn("Its rotary embedding covers only part of each head.")
    if meta.whole(f"{kind}.attention.value_length", _int(head)) != head:
        raise CannotLearn("Its heads have values of a different size from keys.")
    wide = _int(config["num_attention_heads"]) * _int(head) == config["hidden_size"]
    if kind is Architecture.QWEN2 and not wide:
        raise CannotLearn("Its attention heads do not add up to its width.")


def _more(
    meta: Metadata, kind: Architecture, config: Config, shapes: Mapping[str, tuple[int, ...]]
) -> Config:
    match kind:
        case Architecture.LLAMA:
            return {
                "attention_bias": _all_or_none(shapes, "self_attn", ("q", "k", "v", "o")),
                "mlp_bias": _all_or_none(shapes, "mlp", ("gate", "up", "down")),
            }
        case Architecture.GEMMA2:
            return {
                "query_pre_attn_scalar": _gemma_scalar(config, layers_of_largest=46),
                "attn_logit_softcapping": meta.number(f"{kind}.attn_logit_softcapping", 50.0),
                "final_logit_softcapping": meta.number(f"{kind}.final_logit_softcapping", 30.0),
            }
        case Architecture.GEMMA3:
            return _gemma3(meta, config)
        case _:
            return {}


def _all_or_none(shapes: Mapping[str, tuple[int, ...]], part: str, stems: tuple[str, ...]) -> bool:
    there = [f"model.layers.0.{part}.{stem}_proj.bias" in shapes for stem in stems]
    if any(there) and not all(there):
        raise CannotLearn("Only some of its projections have a bias.")
    return all(there)


def _gemma_scalar(config: Config, *, layers_of_largest: int) -> int:
    """The scale of attention by llama.cpp's rule: only the largest gemma of a family divides by its
    width per head (src/llama-model.cpp, f_attention_scale)."""
    if config["num_hidden_layers"] == layers_of_largest:
        return _int(config["hidden_size"]) // _int(config["num_attention_heads"])
    return _int(config["head_dim"])


def _gemma3(meta: Metadata, config: Config) -> Config:
    """Return the config fields of Gemma 3 alone; Ollama's files name the two rotary bases
    (`rope.global.`, `rope.local.`).
    """
    theta = meta.number("gemma3.rope.global.freq_base", _float(config["rope_theta"]))
    local = meta.number(
        "gemma3.rope.local.freq_base", meta.number("gemma3.rope.freq_base_swa", 1e4)
    )
    if meta.number("gemma3.final_logit_softcapping", 0.0):
        raise CannotLearn("It caps its logits, which gemma3 does not do in MLX.")
    return {
        "rope_theta": as_written(theta),
        "rope_local_base_freq": as_written(local),
        "sliding_window": meta.whole("gemma3.attention.sliding_window"),
        "sliding_window_pattern": meta.whole("gemma3.attention.sliding_window_pattern", 6),
        "query_pre_attn_scalar": _gemma_scalar(config, layers_of_largest=62),
    }


# Consistency


def _check_shapes(
    config: Config, kind: Architecture, shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """Checks that every tensor MLX needs is present with the right shape, and no other. Raises
    WeightsError."""
    wanted = dict(_wanted(config, kind))
    for name, shape in wanted.items():
        if name not in shapes:
            raise damaged(f"it has no tensor {name}")
        if shapes[name] != shape:
            raise damaged(f"{name} has the shape {shapes[name]}, not {shape}")
    more = next((name for name in shapes if name not in wanted), None)
    if more is not None:
        raise WeightsError(f"{more} has no place in a {kind} model.")


def _wanted(config: Config, kind: Architecture) -> list[tuple[str, tuple[int, ...]]]:
    hidden, vocabulary = _int(config["hidden_size"]), _int(config["vocab_size"])
    layers = _int(config["num_hidden_layers"])
    if not 1 <= layers <= 1024:
        raise damaged(f"it says that it has {layers} layers")
    found: list[tuple[str, tuple[int, ...]]] = [
        ("model.embed_tokens.weight", (vocabulary, hidden)),
        ("model.norm.weight", (hidden,)),
    ]
    if not config["tie_word_embeddings"]:
        found.append(("lm_head.weight", (vocabulary, hidden)))
    one = _wanted_of_a_layer(config, kind)
    for at in range(layers):
        found += [(f"model.layers.{at}.{name}", shape) for name, shape in one]
    return found


def _wanted_of_a_layer(config: Config, kind: Architecture) -> list[tuple[str, tuple[int, ...]]]:
    hidden, inner = _int(config["hidden_size"]), _int(config["intermediate_size"])
    head = _int(config["head_dim"])
    q, kv = _int(config["num_attention_heads"]) * head, _int(config["num_key_value_heads"]) * head
    matrices = {
        "self_attn.q_proj": (q, hidden),
        "self_attn.k_proj": (kv, hidden),
        "self_attn.v_proj": (kv, hidden),
        "self_attn.o_proj": (hidden, q),
        "mlp.gate_proj": (inner, hidden),
        "mlp.up_proj": (inner, hidden),
        "mlp.down_proj": (hidden, inner),
    }
    biased = [
        name
        for name in matrices
        if (kind is Architecture.QWEN2 and name.startswith("self_attn") and "o_proj" not in name)
        or (config.get("attention_bias") and name.startswith("self_attn"))
        or (config.get("mlp_bias") and name.startswith("mlp"))
    ]
    norms = dict.fromkeys(("input_layernorm", "post_attention_layernorm"), (hidden,))
    if kind in (Architecture.GEMMA2, Architecture.GEMMA3):
        norms |= {f"{when}_feedforward_layernorm": (hidden,) for when in ("pre", "post")}
    if kind in (Architecture.QWEN3, Architecture.GEMMA3):
        norms |= {f"self_attn.{which}_norm": (head,) for which in ("q", "k")}
    return [
        *((f"{name}.weight", shape) for name, shape in matrices.items()),
        *((f"{name}.bias", matrices[name][:1]) for name in biased),
        *((f"{name}.weight", shape) for name, shape in norms.items()),
    ]


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value


def _float(value: object) -> float:
    assert isinstance(value, float)
    return value
