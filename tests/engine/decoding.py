"""Decodes with tiny random models by the engine's decoder and by mlx-lm, each from the same caches.

It runs in a process of its own and prints one JSON line for each case: how far the logits were
apart, as a share of the largest, and whether NumPy computed them.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from lull.engine.main import prepare_imports

prepare_imports()

import mlx.core as mx  # noqa: E402
import numpy as np  # noqa: E402
from mlx import nn  # noqa: E402
from mlx.utils import tree_flatten  # noqa: E402
from mlx_lm.models import llama, qwen3  # noqa: E402
from mlx_lm.models.cache import make_prompt_cache  # noqa: E402
from mlx_lm.tuner.dora import DoRALinear  # noqa: E402
from mlx_lm.tuner.lora import LoRAEmbedding, LoRALinear  # noqa: E402

from lull.engine.adapters import LoadedAdapter  # noqa: E402
from lull.engine.decoder import Decoder  # noqa: E402
from lull.engine.lane import _joined, _merged  # noqa: E402

SIZE = 100
SHAPE: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "intermediate_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "vocab_size": SIZE,
    "rope_theta": 1e4,
    "max_position_embeddings": 1024,
    "tie_word_embeddings": True,
}
LINEAR = [
    *(f"self_attn.{name}_proj" for name in "qkvo"),
    *(f"mlp.{name}_proj" for name in ("gate", "up", "down")),
]
BLOCK = "model.layers.1."


def model_of(module: Any = llama, **more: Any) -> Any:
    shape = {**SHAPE, "model_type": module.__name__.rpartition(".")[2], **more}
    model = module.Model(module.ModelArgs.from_dict(shape))
    weights: Any = tree_flatten(model.parameters())
    drawn = [(name, 0.5 * mx.random.normal(array.shape)) for name, array in weights]
    model.load_weights(drawn, strict=False)
    model.eval()
    mx.eval(model.parameters())
    return model


def tuned(model: Any, kind: Any, paths: list[str]) -> Any:
    """Put random adapter layers into the model."""
    for path in paths:
        *parents, name = path.split(".")
        at = model
        for step in parents:
            at = at[int(step)] if isinstance(at, list) else at[step]
        layer = kind.from_base(at[name], r=4, scale=3.0)
        for leaf in ("lora_a", "lora_b"):
            layer[leaf] = 0.3 * mx.random.normal(layer[leaf].shape)
        at[name] = layer
    model.eval()
    return model


def quantized(model: Any) -> Any:
    nn.quantize(model, group_size=32, bits=8)
    return model


def halved(model: Any) -> Any:
    model.set_dtype(mx.float16)
    return model


def prompt_cache(model: Any, length: int) -> list[Any]:
    cache = make_prompt_cache(model)
    if length:
        mx.eval(model(mx.random.randint(0, SIZE, (1, length)), cache=cache))
    return cache


def caches(model: Any, lengths: list[int]) -> list[Any]:
    made = [prompt_cache(model, length) for length in lengths]
    return made[0] if len(made) == 1 else _merged(made)


Change = Callable[[list[Any]], list[Any]]
"""What happens to the caches between two tokens, such as that an answer ends."""


def left_by(rows: list[int]) -> Change:
    def change(cache: list[Any]) -> list[Any]:
        for layer in cache:
            layer.filter(rows)
        return cache

    return change


def joined_by(model: Any, length: int) -> Change:
    more = prompt_cache(model, length)
    return lambda cache: _joined(cache, copy.deepcopy(more))


def apart(
    model: Any,
    lengths: list[int],
    *,
    tokens: int = 4,
    change: Change | None = None,
    adapter: LoadedAdapter | None = None,
) -> dict[str, Any]:
    """Decode by both; the same random tokens follow, so that no small difference grows."""
    ours = caches(model, lengths)
    theirs, kept = copy.deepcopy(ours), copy.deepcopy(ours)
    before = _numbers(kept)
    decoder, difference, rows = Decoder(model), 0.0, len(lengths)
    for at in range(tokens):
        if at == tokens // 2 and change is not None:
            ours, theirs = change(ours), change(theirs)
            size = getattr(ours[0].offset, "shape", None)
            rows = size[0] if size else 1
        tokens_B = mx.random.randint(0, SIZE, (rows,))
        got = decoder(tokens_B, ours, adapter)
        wanted = model(tokens_B[:, None], cache=theirs)[:, -1, :]
        assert got.shape == wanted.shape
        share: Any = mx.abs(got - wanted).max() / mx.abs(wanted).max()
        difference = max(difference, share.item())
    # What somebody else holds of the cache, such as the prefix cache, is as it was.
    assert all(map(np.array_equal, _numbers(kept), before))
    return {"difference": difference, "by_numpy": decoder.waits(adapter)}


def _numbers(cache: list[Any]) -> list[Any]:
    return [np.array(one) for layer in cache for one in layer.state[:2] if one is not None]


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    plain = model_of()
    yield "one answer", apart(plain, [7])
    yield "from the first token", apart(plain, [0])
    yield "over the cache's steps", apart(plain, [254], tokens=6)
    yield "a batch", apart(plain, [5, 5, 5])
    yield "a padded batch", apart(plain, [3, 40, 1, 17])
    yield "a padded batch over the cache's steps", apart(plain, [255, 30], tokens=6)
    yield "an answer ends", apart(plain, [3, 40, 17], change=left_by([0, 2]))
    yield "a second answer joins", apart(plain, [9], change=joined_by(plain, 31))
    yield "a third answer joins", apart(plain, [9, 4], change=joined_by(plain, 31))
    yield "a head of its own", apart(model_of(tie_word_embeddings=False), [6, 9])
    yield "biases", apart(model_of(attention_bias=True, mlp_bias=True), [6, 9])
    yield "a key for each query", apart(model_of(num_key_value_heads=4), [6, 9])
    yield "heads of another size", apart(model_of(head_dim=16), [6, 9])
    stretched = {"rope_scaling": {"type": "linear", "factor": 2.0}}
    yield "stretched positions", apart(model_of(**stretched), [6, 9])
    everywhere = [BLOCK + name for name in LINEAR]
    yield "an adapter", apart(tuned(model_of(), LoRALinear, everywhere), [6, 9])
    one = LoadedAdapter("v1", {})
    adapted = tuned(model_of(), LoRALinear, everywhere[:1])
    yield "an adapter on one layer", apart(adapted, [6], adapter=one)
    yield "huge gates", apart(_with_huge_gates(model_of()), [6])

    other = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 64}
    other |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    yield "mlx: other positions", apart(model_of(rope_scaling=other), [6, 9])
    yield "mlx: in pairs", apart(model_of(rope_traditional=True), [6, 9])
    sliding = ["full_attention", "sliding_attention", "full_attention"]
    yield "mlx: a window", apart(model_of(layer_types=sliding, sliding_window=16), [40])
    yield "mlx: half precision", apart(halved(model_of()), [6])
    yield "mlx: quantized", apart(quantized(model_of()), [6])
    yield "mlx: dora", apart(tuned(model_of(), DoRALinear, everywhere[:1]), [6])
    yield "mlx: embeddings", apart(tuned(model_of(), LoRAEmbedding, ["model.embed_tokens"]), [6])
    yield "mlx: another family", apart(model_of(qwen3, head_dim=8), [6, 9])


def _with_huge_gates(model: Any) -> Any:
    layer = model.model.layers[1].mlp.gate_proj
    layer.weight = 1000 * layer.weight
    return model


def shared() -> dict[str, Any]:
    """Whether no weight is in memory twice."""
    model = model_of()
    decoder = Decoder(model)
    decoder(mx.array([3]), prompt_cache(model, 4), None)
    seen = decoder._weights[None]
    assert seen is not None
    pairs = [
        (seen._tokens_VI, model.model.embed_tokens.weight),
        (seen._blocks[2]._down._weight_IO, model.model.layers[2].mlp.down_proj.weight),
    ]
    same = all(np.shares_memory(ours, np.asarray(theirs)) for ours, theirs in pairs)
    return {"difference": 0.0 if same else 1.0, "by_numpy": True}


if __name__ == "__main__":
    mx.random.seed(3)
    for name, verdict in [*cases(), ("weights are shared", shared())]:
        print(json.dumps({"case": name, **verdict}), flush=True)  # noqa: T201
