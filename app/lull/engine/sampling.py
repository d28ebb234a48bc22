"""Samples the next token for each row of a batch.

Each row samples with a key made from its own seed and its token number, so an answer depends
neither on the rest of the batch, nor on when it joined, nor on any global random state. Sampling
uses the Gumbel-max trick: argmax(log p / T + g) is a sample of softmax(log p / T).

Penalties for tokens that the answer already contains are applied first, then the temperature, then
top-k, then top-p, as in Ollama's runner and Hugging Face's.
Reported log-probabilities are the model's own, before any of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from lull.core.models.sampling_keys import sampling_key
from lull.engine.penalties import NONE, Penalties, apply_penalties


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParams:
    """The sampling parameters (temperature, top-k, top-p, seed and penalties) of one request."""

    seed: int
    """Random seed: any integer, of which only the lowest 64 bits are used."""
    temperature: float = 1.0
    """Sampling temperature; 0 always takes the most probable token."""
    top_p: float = 1.0
    top_k: int = 0
    """Number of most probable tokens to sample from; 0 allows all."""
    penalties: Penalties = NONE


@dataclass(frozen=True, slots=True)
class SampledTokens:
    """The tokens sampled for B rows in one decoding step and, if a row asked for them, the log
    probabilities of all tokens; MLX may not have evaluated these arrays yet.
    """

    tokens: mx.array
    """The sampled token ids, shape (B,)."""
    logprobs: mx.array | None
    """Natural log-probabilities, shape (B, V); None when no row asked for them."""

    def arrays(self) -> list[mx.array]:
        """Return the arrays to be computed: the tokens, and the log-probabilities if wanted."""
        return [self.tokens] if self.logprobs is None else [self.tokens, self.logprobs]


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """The log-probability of one row's sampled token, and of the most probable tokens."""

    logprob: float
    best: tuple[tuple[int, float], ...]
    """The most probable tokens as (id, log-probability), most probable first."""


def sample_tokens(
    logits_BV: mx.array,
    draws: Sequence[SamplingParams],
    steps: Sequence[int],
    newest_BN: mx.array,
    *,
    logprobs: bool,
) -> SampledTokens:
    """Sample the next token for each row of a batch.

    For row b, `draws[b]` holds the sampling parameters, `steps[b]` the number of tokens that its
    answer has so far, and `newest_BN[b]` the newest of these tokens. With `logprobs` the result
    also has the log-probabilities of all tokens.
    """
    logits_BV = logits_BV.astype(mx.float32)
    logprobs_BV = None
    if logprobs:
        logprobs_BV = logits_BV - mx.logsumexp(logits_BV, axis=-1, keepdims=True)
    scores_BV = apply_penalties(logits_BV, newest_BN, [draw.penalties for draw in draws])
    return SampledTokens(_tokens(scores_BV, draws, steps), logprobs_BV)


def token_logprobs(picks: SampledTokens, most: int) -> list[TokenLogprobs]:
    """Return the log-probabilities of each row's sampled token and of its `most` most probable
    tokens.

    Needs `picks.logprobs`. The number of transfers from the device does not depend on the number of
    rows.
    """
    logprobs_BV = picks.logprobs
    assert logprobs_BV is not None
    own: Any = mx.take_along_axis(logprobs_BV, picks.tokens[:, None], axis=-1)[:, 0]
    size = logprobs_BV.shape[-1]
    most = min(most, size)
    if most == 0:
        return [TokenLogprobs(logprob, ()) for logprob in own.tolist()]
    ids_BK: Any = mx.argpartition(-logprobs_BV, kth=min(most, size - 1), axis=-1)[:, :most]
    best_BK: Any = mx.take_along_axis(logprobs_BV, ids_BK, axis=-1)
    mx.eval(own, ids_BK, best_BK)
    rows = zip(own.tolist(), ids_BK.tolist(), best_BK.tolist(), strict=True)
    return [TokenLogprobs(logprob, _ranked(ids, best)) for logprob, ids, best in rows]


def _ranked(ids: list[int], logprobs: list[float]) -> tuple[tuple[int, float], ...]:
    pairs = zip(ids, logprobs, strict=True)
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def _tokens(logits_BV: mx.array, draws: Sequence[SamplingParams], steps: Sequence[int]) -> mx.array:
    greedy_B = mx.argmax(logits_BV, axis=-1)
    if all(draw.temperature <= 0 for draw in draws):
        return greedy_B
    temperatures_B1 = mx.array([[d.temperature if d.temperature > 0 else 1.0] for d in draws])
    scores_BV = _restricted(logits_BV / temperatures_B1, draws)
    keys_B2 = mx.array(
        [sampling_key(draw.seed, step) for draw, step in zip(draws, steps, strict=True)],
        dtype=mx.uint32,
    )
    size = logits_BV.shape[-1]
    gumbel_BV = mx.vmap(lambda one: mx.random.gumbel(shape=(size,), key=one))(keys_B2)
    drawn_B = mx.argmax(scores_BV + gumbel_BV, axis=-1)
    return mx.where(mx.array([d.temperature > 0 for d in draws]), drawn_B, greedy_B)


def _restricted(scores_BV: mx.array, draws: Sequence[SamplingParams]) -> mx.array:
    """Apply top-k, then top-p: scores below the row's threshold become minus infinity."""
    size = scores_BV.shape[-1]
    top_ks = [draw.top_k if 0 < draw.top_k < size else size for draw in draws]
    if all(k == size for k in top_ks) and all(draw.top_p >= 1 for draw in draws):
        return scores_BV
    falling_BV = -mx.sort(-scores_BV, axis=-1)
    kept_BV = mx.arange(size)[None] < mx.array(top_ks)[:, None]
    falling_BV = mx.where(kept_BV, falling_BV, -mx.inf)
    probs_BV = mx.softmax(falling_BV, axis=-1)
    before_BV = mx.cumsum(probs_BV, axis=-1) - probs_BV
    # A row without top-p keeps every token, even where rounding lets the sum exceed 1.
    top_ps_B1 = mx.array([[draw.top_p if draw.top_p < 1 else mx.inf] for draw in draws])
    # The first token is always kept, so top_p = 0 takes the most probable one.
    kept_BV = kept_BV & ((before_BV < top_ps_B1) | (mx.arange(size)[None] == 0))
    lowest_B1 = mx.min(mx.where(kept_BV, falling_BV, mx.inf), axis=-1, keepdims=True)
    return mx.where(scores_BV >= lowest_B1, scores_BV, -mx.inf)
