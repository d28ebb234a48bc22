"""Tests of each training loss against its published equation in numpy, and of its gradient.

The gradient is compared with finite differences. The references loop over tokens and rows one by
one, in f64, and share no line with the trainer.
"""

from __future__ import annotations

import math
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from lull.core.training.examples import advantages
from lull.trainer.losses import (
    cross_entropy_loss,
    forward_kl,
    grpo,
    k3,
    kto,
    kto_reference_point,
    reverse_kl,
    token_logps,
)

Array = np.ndarray[Any, np.dtype[np.float64]]
GRPO = {"clip_low": 0.2, "clip_high": 0.28, "ratio_cap": 2.0, "kl_beta": 0.02, "norm": 24.0}
KTO = {"z0": 0.3, "beta": 0.1, "weight_good": 1.5, "weight_bad": 0.75, "norm": 6.0}


def drawn(seed: int, *shape: int, low: float = -4.0, high: float = -0.1) -> Array:
    return np.random.default_rng(seed).uniform(low, high, shape)


def slope(of: Any, at: Array, step: float = 1e-6) -> Array:
    """Return the gradient of a numpy function by central differences, one number at a time."""
    out = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[place] += step
        down[place] -= step
        out[place] = (of(up) - of(down)) / (2 * step)
    return out


def grpo_by_hand(logp: Array, behaviour: Array, reference: Array, advantage: Array) -> float:
    total = 0.0
    for now, then, base, a in zip(logp, behaviour, reference, advantage, strict=True):
        ratio = min(math.exp(now - then), 2.0)
        clipped = min(max(ratio, 0.8), 1.28)
        kl = math.exp(base - now) - (base - now) - 1.0
        total += -min(ratio * a, clipped * a) + 0.02 * kl
    return total / 24.0


class TestGrpo:
    logp, behaviour, reference = (drawn(seed, 40) for seed in (1, 2, 3))
    advantage = drawn(4, 40, low=-1.0, high=1.0)

    def ours(self, logp: Any) -> Any:
        return grpo(
            logp,
            behaviour_N=mx.array(self.behaviour),
            reference_N=mx.array(self.reference),
            advantage_N=mx.array(self.advantage),
            **GRPO,
        )

    def by_hand(self, logp: Array) -> float:
        return grpo_by_hand(logp, self.behaviour, self.reference, self.advantage)

    def test_the_loss_is_the_published_one(self) -> None:
        assert self.ours(mx.array(self.logp)).loss.item() == pytest.approx(
            self.by_hand(self.logp), rel=1e-5
        )

    def test_its_slope_is_that_of_the_published_one(self) -> None:
        ours = mx.grad(lambda logp: self.ours(logp).loss)(mx.array(self.logp))
        np.testing.assert_allclose(np.array(ours), slope(self.by_hand, self.logp), atol=1e-5)

    @pytest.mark.parametrize(
        ("log_ratio", "advantage", "pulls"),
        [
            (0.0, 1.0, True),
            (math.log(1.27), 1.0, True),
            (math.log(1.29), 1.0, False),
            (math.log(0.5), 1.0, True),
            (math.log(0.81), -1.0, True),
            (math.log(0.79), -1.0, False),
            (math.log(1.9), -1.0, True),
            (math.log(2.1), -1.0, False),
            (500.0, -1.0, False),
            (-500.0, -1.0, False),
        ],
    )
    def test_a_token_pulls_until_the_clip_or_the_cap(
        self, log_ratio: float, advantage: float, pulls: bool
    ) -> None:
        def of(logp: Any) -> Any:
            return grpo(
                logp,
                behaviour_N=mx.array([-1.0]),
                reference_N=logp,
                advantage_N=mx.array([advantage]),
                **{**GRPO, "kl_beta": 0.0},
            )

        at = mx.array([-1.0 + log_ratio])
        assert (mx.grad(lambda logp: of(logp).loss)(at).item() != 0.0) == pulls
        assert of(at).clipped.item() == (0 if pulls else 1)

    def test_at_the_base_the_kl_is_nothing_and_pulls_nowhere(self) -> None:
        at = mx.array(self.logp)
        assert k3(at, at).sum().item() == 0.0
        assert mx.abs(mx.grad(lambda logp: k3(logp, at).sum())(at)).max().item() == 0.0

    def test_the_estimate_of_kl_is_right_on_average(self) -> None:
        """Tests the mean over a small vocabulary, weighted by the policy's probabilities."""
        policy, base = (np.exp(drawn(s, 9)) for s in (5, 6))
        p, q = policy / policy.sum(), base / base.sum()
        estimates = np.array(k3(mx.array(np.log(p)), mx.array(np.log(q))))
        assert (p * estimates).sum() == pytest.approx((p * np.log(p / q)).sum(), abs=1e-5)
        assert estimates.min() >= 0.0


