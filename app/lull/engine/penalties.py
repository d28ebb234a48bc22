"""Penalises tokens that an answer already contains, so that a small model does not repeat itself.

The rule is llama.cpp's (`llama_sampler_penalties_apply` in its src/llama-sampling.cpp), which
Ollama uses: the score of a token that the answer already contains is divided by `repeat` if it is
positive and multiplied by it otherwise, then lowered by `presence` and, for each occurrence, by
`frequency`.

Only the answer's own tokens count, as in OpenAI's protocol; llama.cpp counts the prompt's end too.
A model that may not repeat its prompt loses the words that a rule in it asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isnan
from typing import Final

import mlx.core as mx

from lull.core.chat.messages import Sampling

USUAL_TOKENS: Final = 64
"""How many of an answer's newest tokens count where a request does not say; as in Ollama."""
MOST_TOKENS: Final = 4096
"""The most of an answer's newest tokens that count."""
_MOST: Final = 100.0
"""Bound of the amount by which a score is lowered; scores are far smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalties:
    """The repeat, presence and frequency penalties that one request asks for."""

    repeat: float = 1.0
    """Factor, above 0; 1 changes nothing."""
    presence: float = 0.0
    frequency: float = 0.0
    tokens: int = 0
    """How many of the answer's newest tokens count; 0 for no penalties."""


NONE: Final = Penalties()


def penalties_of(sampling: Sampling) -> Penalties:
    """Return the repeat, presence and frequency penalties that a request asks for.

    As in Ollama, a repeat factor that is not above 0 is ignored, and a negative number of tokens to
    look back means the allowed maximum.
    """
    asked = sampling.repeat_penalty
    found = Penalties(
        repeat=asked if asked is not None and 0 < asked < inf else 1.0,
        presence=_bounded(sampling.presence_penalty),
        frequency=_bounded(sampling.frequency_penalty),
    )
    if found == NONE:
        return NONE
    last = USUAL_TOKENS if sampling.repeat_last_n is None else sampling.repeat_last_n
    count = MOST_TOKENS if last < 0 else min(last, MOST_TOKENS)
    return replace(found, tokens=count)


def _bounded(value: float | None) -> float:
    return 0.0 if value is None or isnan(value) else max(-_MOST, min(_MOST, value))


def no_tokens_yet(penalties: Sequence[Penalties]) -> mx.array:
    """Return an array for the newest N tokens of each of B answers that have just begun, filled
    with -1, shape (B, N).

    N is the largest number of newest tokens that any of the B requests penalises.
    """
    most = max((one.tokens for one in penalties), default=0)
    return mx.full((len(penalties), most), -1, dtype=mx.int32)


def append_tokens(newest_BN: mx.array, tokens_B: mx.array) -> mx.array:
    """Append each row's newly sampled token to its newest tokens (B, N); drop the oldest one."""
    if newest_BN.shape[1] == 0:
        return newest_BN
    added_B1 = tokens_B.astype(mx.int32)[:, None]
    return mx.concatenate([newest_BN[:, 1:], added_B1], axis=1)


def stack_padded(a_BN: mx.array, b_BN: mx.array) -> mx.array:
    """Stack two arrays of token rows into one; the narrower one is padded on the left with -1."""
    most = max(a_BN.shape[1], b_BN.shape[1])
    wide = [
        mx.pad(one, [(0, 0), (most - one.shape[1], 0)], constant_values=-1) for one in (a_BN, b_BN)
    ]
    return mx.concatenate(wide)


def apply_penalties(
    logits_BV: mx.array, newest_BN: mx.array, penalties: Sequence[Penalties]
) -> mx.array:
    """Return the tokens' scores (logits) lowered by each row's repeat, presence and frequency
    penalties. The scores of a row without penalties stay exactly the same.
    """
    count = newest_BN.shape[1]
    if count == 0:
        return logits_BV
    rows, size = logits_BV.shape
    tokens_B1 = mx.array([[one.tokens] for one in penalties])
    counts_BN = (newest_BN >= 0) & (mx.arange(count)[None] >= count - tokens_B1)
    row_B1 = mx.arange(rows)[:, None]
    times_BV = (
        mx.zeros((rows, size))
        .at[row_B1, mx.maximum(newest_BN, 0)]
        .add(counts_BN.astype(mx.float32))
    )
    repeat_B1 = mx.array([[one.repeat] for one in penalties])
    presence_B1 = mx.array([[one.presence] for one in penalties])
    frequency_B1 = mx.array([[one.frequency] for one in penalties])
    scaled_BV = mx.where(logits_BV > 0, logits_BV / repeat_B1, logits_BV * repeat_B1)
    lowered_BV = scaled_BV - presence_B1 - times_BV * frequency_B1
    return mx.where(times_BV > 0, lowered_BV, logits_BV)
