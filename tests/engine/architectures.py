"""Runs tiny random models of several families through the batcher, each alone and together.

The families differ in their caches: plain, sliding window, recurrent state, both, compressed, and
chunked ones that cannot share a batch. It runs in a process of its own and prints one JSON line for
each family.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from lull.core.models.engine import Chunk
from lull.engine.main import prepare_imports

prepare_imports()

import mlx.core as mx  # noqa: E402
from mlx import nn  # noqa: E402
from mlx.utils import tree_flatten  # noqa: E402

from lull.engine.adapters import AdapterSwitcher, LoadedAdapter  # noqa: E402
from lull.engine.answer import AnswerVocabulary, GeneratedAnswer  # noqa: E402
from lull.engine.batcher import Batcher  # noqa: E402
from lull.engine.sampling import SamplingParams  # noqa: E402
from lull.engine.text import AnswerText  # noqa: E402

SIZE = 100
LENGTHS = [3, 40, 33, 64, 1]
PLAIN: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "intermediate_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "rms_norm_eps": 1e-6,
    "vocab_size": SIZE,
    "rope_theta": 1e4,
    "max_position_embeddings": 512,
    "tie_word_embeddings": True,
}
EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 32, "norm_topk_prob": True}
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": PLAIN,
    "gemma3_text": PLAIN
    | {"sliding_window": 16, "sliding_window_pattern": 2, "query_pre_attn_scalar": 8},
    "qwen3_moe": PLAIN
    | EXPERTS
    | {"num_experts": 4, "decoder_sparse_step": 1, "mlp_only_layers": []},
    "mamba": {
        "vocab_size": SIZE,
        "hidden_size": 32,
        "intermediate_size": 64,
        "state_size": 8,
        "num_hidden_layers": 2,
        "conv_kernel": 4,
        "use_bias": False,
        "use_conv_bias": True,
        "time_step_rank": 4,
    },
    "lfm2": PLAIN
    | {
        "num_hidden_layers": 3,
        "norm_eps": 1e-6,
        "conv_bias": False,
        "conv_L_cache": 3,
        "block_dim": 32,
        "block_ff_dim": 64,
        "block_multiple_of": 16,
        "block_ffn_dim_multiplier": 1.0,
        "block_auto_adjust_ff_dim": False,
        "full_attn_idxs": [1],
    },
    "llama4": {
        "text_config": PLAIN
        | {
            "model_type": "llama4_text",
            "attention_bias": False,
            "attention_chunk_size": 32,
            "hidden_act": "silu",
            "interleave_moe_layer_step": 2,
            "intermediate_size_mlp": 64,
            "num_experts_per_tok": 1,
            "num_local_experts": 2,
            "rope_scaling": None,
            "use_qk_norm": True,
        }
    },
}
TUNED = {
    "llama": ["model.layers.1.self_attn.q_proj", "model.embed_tokens"],
    "qwen3_moe": ["model.layers.0.mlp.switch_mlp.up_proj", "model.layers.2.self_attn.o_proj"],
}


def make(family: str) -> Any:
    module = importlib.import_module(f"mlx_lm.models.{family}")
    model = module.Model(module.ModelArgs.from_dict(FAMILIES[family] | {"model_type": family}))
    mx.random.seed(1)
    weights: Any = tree_flatten(model.parameters())
    drawn = [(k, mx.random.normal(v.shape) * 0.15 if v.ndim >= 2 else v) for k, v in weights]
    model.load_weights(drawn, strict=False)
    model.eval()
    mx.eval(model.parameters())
    return model


def adapter_folder(model: Any, paths: list[str], folder: Path) -> None:
    """Save a random adapter for these layers as mlx-lm's trainer would: convert, fill, write."""
    from mlx_lm.tuner.lora import LoRAEmbedding, LoRALinear, LoRASwitchLinear

    weights = {}
    modules = dict(model.named_modules())
    for path in paths:
        base = modules[path]
        kind = LoRASwitchLinear if "switch" in path else LoRALinear
        kind = LoRAEmbedding if "embed" in path else kind
        layer: Any = kind.from_base(base, r=4)
        for leaf in ("lora_a", "lora_b"):
            weights[f"{path}.{leaf}"] = mx.random.normal(layer[leaf].shape) * 0.4
    mx.save_safetensors(str(folder / "adapters.safetensors"), weights)
    config = {"fine_tune_type": "lora", "lora_parameters": {"rank": 4, "scale": 3.0}}
    (folder / "adapter_config.json").write_text(json.dumps(config))


class Talk:
    def __init__(self, model: Any) -> None:
        self.said: dict[str, list[int]] = {}
        self.shelf = AdapterSwitcher(model)
        self.batcher = Batcher(
            model,
            self.shelf,
            most_at_once=8,
            slice_tokens=16,
            prefix_cache_bytes=1 << 24,
            has_room=lambda: True,
        )

    def ask(self, name: str, length: int, adapter: LoadedAdapter | None = None) -> None:
        words = AnswerVocabulary(
            decode=lambda ids: "x" * len(ids), end_ids=frozenset([2]), size=SIZE
        )
        answer = GeneratedAnswer(
            id=f"{name} {length}",
            prompt=[(7 * k + length) % 90 + 5 for k in range(length)],
            adapter=adapter,
            draw=SamplingParams(seed=length, temperature=0.8),
            max_tokens=12,
            logprobs=0,
            text=AnswerText(words.decode, ()),
            vocabulary=words,
            send=self._hear,
        )
        self.batcher.add(answer)

    def _hear(self, name: str, chunk: Chunk) -> None:
        self.said.setdefault(name, []).extend(token.id for token in chunk.tokens)

    def finish(self) -> None:
        while self.batcher.in_flight:
            self.batcher.round()

    def heard(self, name: str) -> list[list[int]]:
        return [self.said[f"{name} {length}"] for length in LENGTHS]


def examine(model: Any, tuned: list[str]) -> dict[str, bool]:
    talk = Talk(model)
    adapter = None
    if tuned:
        with tempfile.TemporaryDirectory() as folder:
            adapter_folder(model, tuned, Path(folder))
            talk.shelf.load("v1", Path(folder))
        adapter = talk.shelf.get("v1")
    for length in LENGTHS:
        talk.ask("alone", length)
        talk.finish()
        talk.ask("tuned alone", length, adapter)
        talk.finish()
    talk.batcher.forget_prefixes()
    for length in LENGTHS:
        talk.ask("company", length)
        talk.ask("tuned company", length, adapter)
        talk.batcher.round()
    talk.finish()
    for length in LENGTHS:
        talk.ask("again", length)
        talk.finish()
    return {
        "company": talk.heard("company") == talk.heard("alone"),
        "tuned company": talk.heard("tuned company") == talk.heard("tuned alone"),
        "known beginnings": talk.heard("again") == talk.heard("alone"),
        "tuned differs": (talk.heard("tuned alone") != talk.heard("alone")) == bool(tuned),
    }


def main() -> None:
    for family in FAMILIES:
        verdict = examine(make(family), TUNED.get(family, []))
        sys.stdout.write(json.dumps({"family": family} | verdict) + "\n")
    quantized = make("llama")
    nn.quantize(quantized, group_size=32, bits=4)
    verdict = examine(quantized, TUNED["llama"])
    sys.stdout.write(json.dumps({"family": "llama in 4 bits"} | verdict) + "\n")


if __name__ == "__main__":
    main()
