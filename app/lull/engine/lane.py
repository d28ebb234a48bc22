"""Decodes answers that share a LoRA adapter in one batch, one forward pass per step.

Where MLX decodes, a step is dispatched before the previous step's tokens are read, so the device
works while Python turns tokens into text. A row that ends has therefore been computed one token too
far; that token is discarded. Where NumPy decodes, which is waited for, tokens are handed out first.

A single row keeps its plain caches, which have faster attention and need no padding. When a second
row joins, mlx-lm's `merge` makes batch caches of them. A few model types have caches that cannot be
merged; each of their rows gets its own lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from lull.engine.adapters import LoadedAdapter
from lull.engine.answer import GeneratedAnswer
from lull.engine.decoder import Decoder
from lull.engine.penalties import append_tokens, no_tokens_yet, stack_padded
from lull.engine.sampling import SampledTokens, TokenLogprobs, sample_tokens, token_logprobs


class Lane:
    """A batch of answers that are decoded together under the same adapter; `answers[b]` is row b of
    every array and cache.
    """

    def __init__(
        self, decoder: Decoder, answers: list[GeneratedAnswer], caches: list[list[Any]]
    ) -> None:
        """Start a batch of answers; each answer's cache holds its prompt except the last token."""
        self._decoder = decoder
        self.adapter: LoadedAdapter | None = answers[0].adapter
        self.answers = answers
        self._cache = caches[0] if len(caches) == 1 else _merged(caches)
        self._mergeable = can_merge(caches[0])
        self._steps = [0] * len(answers)
        """Tokens dispatched so far for each row."""
        self._newest = no_tokens_yet([answer.draw.penalties for answer in answers])
        """Each row's newest tokens that a penalty counts."""
        self._coming = self._dispatch(mx.array([answer.prompt[-1] for answer in answers]))

    def takes(self, other: Lane) -> bool:
        """Whether another batch's answers can be decoded in this batch: same adapter, mergeable KV
        caches.
        """
        return self._mergeable and self.adapter is other.adapter

    def join(self, other: Lane) -> None:
        """Merge another batch's answers into this batch, so that both are decoded together."""
        self._cache = _joined(self._cache, other._cache)
        self._coming = _joined_picks(self._coming, other._coming)
        self.answers += other.answers
        self._steps += other._steps
        self._newest = stack_padded(self._newest, other._newest)

    def step(self) -> None:
        """Decode one token for each answer of the batch, and drop the answers that ended."""
        coming, ahead = self._coming, not self._decoder.waits(self.adapter)
        if ahead and any(not answer.ends_with_next for answer in self.answers):
            self._go_on(coming)
        self._hand_out(coming)
        self._keep([row for row, answer in enumerate(self.answers) if not answer.ended])
        if not ahead and self.answers:
            self._go_on(self._coming)

    def _go_on(self, coming: SampledTokens) -> None:
        self._newest = append_tokens(self._newest, coming.tokens)
        self._coming = self._dispatch(coming.tokens)

    def _hand_out(self, coming: SampledTokens) -> None:
        tokens: Any = coming.tokens.tolist()
        details: list[TokenLogprobs | None] = [None] * len(tokens)
        if coming.logprobs is not None:
            details = list(
                token_logprobs(coming, max(answer.logprobs or 0 for answer in self.answers))
            )
        for answer, token, detail in zip(self.answers, tokens, details, strict=True):
            answer.take(token, detail)

    def remove(self, request_id: str) -> None:
        """Drop a cancelled request from this batch of answers, if it is in it."""
        self._keep([row for row, answer in enumerate(self.answers) if answer.id != request_id])

    def _dispatch(self, tokens_B: mx.array) -> SampledTokens:
        logits_BV = self._decoder(tokens_B, self._cache, self.adapter)
        wanted = any(answer.logprobs is not None for answer in self.answers)
        draws = [answer.draw for answer in self.answers]
        picks = sample_tokens(logits_BV, draws, self._steps, self._newest, logprobs=wanted)
        mx.async_eval(picks.arrays())  # type: ignore[no-untyped-call]
        self._steps = [step + 1 for step in self._steps]
        return picks

    def _keep(self, rows: list[int]) -> None:
        if len(rows) == len(self.answers):
            return
        self.answers = [self.answers[row] for row in rows]
        self._steps = [self._steps[row] for row in rows]
        if not rows:
            return
        for layer in self._cache:
            layer.filter(rows)
        self._newest = self._newest[mx.array(rows)]
        logprobs = self._coming.logprobs
        self._coming = SampledTokens(
            self._coming.tokens[mx.array(rows)],
            None if logprobs is None else logprobs[mx.array(rows)],
        )


def can_merge(cache: Sequence[Any]) -> bool:
    """Whether these KV caches, one per layer, can be merged into a batch; a layer may hold several
    caches.
    """
    inner = (getattr(layer, "caches", None) for layer in cache)
    return all(
        can_merge(several) if several is not None else hasattr(layer, "merge")
        for layer, several in zip(cache, inner, strict=True)
    )


def _merged(caches: list[list[Any]]) -> list[Any]:
    return [layers[0].merge(list(layers)) for layers in zip(*caches, strict=True)]


def _is_batch(layer: Any) -> bool:
    inner = getattr(layer, "caches", None)
    if inner is not None:
        return all(_is_batch(one) for one in inner)
    return hasattr(layer, "filter")


def _joined(ours: list[Any], theirs: list[Any]) -> list[Any]:
    joined = []
    for a, b in zip(ours, theirs, strict=True):
        if not _is_batch(a) and not _is_batch(b):
            joined.append(a.merge([a, b]))
            continue
        grown, added = (x if _is_batch(x) else x.merge([x]) for x in (a, b))
        grown.extend(added)
        joined.append(grown)
    return joined


def _joined_picks(a: SampledTokens, b: SampledTokens) -> SampledTokens:
    tokens_B = mx.concatenate([a.tokens, b.tokens])
    parts = [picks.logprobs for picks in (a, b)]
    known = next((part for part in parts if part is not None), None)
    if known is None:
        return SampledTokens(tokens_B, None)
    # Rows that asked for no log-probabilities are never read; zeros keep the rows aligned.
    size = known.shape[-1]
    filled = [
        mx.zeros((picks.tokens.shape[0], size)) if part is None else part
        for picks, part in zip((a, b), parts, strict=True)
    ]
    return SampledTokens(tokens_B, mx.concatenate(filled))
