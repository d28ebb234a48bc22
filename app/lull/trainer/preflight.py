"""Measures whether a training step fits into memory, before the run begins and in the same process.

A failed Metal allocation ends the process without an error, so the largest micro-batch is not tried
first. A quarter and a half of it are measured, and the whole only if a linear extrapolation says
that it fits. The same extrapolation tells what would have to change for a refused run to fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil

from lull.core.training.events import RunRefused
from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    RecordedAnswer,
    ReplayExample,
    TokenIds,
)
from lull.core.training.spec import GraduationTerms, RunSpec
from lull.trainer.gradients import ChunkedEvaluator, add_gradients
from lull.trainer.losses import cross_entropy_loss
from lull.trainer.plan import TrainingPlan
from lull.trainer.rows import TrainingRow, micro_batches, row

MB = 1024 * 1024
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_COPIES = 5
"""Copies of each low-rank weight: itself, its gradient, the gradient sum and Adam's two moments."""


def working_set_bytes(cgroup: Path = _CGROUP) -> int:
    """Return how much memory in bytes a training process should use at most on this device.

    This is Metal's recommended working set; elsewhere the total memory, or a container's limit.
    """
    if mx.metal.is_available():
        return int(mx.device_info()["max_recommended_working_set_size"])
    total = int(psutil.virtual_memory().total)
    allowed = cgroup.read_text().strip() if cgroup.is_file() else ""
    return min(total, int(allowed)) if allowed.isdecimal() else total


