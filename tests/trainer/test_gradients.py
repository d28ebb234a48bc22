"""Tests of gradients computed in chunks: they equal the plain loss's and finite differences."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn
from mlx.utils import tree_flatten

from lull.core.training.spec import Lora
from lull.trainer.gradients import ChunkedEvaluator
from lull.trainer.losses import cross_entropy_loss, reverse_kl, token_logps
from lull.trainer.policy import PolicyModel, load
from lull.trainer.rows import (
    MicroBatch,
    TrainingRow,
    concatenate_tokens,
    expand_to_tokens,
    micro_batches,
    row,
    row_sums,
)
from tests.trainer.making import ids, model_folder

pytestmark = pytest.mark.slow


def policy_of(folder: Path, *, checkpoint_layers: bool = False) -> PolicyModel:
    """Return a policy with random low-rank layers: half of untrained ones get no gradient."""
    policy = load(
        folder,
        parent=None,
        lora=Lora(rank=4),
        seed=1,
        checkpoint_layers=checkpoint_layers,
    )
    mx.random.seed(2)
    policy.put({n: mx.random.normal(a.shape) * 0.1 for n, a in policy.weights().items()})
    return policy


def some_rows(count: int = 6) -> list[TrainingRow]:
    rng = random.Random(4)
    return [row(ids(rng, 2, 9), ids(rng, 1, 9)) for _ in range(count)]


def one_micro(rows: list[TrainingRow]) -> MicroBatch:
    (micro,) = micro_batches(rows, 10_000)
    return micro


def plain_gradient(policy: PolicyModel, of: Any) -> dict[str, Any]:
    """Return the gradient by the textbook: the whole model, all logits at once."""
    flat: Any = tree_flatten(nn.value_and_grad(policy.model, of)(policy.model)[1])
    return dict(flat)


def same(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    assert ours.keys() == theirs.keys()
    assert max(mx.abs(a).max().item() for a in theirs.values()) > 0.0
    return all(mx.allclose(ours[n], theirs[n], atol=1e-5, rtol=1e-4).item() for n in ours)


@pytest.mark.parametrize("chunk", [1, 7, 1000])
@pytest.mark.parametrize("checkpoint_layers", [False, True])
def test_in_chunks_the_gradient_of_a_loss_over_logps_is_the_plain_one(
    model: Path, chunk: int, checkpoint_layers: bool
) -> None:
    policy, micro = policy_of(model, checkpoint_layers=checkpoint_layers), one_micro(some_rows())

    def loss(logp_N: Any) -> Any:
        sums_R = row_sums(logp_N, micro)
        return (mx.sigmoid(sums_R / 10) ** 2).sum() + cross_entropy_loss(logp_N, norm=9.0)

    def plainly(whole: Any) -> Any:
        logits_RTV = whole(micro.ids_RT)
        return loss(token_logps(logits_RTV[micro.at_N], micro.target_N))

    (given, extra), ours = ChunkedEvaluator(policy=policy, chunk=chunk).logp_gradient(
        micro, lambda logp_N: (loss(logp_N), logp_N.sum())
    )
    assert same(ours, plain_gradient(policy, plainly))
    assert given.item() == pytest.approx(plainly(policy.model).item(), rel=1e-5)
    assert extra.item() < 0.0


@pytest.mark.parametrize("chunk", [3, 1000])
def test_in_chunks_the_gradient_of_the_distance_to_a_teacher_is_the_plain_one(
    model: Path, chunk: int
) -> None:
    policy, micro = policy_of(model), one_micro(some_rows())
    chunked = ChunkedEvaluator(policy=policy, chunk=chunk)
    with policy.as_base():
        teacher_ND = chunked.hidden(micro)
    teacher_NV = policy.head(teacher_ND[None])[0]

    def plainly(whole: Any) -> Any:
        student_NV = whole(micro.ids_RT)[micro.at_N]
        return reverse_kl(student_NV, teacher_NV, 8).sum() / 5.0

    (given,), ours = chunked.kl_gradient(micro, teacher_ND, top_k=8, norm=5.0)
    assert same(ours, plain_gradient(policy, plainly))
    assert given.item() == pytest.approx(plainly(policy.model).item(), rel=1e-5)


def test_the_gradient_is_that_of_finite_differences(model: Path) -> None:
    policy, micro = policy_of(model), one_micro(some_rows())
    chunked = ChunkedEvaluator(policy=policy, chunk=5)

    def loss(logp_N: Any) -> tuple[Any, ...]:
        return (cross_entropy_loss(logp_N, norm=9.0),)

    _, ours = chunked.logp_gradient(micro, loss)
    began = policy.weights()
    mx.random.seed(9)
    # One direction through all weights at once: single weights are lost in f32 rounding.
    way = {name: mx.random.normal(array.shape) for name, array in began.items()}
    at = []
    for step in (1e-3, -1e-3):
        policy.put({name: began[name] + step * way[name] for name in began})
        at.append(loss(chunked.logps(micro))[0].item())
    along = sum((ours[name] * way[name]).sum().item() for name in began)
    assert (at[0] - at[1]) / 2e-3 == pytest.approx(along, rel=1e-2)


def test_micro_batches_add_up_to_the_whole(model: Path) -> None:
    policy, rows = policy_of(model), some_rows(12)
    chunked = ChunkedEvaluator(policy=policy, chunk=16)

    def gradient(most_tokens: int) -> dict[str, Any]:
        parts = [
            chunked.logp_gradient(micro, lambda logp_N: (cross_entropy_loss(logp_N, norm=9.0),))[1]
            for micro in micro_batches(rows, most_tokens)
        ]
        return {name: sum(part[name] for part in parts) for name in parts[0]}

    assert len(micro_batches(rows, 40)) > 2
    assert same(gradient(40), gradient(10_000))


def test_what_the_model_did_not_write_and_the_prompt_teach_nothing(model: Path) -> None:
    """Tests that masked tokens do not count, however badly they are predicted."""
    policy = policy_of(model)
    chunked = ChunkedEvaluator(policy=policy, chunk=16)
    rows = [row((5, 6, 7), (8, 9, 10, 11), foreign=(1, 2))]
    micro = one_micro(rows)
    assert micro.target_N.tolist() == [8, 11]
    whole = chunked.logps(one_micro([row((5, 6, 7), (8, 9, 10, 11))])).tolist()
    assert chunked.logps(micro).tolist() == pytest.approx([whole[0], whole[3]], abs=1e-5)


def test_company_and_padding_change_nothing_but_rounding(model: Path) -> None:
    policy, rows = policy_of(model), some_rows()
    chunked = ChunkedEvaluator(policy=policy, chunk=16)
    micro = one_micro(rows)
    together = np.array(chunked.logps(micro))
    alone = [chunked.logps(one_micro([rows[index]])).tolist() for index in micro.indices]
    np.testing.assert_allclose(together, np.concatenate(alone), atol=1e-5)


def test_values_of_rows_and_tokens_find_their_places() -> None:
    rows = [row((5,), (6, 7, 8, 9)), row((5,), (6,)), row((5, 5), (6, 7))]
    micro = one_micro(rows)
    assert micro.indices == (1, 2, 0)
    assert expand_to_tokens([0.0, 1.0, 2.0], micro).tolist() == [1.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    assert concatenate_tokens([[1, 2, 3, 4], [5], [6, 7]], micro).tolist() == [5, 6, 7, 1, 2, 3, 4]
    assert row_sums(mx.array([4.0, 5, 6, 1, 2, 3, 4]), micro).tolist() == [4, 11, 10]


def test_a_micro_batch_holds_so_many_tokens_and_a_longer_row_goes_alone() -> None:
    rows = [row((5,), tuple(range(3, 3 + length))) for length in (30, 4, 4, 4, 4, 9)]
    made = micro_batches(rows, 10)
    sizes = [one.ids_RT.shape[0] * one.ids_RT.shape[1] for one in made]
    assert [one.indices for one in made] == [(1, 2), (3, 4), (5,), (0,)]
    assert sizes == [8, 8, 9, 30]


def test_without_low_rank_layers_the_policy_is_the_base_exactly(model: Path) -> None:
    policy = policy_of(model)
    fresh = load(model, parent=None, lora=Lora(rank=4), seed=1, checkpoint_layers=None)
    x = mx.array([[5, 6, 7, 8]])
    assert not mx.array_equal(policy.model(x), fresh.model(x)).item()
    with policy.as_base():
        assert mx.array_equal(policy.model(x), fresh.model(x)).item()
    with policy.as_at_start():
        assert mx.array_equal(policy.model(x), fresh.model(x)).item()


def peak_bytes(chunked: ChunkedEvaluator, micro: MicroBatch) -> int:
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    chunked.logp_gradient(micro, lambda logp_N: (cross_entropy_loss(logp_N, norm=1.0),))
    return int(mx.get_peak_memory()) - before


@pytest.mark.full
@pytest.mark.slow
def test_the_logits_of_all_tokens_never_exist_at_once(tmp_path: Path) -> None:
    wide = model_folder(tmp_path / "wide", vocab_size=20_000)
    policy = policy_of(wide)
    rng = random.Random(1)
    micro = one_micro([row((5,), ids(rng, 64, 64)) for _ in range(8)])
    everything = 8 * 64 * 20_000 * 4
    assert peak_bytes(ChunkedEvaluator(policy=policy, chunk=512), micro) > 2 * everything
    assert peak_bytes(ChunkedEvaluator(policy=policy, chunk=16), micro) < everything


@pytest.mark.parametrize("family", ["llama", "qwen2", "gemma2", "gemma3_text"])
def test_models_of_other_families_are_taken_apart_too(tmp_path: Path, family: str) -> None:
    changes: dict[str, Any] = {}
    if family == "gemma3_text":
        changes = {"sliding_window": 16, "sliding_window_pattern": 2, "query_pre_attn_scalar": 8}
    if family == "gemma2":
        changes = {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 3.0}
        changes |= {"query_pre_attn_scalar": 8.0}
    policy = policy_of(model_folder(tmp_path / family, family, **changes))
    micro = one_micro(some_rows())
    hidden_ND = ChunkedEvaluator(policy=policy, chunk=9).hidden(micro)
    assert hidden_ND.shape[-1] == 32, "it was not taken apart"
    whole = token_logps(policy.model(micro.ids_RT)[micro.at_N], micro.target_N)
    ours = ChunkedEvaluator(policy=policy, chunk=9).logps(micro)
    np.testing.assert_allclose(np.array(ours), np.array(whole), atol=1e-5)
