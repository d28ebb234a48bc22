"""Makes a tiny random model, then answers questions about it with plain mlx-lm, as a reference.

It has no batching and no streaming, only one forward after the other. It runs in a process of its
own, since importing MLX and transformers into the test process is slow and noisy.

    python -m tests.engine.reference FOLDER

makes FOLDER/model and FOLDER/adapters/{a,b,doubled} and then reads a JSON question a line.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm import load
from mlx_lm.models import llama
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

CHATML = (
    "{% for m in messages %}"
    "{% if m['role'] == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}"
    "<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
WINDOW = 512


def make_tokenizer(out: Path) -> int:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        ["the cat sat on the mat and the hat sat on the cat"] * 4, trainer
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    fast.chat_template = CHATML
    fast.save_pretrained(out)
    return len(fast)


def make_model(out: Path) -> None:
    out.mkdir(parents=True)
    config = {
        "model_type": "llama",
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "intermediate_size": 64,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "rms_norm_eps": 1e-6,
        "vocab_size": make_tokenizer(out),
        "rope_theta": 10000.0,
        "max_position_embeddings": WINDOW,
        "tie_word_embeddings": True,
        "eos_token_id": 2,
    }
    model = llama.Model(llama.ModelArgs.from_dict(config))
    mx.random.seed(0)
    weights = {
        name: mx.random.normal(array.shape) * 0.2 if array.ndim == 2 else array
        for name, array in tree_flatten(model.parameters())
    }
    # half precision on disk, as models come; the engine computes with single on a CPU
    half = {name: array.astype(mx.float16) for name, array in weights.items()}
    mx.save_safetensors(str(out / "model.safetensors"), half, metadata={"format": "mlx"})
    (out / "config.json").write_text(json.dumps(config))


def make_adapter(out: Path, *, seed: int, rank: int, scale: float, keys: list[str]) -> None:
    out.mkdir(parents=True)
    mx.random.seed(seed)
    sizes = {"self_attn.q_proj": (32, 32), "self_attn.v_proj": (32, 16), "mlp.down_proj": (64, 32)}
    weights = {}
    for layer in range(2):
        for key in keys:
            path = f"model.layers.{layer}.{key}"
            weights[f"{path}.lora_a"] = mx.random.normal((sizes[key][0], rank)) * 0.3
            weights[f"{path}.lora_b"] = mx.random.normal((rank, sizes[key][1])) * 0.3
    mx.save_safetensors(str(out / "adapters.safetensors"), weights)
    config = {
        "fine_tune_type": "lora",
        "num_layers": -1,
        "lora_parameters": {"rank": rank, "scale": scale, "dropout": 0.0, "keys": keys},
    }
    (out / "adapter_config.json").write_text(json.dumps(config))


class Reference:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._models: dict[str | None, Any] = {}
        self._tokenizer: Any = None

    def _model(self, adapter: str | None) -> Any:
        if adapter not in self._models:
            path = str(self._folder / "adapters" / adapter) if adapter else None
            model, self._tokenizer = load(str(self._folder / "model"), adapter_path=path)
            model.set_dtype(mx.float32)
            self._models[adapter] = model
        return self._models[adapter]

    def greedy(self, prompt: list[int], count: int, adapter: str | None) -> list[int]:
        model, ids = self._model(adapter), list(prompt)
        for _ in range(count):
            best: Any = mx.argmax(model(mx.array([ids]))[0, -1])
            ids.append(int(best.item()))
            if ids[-1] == 2:
                break
        return ids[len(prompt) :]

    def penalised(
        self,
        prompt: list[int],
        count: int,
        repeat: float,
        presence: float,
        frequency: float,
        last: int,
    ) -> list[int]:
        """Return the greedy answer with llama.cpp's penalties for the answer's own tokens."""
        model, ids = self._model(None), list[int]()
        while len(ids) < count and ids[-1:] != [2]:
            scores: list[float] = model(mx.array([prompt + ids]))[0, -1].tolist()
            for token in set(recent := ids[-last:]):
                score = scores[token]
                score = score / repeat if score > 0 else score * repeat
                scores[token] = score - presence - recent.count(token) * frequency
            ids.append(max(range(len(scores)), key=scores.__getitem__))
        return ids

    def logprobs(self, prompt: list[int], answer: list[int], adapter: str | None) -> list[float]:
        logits = self._model(adapter)(mx.array([prompt + answer]))[0]
        logprobs = logits - mx.logsumexp(logits, axis=-1, keepdims=True)
        return [float(logprobs[len(prompt) - 1 + i, t].item()) for i, t in enumerate(answer)]

    def divergence(
        self,
        prompt: list[int],
        answer: list[int],
        adapter: str | None,
        against: str | None,
        other_prompt: list[int],
    ) -> list[float]:
        """In one forward pass a side, whose prompts need not be the same."""
        sides = ((adapter, prompt), (against, other_prompt))
        p, q = (
            self._model(one)(mx.array([read + answer]))[0][len(read) - 1 : -1]
            for one, read in sides
        )
        p, q = (x - mx.logsumexp(x, axis=-1, keepdims=True) for x in (p, q))
        nats: Any = mx.sum(mx.exp(p) * (p - q), axis=-1)
        return list(nats.tolist())

    def decode(self, ids: list[int]) -> str:
        self._model(None)
        return str(self._tokenizer.decode(ids))

    def encode(self, text: str) -> list[int]:
        self._model(None)
        return list(self._tokenizer.encode(text, add_special_tokens=False))


def main(folder: Path) -> None:
    make_model(folder / "model")
    adapters = folder / "adapters"
    make_adapter(adapters / "a", seed=1, rank=4, scale=2.0, keys=["self_attn.q_proj"])
    wide = ["self_attn.v_proj", "mlp.down_proj"]
    make_adapter(adapters / "b", seed=2, rank=8, scale=1.5, keys=wide)
    reference = Reference(folder)
    for line in sys.stdin:
        question = json.loads(line)
        answer = getattr(reference, question.pop("ask"))(**question)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
