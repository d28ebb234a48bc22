"""Which token comes next, for a whole batch at once.

Each row draws with a key made from its own seed and the number of its token, so what a request
gets does not depend on who else is in the batch, on when it joined, or on any global generator.
Drawing is by the Gumbel-max trick: argmax(log p / T + g) is a sample of softmax(log p / T).

Temperature comes first, then top-k, then top-p, as in Ollama's runner and Hugging Face's.
Log-probabilities are the model's own, before any of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """How one request draws its tokens."""

    seed: int
    """Any integer; its lowest 64 bits count."""
    temperature: float = 1.0
    """0: always the most probable token."""
    top_p: float = 1.0
    top_k: int = 0
    """0: all tokens."""


@dataclass(frozen=True, slots=True)
class Picks:
    """One step's tokens for B rows, perhaps not computed yet."""

    tokens: mx.array
    """Shape (B,)."""
    logprobs: mx.array | None
    """Natural, shape (B, V); None when no row asked."""

    def arrays(self) -> list[mx.array]:
        return [self.tokens] if self.logprobs is None else [self.tokens, self.logprobs]


@dataclass(frozen=True, slots=True)
class Odds:
    """How probable one row's token was, and which were the most probable ones."""

    logprob: float
    best: tuple[tuple[int, float], ...]
    """(id, log-probability), most probable first."""


def pick(
    logits_BV: mx.array, draws: Sequence[Draw], steps: Sequence[int], *, logprobs: bool
) -> Picks:
    """Choose row b's token number `steps[b]`."""
    logits_BV = logits_BV.astype(mx.float32)
    logprobs_BV = None
    if logprobs:
        logprobs_BV = logits_BV - mx.logsumexp(logits_BV, axis=-1, keepdims=True)
    return Picks(_tokens(logits_BV, draws, steps), logprobs_BV)


def odds(picks: Picks, most: int) -> list[Odds]:
    """One a row, read in two transfers whatever the number of rows. Needs `logprobs`."""
    logprobs_BV = picks.logprobs
    assert logprobs_BV is not None
    own: Any = mx.take_along_axis(logprobs_BV, picks.tokens[:, None], axis=-1)[:, 0]
    size = logprobs_BV.shape[-1]
    most = min(most, size)
    if most == 0:
        return [Odds(logprob, ()) for logprob in own.tolist()]
    ids_BK: Any = mx.argpartition(-logprobs_BV, kth=min(most, size - 1), axis=-1)[:, :most]
    best_BK: Any = mx.take_along_axis(logprobs_BV, ids_BK, axis=-1)
    mx.eval(own, ids_BK, best_BK)
    rows = zip(own.tolist(), ids_BK.tolist(), best_BK.tolist(), strict=True)
    return [Odds(logprob, _ranked(ids, best)) for logprob, ids, best in rows]


def _ranked(ids: list[int], logprobs: list[float]) -> tuple[tuple[int, float], ...]:
    pairs = zip(ids, logprobs, strict=True)
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def _tokens(logits_BV: mx.array, draws: Sequence[Draw], steps: Sequence[int]) -> mx.array:
    greedy_B = mx.argmax(logits_BV, axis=-1)
    if all(draw.temperature <= 0 for draw in draws):
        return greedy_B
    temperatures_B1 = mx.array([[d.temperature if d.temperature > 0 else 1.0] for d in draws])
    scores_BV = _restricted(logits_BV / temperatures_B1, draws)
    keys_B2 = mx.array(
        [_key(draw.seed, step) for draw, step in zip(draws, steps, strict=True)], dtype=mx.uint32
    )
    size = logits_BV.shape[-1]
    gumbel_BV = mx.vmap(lambda key: mx.random.gumbel(shape=(size,), key=key))(keys_B2)
    drawn_B = mx.argmax(scores_BV + gumbel_BV, axis=-1)
    return mx.where(mx.array([d.temperature > 0 for d in draws]), drawn_B, greedy_B)


def _restricted(scores_BV: mx.array, draws: Sequence[Draw]) -> mx.array:
    """Top-k, then top-p: scores below the row's threshold become minus infinity."""
    size = scores_BV.shape[-1]
    top_ks = [draw.top_k if 0 < draw.top_k < size else size for draw in draws]
    if all(k == size for k in top_ks) and all(draw.top_p >= 1 for draw in draws):
        return scores_BV
    falling_BV = -mx.sort(-scores_BV, axis=-1)
    kept_BV = mx.arange(size)[None] < mx.array(top_ks)[:, None]
    falling_BV = mx.where(kept_BV, falling_BV, -mx.inf)
    probs_BV = mx.softmax(falling_BV, axis=-1)
    before_BV = mx.cumsum(probs_BV, axis=-1) - probs_BV
    # A row without top-p keeps every token, also those which rounding puts past a sum of 1.
    top_ps_B1 = mx.array([[draw.top_p if draw.top_p < 1 else mx.inf] for draw in draws])
    # The first is always kept, so that top_p = 0 means the most probable token.
    kept_BV = kept_BV & ((before_BV < top_ps_B1) | (mx.arange(size)[None] == 0))
    lowest_B1 = mx.min(mx.where(kept_BV, falling_BV, mx.inf), axis=-1, keepdims=True)
    return mx.where(scores_BV >= lowest_B1, scores_BV, -mx.inf)


def _key(seed: int, step: int) -> tuple[int, int]:
    mixed = _splitmix64(_splitmix64(seed & _MASK) + step)
    return mixed >> 32, mixed & 0xFFFFFFFF


def _splitmix64(value: int) -> int:
    """Sebastiano Vigna's mixer: neighbouring inputs give unrelated outputs."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
