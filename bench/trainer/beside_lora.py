"""Compares our GRPO gradient with that of mlx-lm-lora's own loss on the same groups, without
sampling.

Equal terms: Dr. GRPO's constant, the clip of DAPO, k3 to the base at the same weight. It takes
every rollout as on-policy, so ours is given the log-probabilities that the weights have now.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model

from bench.trainer.batches import ANSWER_TOKENS
from lull.core.training.examples import Group
from lull.core.training.spec import GrpoTerms
from lull.trainer.gradients import ChunkedEvaluator
from lull.trainer.losses import grpo
from lull.trainer.policy import PolicyModel, PolicyWeights
from lull.trainer.rows import MicroBatch, expand_to_tokens, micro_batches, row

_TERMS = GrpoTerms()


def installed() -> bool:
    return find_spec("mlx_lm_lora") is not None


class Theirs:
    def __init__(self, policy: PolicyModel, base: Path) -> None:
        self._code: Any = importlib.import_module("mlx_lm_lora.trainer.grpo_trainer")
        self._model = policy.model
        self._gradient = nn.value_and_grad(self._model, self._code.grpo_loss)
        self._reference, _ = load_model(base)
        if mx.default_device().type == mx.DeviceType.cpu:
            self._reference.set_dtype(mx.float32)  # as the policy is
        self._reference.freeze()

    def gradient(self, groups: Sequence[Group]) -> Any:
        """Return the gradient of mlx-lm-lora's loss as an evaluated tree."""
        samples = [sample for group in groups for sample in group.samples]
        prompts = [list(group.prompt_ids) for group in groups]
        nothing = [""] * len(groups)
        (loss, _, _), gradient = self._code._grpo_value_and_grad(
            self._gradient,
            self._model,
            len(prompts),  # as its trainer has it
            batch=(prompts, prompts, nothing, nothing, None),
            completions=[mx.array(sample.ids, dtype=mx.int32) for sample in samples],
            completion_texts=[""] * len(samples),
            batch_indices=[n for n, group in enumerate(groups) for _ in group.samples],
            advantages=mx.array([value for group in groups for value in group.advantages]),
            reward_metrics=None,
            beta=_TERMS.kl_beta,
            epsilon=_TERMS.clip_low,
            epsilon_high=_TERMS.clip_high,
            ref_model=self._reference,
            grpo_loss_type="dr_grpo",
            importance_sampling_level="token",
            max_tokens=ANSWER_TOKENS,
        )
        mx.eval(loss, gradient)
        return gradient


def apart(policy: PolicyModel, base: Path, groups: Sequence[Group]) -> float:
    """Return the largest difference between the two gradients relative to the largest entry, at
    nonzero low-rank weights.
    """
    chance = mx.random.key(5)
    moved = {
        name: array + 0.02 * mx.random.normal(array.shape, key=mx.random.split(chance, n + 2)[n])
        for n, (name, array) in enumerate(sorted(policy.weights().items()))
    }
    policy.put(moved)
    mx.eval(policy.model.parameters())
    ours = _ours(policy, groups)
    theirs: PolicyWeights = dict(tree_flatten(Theirs(policy, base).gradient(groups)))
    if set(ours) != set(theirs):
        raise RuntimeError("the two do not train the same weights")
    far = max(mx.abs(ours[name] - theirs[name]).max().item() for name in ours)
    return far / max(mx.abs(array).max().item() for array in theirs.values())


def _ours(policy: PolicyModel, groups: Sequence[Group]) -> PolicyWeights:
    chunked = ChunkedEvaluator(policy=policy, chunk=256)
    rows = [row(group.prompt_ids, sample.ids) for group in groups for sample in group.samples]
    values = [value for group in groups for value in group.advantages]
    (micro,) = micro_batches(rows, 10**9)
    return _gradient(
        chunked, micro, expand_to_tokens(values, micro), norm=len(rows) * ANSWER_TOKENS
    )


def _gradient(
    chunked: ChunkedEvaluator, micro: MicroBatch, advantage_N: Any, *, norm: float
) -> PolicyWeights:
    now_N = chunked.logps(micro)
    with chunked.policy.as_base():
        reference_N = chunked.logps(micro)

    def loss(logp_N: Any) -> tuple[Any, ...]:
        made = grpo(
            logp_N,
            behaviour_N=now_N,
            reference_N=reference_N,
            advantage_N=advantage_N,
            clip_low=_TERMS.clip_low,
            clip_high=_TERMS.clip_high,
            ratio_cap=_TERMS.ratio_cap,
            kl_beta=_TERMS.kl_beta,
            norm=norm,
        )
        return (made.loss,)

    return chunked.logp_gradient(micro, loss)[1]
