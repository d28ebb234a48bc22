"""Training losses, as pure functions over the answer tokens of a micro-batch.

Shapes: N answer tokens of the micro-batch, concatenated; R rows (sequences); K tokens compared
one by one; V the vocabulary. Prompt tokens, padding and tokens that the model did not write are
in none of these arrays. All values are in nats and float32. Each loss is a sum divided by a
number known before the step begins, so results of micro-batches and processes can be added.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mlx.core as mx

_LOG_RATIO_LIMIT = 20.0
"""Log-ratios are clipped to ± this before exp: e^20 is as wrong as infinity, but gives no NaN."""


class Grpo(NamedTuple):
    """The GRPO loss of a micro-batch, with statistics: the KL divergence from the base model, and
    the number of clipped tokens.
    """

    loss: mx.array
    kl: mx.array
    """Sum over tokens of the estimated KL to the base."""
    clipped: mx.array
    """Number of tokens whose gradient the clip or the cap sets to zero."""


def grpo(
    logp_N: mx.array,
    *,
    behaviour_N: mx.array,
    reference_N: mx.array,
    advantage_N: mx.array,
    clip_low: float,
    clip_high: float,
    ratio_cap: float,
    kl_beta: float,
    norm: float,
) -> Grpo:
    """Return the loss of group-relative policy optimisation (GRPO), a sum over tokens divided by
    `norm`, with statistics.

    loss = Σ_n [ -min(r_n A_n, clip(r_n, 1 - low, 1 + high) A_n) + β kl_n ] / norm
    r_n  = min(exp(logp_n - behaviour_n), cap)
    kl_n = exp(d_n) - d_n - 1,  d_n = reference_n - logp_n

    The objective is GRPO's (arXiv 2402.03300, eq. 3) with its k3 estimate of KL (eq. 4; Schulman,
    "Approximating KL divergence", 2020); the wider clip upwards is DAPO's (2503.14476, eq. 10);
    the cap is that of truncated importance sampling (Ionides 2008), because the engine that drew
    the tokens rounds differently. As in Dr. GRPO (2503.20783) `norm` does not depend on the length
    of each answer: it is the step's samples times the run's longest answer, so tokens of long and
    short answers weigh the same.
    """
    ratio_N = _ratio(logp_N, behaviour_N, ratio_cap)
    kept_N = mx.clip(ratio_N, 1.0 - clip_low, 1.0 + clip_high)
    gain_N = mx.minimum(ratio_N * advantage_N, kept_N * advantage_N)
    kl_N = k3(logp_N, reference_N)
    return Grpo(
        loss=(kl_beta * kl_N - gain_N).sum() / norm,
        kl=kl_N.sum(),
        clipped=_held(ratio_N, advantage_N, clip_low, clip_high, ratio_cap).sum(),
    )


def _ratio(logp_N: mx.array, behaviour_N: mx.array, cap: float) -> mx.array:
    return mx.minimum(
        mx.exp(mx.clip(logp_N - behaviour_N, -_LOG_RATIO_LIMIT, _LOG_RATIO_LIMIT)), cap
    )


def _held(
    ratio_N: mx.array, advantage_N: mx.array, low: float, high: float, cap: float
) -> mx.array:
    up_N = (advantage_N > 0) & (ratio_N > 1.0 + high)
    down_N = (advantage_N < 0) & ((ratio_N < 1.0 - low) | (ratio_N >= cap))
    return up_N | down_N


def k3(logp_N: mx.array, reference_N: mx.array) -> mx.array:
    """Return the k3 estimate of KL(policy ‖ reference) for each of the policy's own tokens, shape
    (N,); it is never negative.

    Log-ratios are clipped first.
    """
    d_N = mx.clip(reference_N - logp_N, -_LOG_RATIO_LIMIT, _LOG_RATIO_LIMIT)
    return mx.exp(d_N) - d_N - 1.0


class Kto(NamedTuple):
    """The KTO (Kahneman-Tversky optimisation) loss of a micro-batch, and its margins: by how much
    the policy's log-probability of good and of bad answers exceeds the reference's, times β.
    """

    loss: mx.array
    margin_good: mx.array
    """Sum over the good answers of β (log π - log reference)."""
    margin_bad: mx.array


def kto(
    logp_R: mx.array,
    *,
    reference_R: mx.array,
    good_R: mx.array,
    z0: float,
    beta: float,
    weight_good: float,
    weight_bad: float,
    norm: float,
) -> Kto:
    """Return the loss of Kahneman-Tversky optimisation (KTO), which raises the probability of good
    answers and lowers that of bad ones.

    loss = Σ_r w_r (1 - σ(±β (logp_r - reference_r - z0))) / norm, + for good rows, - for bad ones

    arXiv 2402.01306, eq. 7 and 8, in the form that TRL documents; log-probabilities are summed
    over an answer's tokens. `z0` comes from `kto_reference_point` and gets no gradient.
    """
    ratio_R = logp_R - reference_R
    sign_R = mx.where(good_R, 1.0, -1.0)
    weight_R = mx.where(good_R, weight_good, weight_bad)
    lost_R = weight_R * (1.0 - mx.sigmoid(sign_R * beta * (ratio_R - z0)))
    return Kto(
        loss=lost_R.sum() / norm,
        margin_good=mx.where(good_R, beta * ratio_R, 0.0).sum(),
        margin_bad=mx.where(good_R, 0.0, beta * ratio_R).sum(),
    )


def kto_reference_point(logp_mean: float, reference_mean: float) -> float:
    """Return KTO's reference point z0: the policy's mean shift from the reference, at least 0.

    It is the mean over the step of log π - log reference on mismatched pairs, each a prompt with
    another prompt's answer: the biased but cheap estimate of KL(policy ‖ reference) of
    arXiv 2402.01306, section 4.1.
    """
    return max(0.0, logp_mean - reference_mean)


def reverse_kl(student_NV: Any, teacher_NV: Any, top_k: int) -> Any:
    """Return KL(student ‖ teacher) at each token, shape (N,), computed from logits.

    The student's `top_k` likeliest tokens are compared one by one; all others are one event, the
    tail: Σ_k p_k (log p_k - log q_k) + p_tail (log p_tail - log q_tail). Merging events never
    raises a KL divergence (data-processing inequality), so this is a lower bound of the full KL,
    and equal to it where K = V. The teacher gets no gradient. Reverse KL on the student's own
    samples is the loss of on-policy self-distillation (SDFT, arXiv 2601.19897, section 3).
    """
    student_NV = student_NV.astype(mx.float32)
    teacher_NV = mx.stop_gradient(teacher_NV.astype(mx.float32))
    p_NK, q_NK = _top_k_logps(student_NV, teacher_NV, min(top_k, student_NV.shape[-1]))
    each_N = (mx.exp(p_NK) * (p_NK - q_NK)).sum(axis=-1)
    if top_k >= student_NV.shape[-1]:
        return each_N
    p_N, q_N = _tail(p_NK), _tail(q_NK)
    return each_N + mx.exp(p_N) * (p_N - q_N)


def forward_kl(student_NV: Any, teacher_NV: Any, top_k: int) -> Any:
    """Return KL(teacher ‖ student) at each token, shape (N,), computed from logits.

    The teacher's `top_k` likeliest tokens are compared one by one; all others are one event, the
    tail, as in `reverse_kl`. It differs from the cross-entropy of the student on what the teacher
    says only by the teacher's own entropy, so its gradient is that of cross-entropy on the
    teacher's answers (knowledge distillation, arXiv 1503.02531; on whole answers 1606.07947). It
    raises each token in proportion to the teacher's probability of it, even if the student's is
    almost 0.
    """
    student_NV = student_NV.astype(mx.float32)
    teacher_NV = mx.stop_gradient(teacher_NV.astype(mx.float32))
    q_NK, p_NK = _top_k_logps(teacher_NV, student_NV, min(top_k, teacher_NV.shape[-1]))
    each_N = (mx.exp(q_NK) * (q_NK - p_NK)).sum(axis=-1)
    if top_k >= teacher_NV.shape[-1]:
        return each_N
    q_N, p_N = _tail(q_NK), _tail(p_NK)
    return each_N + mx.exp(q_N) * (q_N - p_N)


def _top_k_logps(of_NV: Any, other_NV: Any, k: int) -> tuple[Any, Any]:
    """Log-probabilities of the k likeliest tokens of `of_NV`, under it and under the other."""
    ids_NK = mx.stop_gradient(mx.argpartition(-of_NV, kth=k - 1, axis=-1)[:, :k])
    return _logp(of_NV, ids_NK), _logp(other_NV, ids_NK)


def _logp(logits_NV: Any, ids_NK: Any) -> Any:
    total_N1 = mx.logsumexp(logits_NV, axis=-1, keepdims=True)
    return mx.take_along_axis(logits_NV, ids_NK, axis=-1) - total_N1


_SMALLEST_TAIL = 1e-7
"""Smallest tail probability: about float32's rounding error near 1."""


def _tail(logp_NK: mx.array) -> mx.array:
    """Log-probability of all tokens that are not compared one by one."""
    return mx.log(mx.maximum(1.0 - mx.exp(logp_NK).sum(axis=-1), _SMALLEST_TAIL))


def cross_entropy_loss(logp_N: mx.array, *, norm: float) -> mx.array:
    """Return the cross-entropy of recorded answers, Σ -logp / norm: the loss for replaying good
    answers of the past.
    """
    return -logp_N.sum() / norm


def token_logps(logits_NV: Any, target_N: Any) -> Any:
    """Return the log-probability of each target token under its logits, shape (N,)."""
    logits_NV = logits_NV.astype(mx.float32)
    own_N: Any = mx.take_along_axis(logits_NV, target_N[:, None], axis=-1)[:, 0]
    return own_N - mx.logsumexp(logits_NV, axis=-1)