def set_limits(limit_bytes: int) -> None:
    """Set MLX's memory limits for the training process. Call after the model is loaded.

    MLX frees cached buffers before it exceeds them.
    """
    mx.set_memory_limit(limit_bytes)
    mx.set_cache_limit(limit_bytes // 4)
    if mx.metal.is_available():
        mx.set_wired_limit(limit_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroBatchSize:
    """The size of a micro-batch: its number of rows and their common length in tokens."""

    rows: int
    tokens: int
    """Tokens in each row."""

    @property
    def all_tokens(self) -> int:
        """Number of tokens in the micro-batch, padding included."""
        return self.rows * self.tokens

    def part(self, share: float) -> MicroBatchSize:
        """Return the size of a smaller micro-batch with about this share of the tokens: fewer rows,
        or one shorter row.
        """
        if self.rows * share >= 1.0:
            return MicroBatchSize(rows=int(self.rows * share), tokens=self.tokens)
        return MicroBatchSize(rows=1, tokens=max(2, int(self.tokens * self.rows * share)))


def heaviest(plan: TrainingPlan, spec: RunSpec) -> MicroBatchSize:
    """Return an upper bound of a run's largest micro-batch: every row as long as the longest."""
    rows = [one for example in (*plan.own, *plan.replays) for one in _lengths(example, spec)]
    longest = max(rows, default=2) - 1
    widest = max((len(e.samples) for e in plan.own if isinstance(e, Group)), default=1)
    at_most = max(1, spec.examples_a_step * widest)
    return MicroBatchSize(rows=min(at_most, max(1, spec.micro_tokens // longest)), tokens=longest)


def _lengths(example: Example, spec: RunSpec) -> list[int]:
    match example:
        case Group(prompt_ids=prompt, samples=samples):
            return [len(prompt) + len(sample.ids) for sample in samples]
        case RecordedAnswer() | ReplayExample():
            return [len(example.prompt_ids) + len(example.ids)]
        case GraduationExample(prompt_ids=prompt, teacher_ids=teacher, sample_ids=given):
            assert isinstance(spec.terms, GraduationTerms)
            answer = len(given) or spec.terms.sample_tokens
            return [max(len(prompt), len(teacher)) + answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightResult:
    """The measured or extrapolated memory peak of a training step, and the refusal if it exceeds
    the limit.
    """

    peak_bytes: int
    refused: RunRefused | None


def check(
    chunked: ChunkedEvaluator, spec: RunSpec, load: MicroBatchSize, *, limit_bytes: int
) -> PreflightResult:
    """Measure the memory that a training run's largest step needs. If it exceeds `limit_bytes`, the
    result says which settings would fit.

    The model's weights are not changed.
    """
    return decide(
        lambda some: _peak_bytes(chunked, spec, some),
        load,
        limit_bytes=limit_bytes,
        rank=int(chunked.policy.adapter.lora_parameters["rank"]),
        rank_bytes=chunked.policy.trained_parameters * 4 * _COPIES,
    )


def decide(
    peak_of: Callable[[MicroBatchSize], int],
    load: MicroBatchSize,
    *,
    limit_bytes: int,
    rank: int,
    rank_bytes: int,
) -> PreflightResult:
    """Decide whether a training run's largest micro-batch (`load`) fits into memory, from memory
    peaks that `peak_of` measures for smaller ones.

    `rank_bytes` is the size of all copies of the low-rank weights at `rank`.
    """
    quarter, half = load.part(0.25), load.part(0.5)
    low, high = peak_of(quarter), peak_of(half)
    slope = max(0.0, (high - low) / max(1, half.all_tokens - quarter.all_tokens))
    fixed = high - slope * half.all_tokens
    peak = int(fixed + slope * load.all_tokens)
    if max(low, high, peak) <= limit_bytes:
        peak = peak_of(load)
    needs = max(low, high, peak)
    if needs <= limit_bytes:
        return PreflightResult(peak_bytes=needs, refused=None)
    fitting_tokens = (limit_bytes - fixed) / slope if slope else 0.0
    each = rank_bytes / rank
    refused = _refused(
        needs,
        limit_bytes,
        micro_tokens=max(0, min(int(fitting_tokens), load.all_tokens - 1)),
        longest=load.tokens,
        rank=max(0, int(rank - (needs - limit_bytes) / each)),
    )
    return PreflightResult(peak_bytes=needs, refused=refused)


def _refused(needs: int, limit: int, *, micro_tokens: int, longest: int, rank: int) -> RunRefused:
    ways = []
    if micro_tokens >= longest:
        ways.append(f"at most {micro_tokens} tokens at once (micro_tokens)")
    elif micro_tokens > 1:
        ways.append(f"prompts and answers of at most {micro_tokens} tokens, here up to {longest}")
    if rank:
        ways.append(f"a rank of at most {rank}")
    return RunRefused(
        needs_mb=round(needs / MB, 1),
        limit_mb=round(limit / MB, 1),
        would_fit="; ".join(ways) or "a smaller model, or one with 4-bit weights",
        fits_micro_tokens=micro_tokens,
    )


def _peak_bytes(chunked: ChunkedEvaluator, spec: RunSpec, load: MicroBatchSize) -> int:
    """Peak memory of one micro-batch, forward and backward, on top of an earlier gradient."""
    policy = chunked.policy
    rows: list[TrainingRow] = [_dummy_row(policy.vocabulary, load.tokens + 1)] * load.rows
    mx.clear_cache()
    mx.reset_peak_memory()
    total: dict[str, Any] | None = None
    for micro in micro_batches(rows, load.all_tokens):
        if isinstance(spec.terms, GraduationTerms):
            teacher_ND = chunked.hidden(micro)
            _, part = chunked.kl_gradient(micro, teacher_ND, top_k=spec.terms.top_k, norm=1.0)
        else:
            _, part = chunked.logp_gradient(
                micro, lambda logp_N: (cross_entropy_loss(logp_N, norm=1.0),)
            )
        total = add_gradients(total, part)
    # A second micro-batch would run while the first one's gradient is in memory.
    return int(mx.get_peak_memory()) + policy.trained_parameters * 4


def _dummy_row(vocabulary: int, tokens: int) -> TrainingRow:
    ids: TokenIds = tuple(number % vocabulary for number in range(tokens))
    return row(ids[:1], ids[1:])