class TestAdvantages:
    def test_each_is_the_reward_less_the_mean_of_the_others(self) -> None:
        rewards = [1.0, 0.0, -1.0, 0.5]
        for place, value in enumerate(advantages(rewards)):
            others = rewards[:place] + rewards[place + 1 :]
            assert value == pytest.approx(rewards[place] - sum(others) / 3)

    def test_they_add_up_to_nothing_and_grow_with_the_spread(self) -> None:
        assert sum(advantages([1.0, 0.0, -1.0, 0.5])) == pytest.approx(0.0)
        doubled = [2 * value for value in advantages([1.0, 0.0])]
        assert list(advantages([2.0, 0.0])) == doubled

    @pytest.mark.parametrize("rewards", [[], [1.0], [0.3, 0.3, 0.3], [0.1 + 0.2] * 4])
    def test_where_all_are_alike_there_is_none(self, rewards: list[float]) -> None:
        assert advantages(rewards) == (0.0,) * len(rewards)


def kto_by_hand(logp: Array, reference: Array, good: list[bool]) -> float:
    total = 0.0
    for now, base, is_good in zip(logp, reference, good, strict=True):
        if is_good:
            total += 1.5 * (1.0 - 1.0 / (1.0 + math.exp(-0.1 * ((now - base) - 0.3))))
        else:
            total += 0.75 * (1.0 - 1.0 / (1.0 + math.exp(-0.1 * (0.3 - (now - base)))))
    return total / 6.0


class TestKto:
    logp, reference = (drawn(seed, 6, low=-40.0, high=-1.0) for seed in (7, 8))
    good = [True, False, False, True, False, True]  # noqa: RUF012

    def ours(self, logp: Any) -> Any:
        return kto(logp, reference_R=mx.array(self.reference), good_R=mx.array(self.good), **KTO)

    def by_hand(self, logp: Array) -> float:
        return kto_by_hand(logp, self.reference, self.good)

    def test_the_loss_is_the_published_one(self) -> None:
        ours = self.ours(mx.array(self.logp)).loss.item()
        assert ours == pytest.approx(self.by_hand(self.logp), rel=1e-5)

    def test_its_slope_is_that_of_the_published_one(self) -> None:
        ours = mx.grad(lambda logp: self.ours(logp).loss)(mx.array(self.logp))
        np.testing.assert_allclose(np.array(ours), slope(self.by_hand, self.logp), atol=1e-5)

    def test_good_answers_go_up_and_bad_ones_down(self) -> None:
        slopes = np.array(mx.grad(lambda logp: self.ours(logp).loss)(mx.array(self.logp)))
        assert all((slopes[row] < 0) == good for row, good in enumerate(self.good))

    def test_the_margins_are_the_classes_own(self) -> None:
        made = self.ours(mx.array(self.logp))
        ratio = 0.1 * (self.logp - self.reference)
        assert made.margin_good.item() == pytest.approx(ratio[self.good].sum(), rel=1e-4)
        assert made.margin_bad.item() == pytest.approx(ratio[~np.array(self.good)].sum(), rel=1e-4)

    def test_the_reference_point_never_goes_below_zero(self) -> None:
        assert kto_reference_point(-10.0, -12.5) == 2.5
        assert kto_reference_point(-12.5, -10.0) == 0.0


def reverse_kl_by_hand(student: Array, teacher: Array, top_k: int) -> float:
    """Return the reverse KL divergence at one position, from logits."""
    p = np.exp(student - np.logaddexp.reduce(student))
    q = np.exp(teacher - np.logaddexp.reduce(teacher))
    best = np.argsort(-student)[:top_k]
    total = sum(p[token] * math.log(p[token] / q[token]) for token in best)
    p_rest, q_rest = 1.0 - p[best].sum(), 1.0 - q[best].sum()
    if top_k < len(student):
        total += p_rest * math.log(p_rest / q_rest)
    return float(total)


