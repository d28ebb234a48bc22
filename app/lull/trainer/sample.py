"""Samples answers from the model under training, for on-policy losses.

Each answer has its own seed, which the caller makes from the run's seed, the step and the example's
number. A sample therefore depends neither on the rest of its batch nor on any state that an
interruption could lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from lull.core.models.sampling_keys import sampling_key
from lull.core.training.examples import TokenIds
from lull.trainer.policy import PolicyModel

_BATCH_SIZE = 32


def sample_answers(
    policy: PolicyModel,
    prompts: Sequence[TokenIds],
    *,
    seeds: Sequence[int],
    most_tokens: int,
    temperature: float,
) -> list[TokenIds]:
    """Sample one answer to each prompt from the model under training; an answer includes its end
    token if the model produced one.
    """
    policy.model.eval()
    out: list[TokenIds] = []
    for first in range(0, len(prompts), _BATCH_SIZE):
        some = slice(first, first + _BATCH_SIZE)
        out += _sampled_batch(policy, prompts[some], seeds[some], most_tokens, temperature)
    policy.model.train()
    return out


def _sampled_batch(
    policy: PolicyModel,
    prompts: Sequence[TokenIds],
    seeds: Sequence[int],
    most: int,
    temperature: float,
) -> list[TokenIds]:
    caches = [_prefilled(policy, prompt) for prompt in prompts]
    if len(caches) > 1 and not all(hasattr(layer, "merge") for layer in caches[0]):
        # A few model types have caches that cannot be merged into a batch.
        batches = [([p], [c], [s]) for p, c, s in zip(prompts, caches, seeds, strict=True)]
    else:
        batches = [(list(prompts), caches, list(seeds))]
    return [ids for some in batches for ids in _decoded(policy, *some, most, temperature)]


def _prefilled(policy: PolicyModel, prompt: TokenIds) -> list[Any]:
    """A cache of all but the prompt's last token, which is the first input of decoding."""
    cache: list[Any] = make_prompt_cache(policy.model)
    if len(prompt) > 1:
        policy.model(mx.array(prompt[:-1])[None], cache=cache)
        mx.eval([layer.state for layer in cache])
    return cache


def _decoded(
    policy: PolicyModel,
    prompts: Sequence[TokenIds],
    caches: Sequence[list[Any]],
    seeds: Sequence[int],
    most: int,
    temperature: float,
) -> list[TokenIds]:
    cache = caches[0] if len(caches) == 1 else _merged(caches)
    out: list[list[int]] = [[] for _ in prompts]
    last_R = mx.array([prompt[-1] for prompt in prompts])
    for step in range(most):
        logits_RV = policy.model(last_R[:, None], cache=cache)[:, -1].astype(mx.float32)
        keys_R2 = mx.array([sampling_key(seed, step) for seed in seeds], dtype=mx.uint32)
        last_R = _picked(logits_RV / temperature, keys_R2)
        for row, token in enumerate(last_R.tolist()):
            if not (out[row] and out[row][-1] in policy.end_ids):
                out[row].append(token)
        if all(ids[-1] in policy.end_ids for ids in out):
            break
    return [tuple(ids) for ids in out]


def _merged(caches: Sequence[list[Any]]) -> list[Any]:
    return [layers[0].merge(list(layers)) for layers in zip(*caches, strict=True)]


def _picked(scores_RV: Any, keys_R2: Any) -> Any:
    """Sample tokens by the Gumbel-max trick: argmax(log p + g) is a sample of p."""
    size = scores_RV.shape[-1]
    noise_RV = mx.vmap(lambda one: mx.random.gumbel(shape=(size,), key=one))(keys_R2)
    return mx.argmax(scores_RV + noise_RV, axis=-1)
