"""The small model run by PyTorch in bfloat16: several times as fast as MLX on a processor with AMX.

Its answers differ from MLX's in float32 in a word here and there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch

from bench.english.model.net import WIDTHS, LoraNet, LoraShape
from bench.english.model.tokens import Messages, Said, Tokenizer

AT_ONCE: Final = 96
"""Most answers decoded side by side."""


class FastSmall(Tokenizer):
    """The small model with its tokenizer, and LoRA layers if asked for."""

    def __init__(
        self, base: Path, *, rank: int = 0, scale: float = 2.0, layers: int = 0, seed: int = 0
    ) -> None:
        """With `rank` 0 it has no LoRA; else the last `layers` blocks have it (0: all), at 0."""
        super().__init__(base)
        self.net = LoraNet(base, LoraShape(rank=rank, scale=scale, layers=layers), seed=seed)

    def wear(self, *, adapter: bool) -> None:
        """Switch the LoRA layers on or off; off, the model is exactly the base."""
        self.net.worn = adapter

    def answers(
        self, asked: Sequence[Messages], *, most: int, temperature: float = 0.0, seed: int = 0
    ) -> list[Said]:
        """Answer conversations side by side; greedily at temperature 0."""
        prompts = [self.prompt(one) for one in asked]
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        found: dict[int, Said] = {}
        for start in range(0, len(order), AT_ONCE):
            picks = order[start : start + AT_ONCE]
            told = self.net.answers(
                [prompts[i] for i in picks],
                most=most,
                ends=self.ends,
                temperature=temperature,
                seed=seed + start,
            )
            for i, ids in zip(picks, told, strict=True):
                found[i] = Said(text=self.text(ids), ended=len(ids) < most)
        return [found[i] for i in range(len(prompts))]

    @torch.no_grad()
    def log_shares(self, prompt: Sequence[int], answer: Sequence[int]) -> Any:
        """Return the log-probabilities at each token of an answer, shape (tokens, vocabulary)."""
        ids = [*prompt, *answer[:-1]]
        # nothing before them sees the places that fill the width up
        hidden_BTD = self.net.hidden(torch.tensor([ids + [0] * (-len(ids) % WIDTHS)]))
        logits_NV = self.net.logits(hidden_BTD[0, len(prompt) - 1 : len(ids)]).float()
        return torch.log_softmax(logits_NV, -1).numpy()

    def fingerprint(self) -> str:
        """Return a short hash of the LoRA layers."""
        found = hashlib.sha256()
        for name, one in sorted(self.net.trained().items()):
            found.update(name.encode() + one.detach().half().numpy().tobytes())
        return found.hexdigest()[:12]
