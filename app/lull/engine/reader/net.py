"""The feedback reader's network: a small language model with heads that classify a user's message.

The lower layers are the base model's own; the upper ones carry a LoRA that was trained with the
heads (bench/reader). The layers above them and the output head are not kept in memory. Shapes: B
exchanges, T tokens, D width, S sentences, L labels, K classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import mlx.core as mx
from mlx import nn
from mlx_lm.tuner.utils import linear_to_lora_layers

from lull.core.feedback.exchange import Exchange, readable

LINEAR: Final = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedExchange:
    """Token ids of one exchange (question, answer, next message), and the positions of the
    message's sentences.
    """

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    """[first, end) token positions of each sentence of the user's message."""


def encode(tokenizer: Any, exchange: Exchange, marks: tuple[int, int]) -> EncodedExchange:
    """Encode an exchange (question, answer, next message) as token ids.

    Each sentence of the user's message is tokenized separately. `tokenizer` is a
    `tokenizers.Tokenizer`, `marks` are the tokens that begin and end a turn.
    """
    begin, end = marks
    shown = readable(exchange)

    def ids_of(text: str) -> list[int]:
        # Template markers that a user typed must stay plain text.
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    def plain(text: str) -> str:
        return text.replace("<|", "< |")

    new_line = ids_of("\n")
    ids = [begin, *ids_of(f"user\n{plain(shown.asked)}"), end, *new_line]
    ids += [begin, *ids_of(f"assistant\n{plain(shown.answer)}"), end, *new_line]
    ids += [begin, *ids_of("user\n")]
    spans = []
    for sentence in shown.sentences or (" ",):
        own = ids_of(plain(sentence)) or ids_of(" ")
        spans.append((len(ids), len(ids) + len(own)))
        ids += own
    ids += [end, *new_line, begin, *ids_of("assistant\n")]
    return EncodedExchange(ids=tuple(ids), spans=tuple(spans))


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch of encoded exchanges (question, answer, next message) of similar length, padded on
    the right.
    """

    ids_BT: mx.array
    last_B: mx.array
    """Index of each exchange's last token, shape (B,)."""
    said_BT: mx.array
    """1 at the tokens of the user's message, 0 elsewhere, shape (B, T)."""
    spans_BST: mx.array
    """1 at the tokens of each sentence, 0 elsewhere, shape (B, S, T); all zeros for missing
    sentences.
    """


def batch_of(encoded: Sequence[EncodedExchange]) -> Batch:
    """Pad encoded exchanges (question, answer, next message) into one batch."""
    width = max(len(one.ids) for one in encoded)
    most = max(len(one.spans) for one in encoded)
    ids = [[*one.ids, *[0] * (width - len(one.ids))] for one in encoded]
    said, spans = [], []
    for one in encoded:
        first, end = one.spans[0][0], one.spans[-1][1]
        said.append([float(first <= t < end) for t in range(width)])
        rows = [[float(a <= t < b) for t in range(width)] for a, b in one.spans]
        spans.append(rows + [[0.0] * width] * (most - len(rows)))
    return Batch(
        ids_BT=mx.array(ids),
        last_B=mx.array([len(one.ids) - 1 for one in encoded]),
        said_BT=mx.array(said),
        spans_BST=mx.array(spans),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderShape:
    """Configuration of the feedback reader's network: numbers of layers, LoRA parameters, heads."""

    frozen: int
    """Number of lower layers without LoRA."""
    layers: int
    """Number of layers in all."""
    rank: int
    scale: float
    labels: tuple[str, ...]
    """Names of the yes-or-no heads."""
    classes: tuple[str, ...]
    """Classes of the head that tells which kind of check (a program) could test the user's rule."""
    both_ways: bool = False
    """Whether attention in the upper layers is bidirectional."""
    turn_marks: tuple[int, int] = (1, 2)
    """The tokens that begin and end a turn: `<|im_start|>` and `<|im_end|>`, or what stood in their
    place when the weights were trained.
    """


class ReaderNet(nn.Module):  # type: ignore[misc]
    """The feedback reader's network: the lower layers of a small language model, the upper ones of
    them with LoRA, and classifier heads.
    """

    def __init__(self, base: Any, shape: ReaderShape) -> None:
        """Build the feedback reader's network on `base`, an mlx-lm model.

        The base's layers above `shape.layers` are removed from it.
        """
        super().__init__()
        self.shape = shape
        base.model.layers = base.model.layers[: shape.layers]
        base.freeze()
        linear_to_lora_layers(
            base,
            shape.layers - shape.frozen,
            {"rank": shape.rank, "scale": shape.scale, "dropout": 0.0, "keys": LINEAR},
        )
        self.base = base.model
        width = base.args.hidden_size
        self.norm = nn.RMSNorm(width)
        self.labels = nn.Linear(2 * width, len(shape.labels))
        self.classes = nn.Linear(3 * width, len(shape.classes))
        self.sentence = nn.Linear(2 * width, 1)

    def lower(self, ids_BT: mx.array) -> mx.array:
        """Return the hidden states after the network's frozen lower layers, (B, T, D)."""
        h_BTD: mx.array = self.base.embed_tokens(ids_BT)
        for layer in self.base.layers[: self.shape.frozen]:
            h_BTD = layer(h_BTD, "causal")
        return h_BTD

    def upper(self, h_BTD: mx.array, batch: Batch) -> tuple[mx.array, mx.array, mx.array]:
        """Apply the network's upper layers and the classifier heads to hidden states.

        Returns the labels' log-odds (B, L), the classes' logits (B, K) and each sentence's log-odds
        (B, S).
        """
        mask: Any = "causal"
        if self.shape.both_ways:
            at_T = mx.arange(h_BTD.shape[1])
            mask = (at_T[None, :] <= batch.last_B[:, None])[:, None, None, :]
        for layer in self.base.layers[self.shape.frozen :]:
            h_BTD = layer(h_BTD, mask)
        h_BTD = self.norm(h_BTD)
        last_BD = mx.take_along_axis(h_BTD, batch.last_B[:, None, None], axis=1)[:, 0]
        said_BD = _mean(batch.said_BT[:, None, :], h_BTD)[:, 0]
        spans_BSD = _mean(batch.spans_BST, h_BTD)
        sentence_BS = self.sentence(
            mx.concatenate([spans_BSD, mx.broadcast_to(last_BD[:, None], spans_BSD.shape)], axis=-1)
        )[..., 0]
        whole_BE = mx.concatenate([last_BD, said_BD], axis=-1)
        # The check head sees a mean of the sentences, weighted by how likely each states the rule.
        exists_BS = batch.spans_BST.sum(axis=-1) > 0
        share_BS = mx.softmax(mx.where(exists_BS, sentence_BS, -1e9), axis=-1)
        stated_BD = (mx.stop_gradient(share_BS)[..., None] * spans_BSD).sum(axis=1)
        classes_BK = self.classes(mx.concatenate([whole_BE, stated_BD], axis=-1))
        return self.labels(whole_BE), classes_BK, sentence_BS

    def __call__(self, batch: Batch) -> tuple[mx.array, mx.array, mx.array]:
        return self.upper(self.lower(batch.ids_BT), batch)


def _mean(weights_BST: mx.array, h_BTD: mx.array) -> mx.array:
    total_BS = mx.maximum(weights_BST.sum(axis=-1, keepdims=True), 1.0)
    return (weights_BST @ h_BTD) / total_BS
