"""Generates answers of the built-in model in batches, greedily or sampled, and compares them.

Prompts of one length go through together, so nothing is padded and every answer is what the same
prompt would get alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

import mlx.core as mx
from mlx_lm.models import qwen3
from mlx_lm.models.cache import make_prompt_cache
from tokenizers import Tokenizer

from bench.pocket.data import asking
from bench.pocket.tokenizer import TURN_CLOSE

_AT_ONCE = 64
_MOST_TOKENS = 16


class Answering(Protocol):
    """Interface of anything that answers prompts, in order."""

    def __call__(self, prompts: Sequence[str]) -> list[str]: ...


def prompt(request: str, system: str = "") -> str:
    """Return the model's whole prompt for one request and an optional system message."""
    head = f"<|im_start|>system\n{system}<|im_end|>\n" if system else ""
    return head + asking(request)


def answers(
    model: qwen3.Model, tokenizer: Tokenizer, prompts: Sequence[str], *, sampled: bool = False
) -> list[str]:
    """Generate one answer per prompt, greedily or sampled at temperature 1."""
    by_length: dict[int, list[int]] = defaultdict(list)
    encoded = [encoding.ids for encoding in tokenizer.encode_batch(list(prompts))]
    for index, ids in enumerate(encoded):
        by_length[len(ids)].append(index)
    out = [""] * len(prompts)
    for indices in by_length.values():
        for first in range(0, len(indices), _AT_ONCE):
            group = indices[first : first + _AT_ONCE]
            ids_GT = _continued(model, tokenizer, [encoded[i] for i in group], sampled)
            for index, ids in zip(group, ids_GT, strict=True):
                out[index] = tokenizer.decode(ids).strip()
    return out


def _continued(
    model: qwen3.Model, tokenizer: Tokenizer, prompts_GT: list[list[int]], sampled: bool
) -> list[list[int]]:
    end = tokenizer.token_to_id(TURN_CLOSE)
    cache = make_prompt_cache(model)
    given_GT = mx.array(prompts_GT)
    out: list[list[int]] = [[] for _ in prompts_GT]
    open_rows = set(range(len(prompts_GT)))
    for _ in range(_MOST_TOKENS):
        logits_GV = model(given_GT, cache=cache)[:, -1]
        next_G = mx.random.categorical(logits_GV) if sampled else mx.argmax(logits_GV, axis=-1)
        for row, token in enumerate(next_G.tolist()):
            if token == end:
                open_rows.discard(row)
            elif row in open_rows:
                out[row].append(token)
        if not open_rows:
            break
        given_GT = next_G[:, None]
    return out
