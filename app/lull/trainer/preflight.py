"""Does a step fit into memory? Measured before the run begins, in the process that will run it.

A Metal allocation that fails ends the process without a word, so the largest micro-batch is not
simply tried: a quarter and a half of it are measured first, and the whole only if the line through
the two says that it fits. What a refused run would need to fit is worked out from that line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil

from lull.core.training_events import Refused
from lull.core.training_examples import Answer, Example, Graduation, Group, Ids, Replay
from lull.core.training_run import GraduationTerms, RunSpec
from lull.trainer.gradients import Chunked, added
from lull.trainer.losses import surprise
from lull.trainer.plan import Plan
from lull.trainer.rows import Row, micros, row

MB = 1024 * 1024
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_COPIES = 5
"""Of each low-rank weight: itself, its gradient, the sum of gradients, two moments."""


def working_set_bytes(cgroup: Path = _CGROUP) -> int:
    """What the device says a process should use at most: Metal's word, else the memory there is,
    or what a container leaves of it."""
    if mx.metal.is_available():
        return int(mx.device_info()["max_recommended_working_set_size"])
    total = int(psutil.virtual_memory().total)
    allowed = cgroup.read_text().strip() if cgroup.is_file() else ""
    return min(total, int(allowed)) if allowed.isdecimal() else total


def set_limits(limit_bytes: int) -> None:
    """MLX frees what it caches rather than pass these. Set after the model is loaded."""
    mx.set_memory_limit(limit_bytes)
    mx.set_cache_limit(limit_bytes // 4)
    if mx.metal.is_available():
        mx.set_wired_limit(limit_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The largest thing that goes through the model at once."""

    rows: int
    tokens: int
    """Of each row."""

    @property
    def all_tokens(self) -> int:
        return self.rows * self.tokens

    def part(self, share: float) -> Load:
        if self.rows * share >= 1.0:
            return Load(rows=int(self.rows * share), tokens=self.tokens)
        return Load(rows=1, tokens=max(2, int(self.tokens * self.rows * share)))


def heaviest(plan: Plan, spec: RunSpec) -> Load:
    """As if every row were as long as the longest."""
    rows = [one for example in (*plan.own, *plan.replays) for one in _lengths(example, spec)]
    longest = max(rows, default=2) - 1
    widest = max((len(e.samples) for e in plan.own if isinstance(e, Group)), default=1)
    at_most = max(1, spec.examples_a_step * widest)
    return Load(rows=min(at_most, max(1, spec.micro_tokens // longest)), tokens=longest)


def _lengths(example: Example, spec: RunSpec) -> list[int]:
    match example:
        case Group(prompt_ids=prompt, samples=samples):
            return [len(prompt) + len(sample.ids) for sample in samples]
        case Answer() | Replay():
            return [len(example.prompt_ids) + len(example.ids)]
        case Graduation(prompt_ids=prompt, teacher_ids=teacher, sample_ids=given):
            assert isinstance(spec.terms, GraduationTerms)
            answer = len(given) or spec.terms.sample_tokens
            return [max(len(prompt), len(teacher)) + answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    peak_bytes: int
    limit_bytes: int
    refused: Refused | None


def check(chunked: Chunked, spec: RunSpec, load: Load, *, limit_bytes: int) -> Measured:
    """Measure, and say what would fit if it does not. The policy is left as it was."""
    return decide(
        lambda some: _peak_bytes(chunked, spec, some),
        load,
        limit_bytes=limit_bytes,
        rank=int(chunked.policy.adapter.lora_parameters["rank"]),
        rank_bytes=chunked.policy.trained_parameters * 4 * _COPIES,
    )


def decide(
    peak_of: Callable[[Load], int],
    load: Load,
    *,
    limit_bytes: int,
    rank: int,
    rank_bytes: int,
) -> Measured:
    """The same with the measuring passed in. `rank_bytes`: of everything at `rank`."""
    quarter, half = load.part(0.25), load.part(0.5)
    low, high = peak_of(quarter), peak_of(half)
    slope = max(0.0, (high - low) / max(1, half.all_tokens - quarter.all_tokens))
    fixed = high - slope * half.all_tokens
    peak = int(fixed + slope * load.all_tokens)
    if max(low, high, peak) <= limit_bytes:
        peak = peak_of(load)
    needs = max(low, high, peak)
    if needs <= limit_bytes:
        return Measured(peak_bytes=needs, limit_bytes=limit_bytes, refused=None)
    room = (limit_bytes - fixed) / slope if slope else 0.0
    each = rank_bytes / rank
    refused = _refused(
        needs,
        limit_bytes,
        micro_tokens=max(0, min(int(room), load.all_tokens - 1)),
        longest=load.tokens,
        rank=max(0, int(rank - (needs - limit_bytes) / each)),
    )
    return Measured(peak_bytes=needs, limit_bytes=limit_bytes, refused=refused)


def _refused(needs: int, limit: int, *, micro_tokens: int, longest: int, rank: int) -> Refused:
    ways = []
    if micro_tokens >= longest:
        ways.append(f"at most {micro_tokens} tokens at once (micro_tokens)")
    elif micro_tokens > 1:
        ways.append(f"prompts and answers of at most {micro_tokens} tokens, here up to {longest}")
    if rank:
        ways.append(f"a rank of at most {rank}")
    return Refused(
        needs_mb=round(needs / MB, 1),
        limit_mb=round(limit / MB, 1),
        would_fit=", or ".join(ways) or "a smaller model, or one with 4-bit weights",
        fits_micro_tokens=micro_tokens,
        fits_rank=rank,
    )


def _peak_bytes(chunked: Chunked, spec: RunSpec, load: Load) -> int:
    """Of one micro-batch, forward and backward, on top of a gradient that is already there."""
    policy = chunked.policy
    rows: list[Row] = [_made_up(policy.vocabulary, load.tokens + 1)] * load.rows
    mx.clear_cache()
    mx.reset_peak_memory()
    total: dict[str, Any] | None = None
    for micro in micros(rows, load.all_tokens):
        if isinstance(spec.terms, GraduationTerms):
            teacher_ND = chunked.hidden(micro)
            _, part = chunked.kl_gradient(micro, teacher_ND, top_k=spec.terms.top_k, norm=1.0)
        else:
            _, part = chunked.logp_gradient(micro, lambda logp_N: (surprise(logp_N, norm=1.0),))
        total = added(total, part)
    # a second micro-batch would find the first one's gradient in its place
    return int(mx.get_peak_memory()) + policy.trained_parameters * 4


def _made_up(vocabulary: int, tokens: int) -> Row:
    ids: Ids = tuple(number % vocabulary for number in range(tokens))
    return row(ids[:1], ids[1:])