class TestReverseKl:
    student, teacher = (drawn(seed, 5, 20, low=-3.0, high=3.0) for seed in (9, 10))

    @pytest.mark.parametrize("top_k", [1, 4, 19, 20, 32])
    def test_the_likeliest_are_told_apart_and_the_rest_is_one(self, top_k: int) -> None:
        ours = reverse_kl(mx.array(self.student), mx.array(self.teacher), top_k)
        hand = [
            reverse_kl_by_hand(s, t, top_k) for s, t in zip(self.student, self.teacher, strict=True)
        ]
        np.testing.assert_allclose(np.array(ours), hand, atol=1e-5)

    def test_its_slope_is_that_of_the_equation(self) -> None:
        def by_hand(student: Array) -> float:
            rows = zip(student, self.teacher, strict=True)
            return sum(reverse_kl_by_hand(s, t, 4) for s, t in rows)

        ours = mx.grad(lambda s: reverse_kl(s, mx.array(self.teacher), 4).sum())(
            mx.array(self.student)
        )
        np.testing.assert_allclose(np.array(ours), slope(by_hand, self.student), atol=1e-4)

    def test_the_teacher_is_not_pulled(self) -> None:
        pulled = mx.grad(lambda t: reverse_kl(mx.array(self.student), t, 4).sum())(
            mx.array(self.teacher)
        )
        assert mx.abs(pulled).max().item() == 0.0

    def test_it_is_never_more_than_the_whole_and_nothing_between_equals(self) -> None:
        student, teacher = mx.array(self.student), mx.array(self.teacher)
        whole = np.array(reverse_kl(student, teacher, 20))
        assert (np.array(reverse_kl(student, teacher, 4)) <= whole + 1e-6).all()
        assert np.abs(np.array(reverse_kl(student, student, 4))).max() < 1e-6

    def test_a_certain_student_gives_no_nan(self) -> None:
        sure = mx.array([[60.0] + [0.0] * 19])
        unsure = mx.array([[0.0] * 19 + [60.0]])
        made = reverse_kl(sure, unsure, 4)
        pulled = mx.grad(lambda s: reverse_kl(s, unsure, 4).sum())(sure)
        assert mx.isfinite(made).all().item()
        assert mx.isfinite(pulled).all().item()


class TestForwardKl:
    student, teacher = (drawn(seed, 5, 20, low=-3.0, high=3.0) for seed in (12, 13))

    @pytest.mark.parametrize("top_k", [1, 4, 19, 20, 32])
    def test_it_is_the_reverse_one_with_the_sides_changed(self, top_k: int) -> None:
        ours = forward_kl(mx.array(self.student), mx.array(self.teacher), top_k)
        hand = [
            reverse_kl_by_hand(t, s, top_k) for s, t in zip(self.student, self.teacher, strict=True)
        ]
        np.testing.assert_allclose(np.array(ours), hand, atol=1e-5)

    def test_its_slope_is_that_of_cross_entropy_on_the_teacher(self) -> None:
        teacher = mx.softmax(mx.array(self.teacher), axis=-1)

        def cross_entropy(logits: Any) -> Any:
            logps = logits - mx.logsumexp(logits, axis=-1, keepdims=True)
            return -(teacher * logps).sum()

        def ours(logits: Any) -> Any:
            return forward_kl(logits, mx.array(self.teacher), 20).sum()

        student = mx.array(self.student)
        np.testing.assert_allclose(
            np.array(mx.grad(ours)(student)), np.array(mx.grad(cross_entropy)(student)), atol=1e-5
        )

    def test_what_the_student_never_says_is_pulled_hard_and_hardly_by_the_reverse_one(self) -> None:
        student = mx.array([[12.0] + [0.0] * 19])
        teacher = mx.array([[0.0] * 19 + [12.0]])

        def pull_on_the_last(loss: Any) -> float:
            slope_NV: Any = mx.grad(lambda s: loss(s, teacher, 4).sum())(student)
            return float(-slope_NV[0, 19].item())

        assert pull_on_the_last(forward_kl) > 0.9
        assert abs(pull_on_the_last(reverse_kl)) < 0.01

    def test_the_teacher_is_not_pulled(self) -> None:
        pulled = mx.grad(lambda t: forward_kl(mx.array(self.student), t, 4).sum())(
            mx.array(self.teacher)
        )
        assert mx.abs(pulled).max().item() == 0.0


def test_replay_is_cross_entropy() -> None:
    logits, target = drawn(11, 7, 20, low=-3.0, high=3.0), [3, 0, 19, 5, 5, 7, 1]
    by_hand = sum(
        np.logaddexp.reduce(row) - row[token] for row, token in zip(logits, target, strict=True)
    )
    logps = token_logps(mx.array(logits), mx.array(target))
    assert cross_entropy_loss(logps, norm=7.0).item() == pytest.approx(by_hand / 7, rel=1e-5)
