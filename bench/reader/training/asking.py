"""What a trained network says of exchanges, by PyTorch.

On processors that multiply matrices in bfloat16 it is many times as fast as MLX, and says the same
but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer

from bench.reader.training.net import TaughtNet, batch_of
from bench.reader.training.plan import Plan, grouped
from lull.core.feedback.exchange import Exchange
from lull.engine.reader.length import shorten_exchange
from lull.engine.reader.net import encode
from lull.engine.reader.reading import Logits, cleaned


def logits_of(
    plan: Plan,
    base: Path,
    weights: Path,
    exchanges: Sequence[Exchange],
    *,
    dtype: torch.dtype = torch.bfloat16,
) -> list[Logits]:
    """Return what trained weights say of exchanges, in order, as `lull.engine.reader.reading`
    does.
    """
    shape = plan.shape()
    net = TaughtNet(base, shape, dtype=dtype)
    net.wear(weights)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    whole = [encode(tokenizer, cleaned(one), shape["turn_marks"]) for one in exchanges]
    cut = [shorten_exchange(one) for one in whole]
    lengths = [len(one.ids) for one, _ in cut]
    found: dict[int, Logits] = {}
    for picks in grouped(lengths, sorted(range(len(lengths)), key=lengths.__getitem__)):
        with torch.no_grad():
            labels_BL, classes_BK, sentence_BS = net(batch_of([cut[i][0] for i in picks]))
        for row, i in enumerate(picks):
            seen = dict(zip(cut[i][1], sentence_BS[row].tolist(), strict=False))
            found[i] = Logits(
                labels=tuple(labels_BL[row].tolist()),
                classes=tuple(classes_BK[row].tolist()),
                sentences=tuple(seen.get(at) for at in range(len(whole[i].spans))),
            )
    return [found[i] for i in range(len(cut))]
