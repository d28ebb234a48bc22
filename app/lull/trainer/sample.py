"""Answers drawn from the policy as it stands, for a loss that is to be on-policy.

Each draws with a key made of the run's seed, the step and its number within the step: what it
gets depends neither on its company nor on any state that a kill could lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from lull.core.training_examples import Ids
from lull.trainer.policy import Policy

_AT_ONCE = 32
_MASK = (1 << 64) - 1


def drawn(
    policy: Policy,
    prompts: Sequence[Ids],
    *,
    seeds: Sequence[int],
    most_tokens: int,
    temperature: float,
) -> list[Ids]:
    """One answer to each prompt, its end token included where it came."""
    policy.model.eval()
    out: list[Ids] = []
    for first in range(0, len(prompts), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        out += _company(policy, prompts[some], seeds[some], most_tokens, temperature)
    policy.model.train()
    return out


def _company(
    policy: Policy, prompts: Sequence[Ids], seeds: Sequence[int], most: int, temperature: float
) -> list[Ids]:
    caches = [_read_in(policy, prompt) for prompt in prompts]
    if len(caches) > 1 and not all(hasattr(layer, "merge") for layer in caches[0]):
        # a few model types have caches that cannot stand in one batch
        alone = [([p], [c], [s]) for p, c, s in zip(prompts, caches, seeds, strict=True)]
    else:
        alone = [(list(prompts), caches, list(seeds))]
    return [ids for some in alone for ids in _decoded(policy, *some, most, temperature)]


def _read_in(policy: Policy, prompt: Ids) -> list[Any]:
    """A cache of all but the prompt's last token, which is the first input of the decoding."""
    cache: list[Any] = make_prompt_cache(policy.model)
    if len(prompt) > 1:
        policy.model(mx.array(prompt[:-1])[None], cache=cache)
        mx.eval([layer.state for layer in cache])
    return cache


def _decoded(
    policy: Policy,
    prompts: Sequence[Ids],
    caches: Sequence[list[Any]],
    seeds: Sequence[int],
    most: int,
    temperature: float,
) -> list[Ids]:
    cache = caches[0] if len(caches) == 1 else _merged(caches)
    out: list[list[int]] = [[] for _ in prompts]
    last_R = mx.array([prompt[-1] for prompt in prompts])
    for step in range(most):
        logits_RV = policy.model(last_R[:, None], cache=cache)[:, -1].astype(mx.float32)
        keys_R2 = mx.array([key(seed, step) for seed in seeds], dtype=mx.uint32)
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
    """By the Gumbel-max trick: argmax(log p + g) is a sample of p."""
    size = scores_RV.shape[-1]
    noise_RV = mx.vmap(lambda one: mx.random.gumbel(shape=(size,), key=one))(keys_R2)
    return mx.argmax(scores_RV + noise_RV, axis=-1)


def key(seed: int, step: int) -> tuple[int, int]:
    mixed = mix(mix(seed & _MASK) + step)
    return mixed >> 32, mixed & 0xFFFFFFFF


def mix(value: int) -> int:
    """Sebastiano Vigna's SplitMix64: neighbouring inputs give unrelated outputs."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
