"""Tests that the faster arithmetic of the English training gives what MLX's own gives."""

from __future__ import annotations

from bench.english.training import faster  # isort: skip  before other MLX code, as in the training

import mlx.core as mx
from mlx_lm.models import activations


def near(a: mx.array, b: mx.array) -> bool:
    return bool(mx.abs(a - b).max() < 1e-4)


def test_the_gated_unit_and_its_gradient_are_the_same() -> None:
    mx.random.seed(0)
    gate, x = 6 * mx.random.normal((5, 40)), mx.random.normal((5, 40))

    def of(unit: object) -> object:
        return mx.grad(lambda g: (unit(g, x) ** 2).sum())(gate)  # type: ignore[operator]

    assert near(faster._swiglu(gate, x), activations.swiglu(gate, x))
    assert near(of(faster._swiglu), of(activations.swiglu))  # type: ignore[arg-type]


def test_log_softmax_is_that_of_large_and_small_logits() -> None:
    logits = mx.array([[900.0, 899.0, -900.0], [-3.0, 0.5, 2.0]])
    assert near(faster.log_softmax(logits), logits - mx.logsumexp(logits, -1, keepdims=True))


def test_attention_is_the_same_for_grouped_heads() -> None:
    mx.random.seed(1)
    q, k, v = (mx.random.normal((2, heads, 11, 8)) for heads in (6, 2, 2))
    mine = faster._attention(q, k, v, None, 0.3, "causal")
    fused = mx.fast.scaled_dot_product_attention(q, k, v, scale=0.3, mask="causal")
    assert near(mine, fused)
