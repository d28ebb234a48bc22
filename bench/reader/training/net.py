"""The reader's network in PyTorch, for training; it computes what `lull.engine.reader.net` does.

Shapes: B exchanges, T tokens, D width, S sentences, L labels, K classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from bench.english.model.net import LoraNet, LoraShape
from lull.engine.reader.net import EncodedExchange

WIDTHS: Final = 16
"""Widths are multiples of it: each new one costs the libraries a preparation."""
NORM_EPS: Final = 1e-5
"""What MLX's RMSNorm takes where nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Exchanges padded on the right; as in `lull.engine.reader.net`."""

    ids_BT: Tensor  # noqa: N815
    last_B: Tensor  # noqa: N815
    said_BT: Tensor  # noqa: N815
    spans_BST: Tensor  # noqa: N815


def batch_of(encoded: Sequence[EncodedExchange]) -> Batch:
    width = -(-max(len(one.ids) for one in encoded) // WIDTHS) * WIDTHS
    most = max(len(one.spans) for one in encoded)
    ids_BT = torch.zeros(len(encoded), width, dtype=torch.long)
    said_BT = torch.zeros(len(encoded), width)
    spans_BST = torch.zeros(len(encoded), most, width)
    for row, one in enumerate(encoded):
        ids_BT[row, : len(one.ids)] = torch.tensor(one.ids)
        said_BT[row, one.spans[0][0] : one.spans[-1][1]] = 1
        for sentence, (first, end) in enumerate(one.spans):
            spans_BST[row, sentence, first:end] = 1
    last_B = torch.tensor([len(one.ids) - 1 for one in encoded])
    return Batch(ids_BT=ids_BT, last_B=last_B, said_BT=said_BT, spans_BST=spans_BST)


class TaughtNet(nn.Module):
    """The lower layers of a small model, the upper ones of them with LoRA, and the heads."""

    def __init__(
        self,
        folder: Path,
        shape: Mapping[str, Any],
        *,
        seed: int = 0,
        dtype: torch.dtype = torch.bfloat16,
    ) -> None:
        super().__init__()
        self.frozen: int = shape["frozen"]
        self.both_ways: bool = shape["both_ways"]
        lora = LoraShape(
            rank=shape["rank"],
            scale=shape["scale"],
            layers=shape["layers"] - shape["frozen"],
            blocks=shape["layers"],
        )
        self.base = LoraNet(folder, lora, seed=seed, dtype=dtype)
        width = self.base.embed_VD.shape[1]
        self.norm = nn.Parameter(torch.ones(width))
        self.labels = self._linear(2 * width, len(shape["labels"]))
        self.classes = self._linear(3 * width, len(shape["classes"]))
        self.sentence = self._linear(2 * width, 1)

    def _linear(self, size_in: int, size_out: int) -> nn.Linear:
        made = nn.Linear(size_in, size_out)
        with torch.no_grad():
            for one in made.parameters():
                drawn = torch.rand(one.shape, generator=self.base.chance)
                one.copy_((drawn * 2 - 1) * size_in**-0.5)
        return made

    @torch.no_grad()
    def lower(self, ids_BT: Tensor) -> Tensor:
        """Return the hidden states after the frozen lower layers, (B, T, D)."""
        h_BTD = functional.embedding(ids_BT, self.base.embed_VD)
        turn, mask_BTT = self.base.turn(_places(h_BTD)), self._causal(h_BTD)
        for block in self.base.blocks[: self.frozen]:
            h_BTD = self.base.through(block, h_BTD, turn, mask_BTT)
        return h_BTD

    def upper(self, h_BTD: Tensor, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return the labels' log-odds (B, L), the classes' logits (B, K) and each sentence's
        log-odds (B, S), from the lower layers' hidden states.
        """
        turn, mask_BTT = self.base.turn(_places(h_BTD)), self._causal(h_BTD)
        if self.both_ways:
            seen_BT = torch.arange(h_BTD.shape[1])[None] <= batch.last_B[:, None]
            mask_BTT = self.base.mask(seen_BT[:, None, :])
        for block in self.base.blocks[self.frozen :]:
            h_BTD = self.base.through(block, h_BTD, turn, mask_BTT)
        h_BTD = h_BTD.float()
        h_BTD = h_BTD * torch.rsqrt(h_BTD.pow(2).mean(-1, keepdim=True) + NORM_EPS) * self.norm
        last_BD = h_BTD[torch.arange(len(h_BTD)), batch.last_B]
        said_BD = _mean(batch.said_BT[:, None, :], h_BTD)[:, 0]
        spans_BSD = _mean(batch.spans_BST, h_BTD)
        ends_BSD = last_BD[:, None].expand_as(spans_BSD)
        sentence_BS = self.sentence(torch.cat((spans_BSD, ends_BSD), -1))[..., 0]
        whole_BE = torch.cat((last_BD, said_BD), -1)
        missing_BS = batch.spans_BST.sum(-1) == 0
        share_BS = torch.softmax(sentence_BS.detach().masked_fill(missing_BS, -1e9), -1)
        stated_BD = (share_BS[..., None] * spans_BSD).sum(1)
        return (
            self.labels(whole_BE),
            self.classes(torch.cat((whole_BE, stated_BD), -1)),
            sentence_BS,
        )

    def _causal(self, h_BTD: Tensor) -> Tensor:
        width = h_BTD.shape[1]
        return torch.full((1, width, width), -torch.inf, dtype=self.base.dtype).triu(1)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        return self.upper(self.lower(batch.ids_BT), batch)

    def trained(self) -> dict[str, nn.Parameter]:
        """Return what is trained, under the names that the MLX network has for it."""
        lora = self.base.trained().items()
        heads = {
            f"{name}.{part}": getattr(getattr(self, name), part)
            for name in ("labels", "classes", "sentence")
            for part in ("weight", "bias")
        }
        inner = {f"base.{name.removeprefix('model.')}": one for name, one in lora}
        return {**inner, "norm.weight": self.norm, **heads}

    def wear(self, file: Path) -> None:
        """Take over trained weights from a file that ships."""
        given = load_file(file)
        with torch.no_grad():
            for name, one in self.trained().items():
                one.copy_(given[name].float())


def _places(h_BTD: Tensor) -> Tensor:
    return torch.arange(h_BTD.shape[1])[None]


def _mean(weights_BST: Tensor, h_BTD: Tensor) -> Tensor:
    return (weights_BST @ h_BTD) / weights_BST.sum(-1, keepdim=True).clamp(min=1)
