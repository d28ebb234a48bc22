"""Computes one training step's gradient, for each kind of training run, from this process's share
of the examples.

A step adds two losses: the run's own, weighted (1 - s), and replay of past successes, weighted s,
where s is the replay share. Denominators are summed over all processes first, so that gradients of
micro-batches and processes can be added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import mlx.core as mx

from lull.core.models.sampling_keys import splitmix64
from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    RecordedAnswer,
    ReplayExample,
)
from lull.core.training.spec import GraduationTerms, GrpoTerms, KtoTerms, RunSpec
from lull.trainer.gradients import ChunkedEvaluator, add_gradients
from lull.trainer.losses import cross_entropy_loss, grpo, kto, kto_reference_point
from lull.trainer.plan import Share
from lull.trainer.policy import PolicyWeights
from lull.trainer.rows import (
    TrainingRow,
    concatenate_tokens,
    expand_to_tokens,
    micro_batches,
    row,
    row_sums,
)
from lull.trainer.sample import sample_answers
from lull.trainer.world import ProcessRing


@dataclass(slots=True)
class StepSums:
    """Statistics of one training step, kept as sums so that those of several processes
    can be added.
    """

    loss: float = 0.0
    kl: float = 0.0
    clipped: float = 0.0
    reward: float = 0.0
    replay_loss: float = 0.0
    trained: float = 0.0
    """Denominator for `kl` and `clipped`: the trained answer tokens for GRPO, else this process's
    share of the step's examples or tokens (all processes together: 1).
    """
    tokens: float = 0.0
    """Tokens passed through the model with a gradient."""

    def add(self, **parts: Any) -> None:
        """Add each keyword argument's value to the statistic of the same name."""
        for name, part in parts.items():
            setattr(self, name, getattr(self, name) + float(part))

    def over_all_processes(self, world: ProcessRing) -> StepSums:
        """Return this step's statistics summed over all processes that train the run."""
        names = self.__slots__
        return StepSums(*world.sum_numbers(*(getattr(self, name) for name in names)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConstants:
    """What stays the same in every step of a training run: its settings, the model, the group of
    processes, the numbers that scale the losses, and a callback after each micro-batch.
    """

    spec: RunSpec
    chunked: ChunkedEvaluator
    world: ProcessRing
    longest: int
    """Length of the run's longest sampled answer in tokens, by which Dr. GRPO divides the loss."""
    weight_good: float = 1.0
    weight_bad: float = 1.0
    beat: Callable[[], None] = field(default=lambda: None)
    """Callback that is called after each micro-batch; does nothing by default."""


def gradient(course: RunConstants, share: Share, step: int) -> tuple[PolicyWeights, StepSums]:
    """Return this process's share of a training step's gradient, by weight name, and its loss
    statistics.
    """
    sums, own = StepSums(), [example for _, example in share.own]
    s = course.spec.replay_share if course.world.sum_numbers(len(share.replays))[0] else 0.0
    match course.spec.terms:
        case GrpoTerms() as terms:
            parts = _grpo(course, terms, _of(Group, own), sums, 1.0 - s)
        case KtoTerms() as terms:
            partners = _of(RecordedAnswer, share.partners)
            parts = _kto(course, terms, _of(RecordedAnswer, own), partners, sums, 1.0 - s)
        case GraduationTerms() as terms:
            numbers = [number for number, _ in share.own]
            examples = _of(GraduationExample, own)
            parts = _graduation(course, terms, examples, numbers, step, sums, 1.0 - s)
    total: PolicyWeights | None = None
    for part in chain(parts, _replays(course, share.replays, sums, s)):
        total = add_gradients(total, part)
        course.beat()
    return total or _zero_gradients(course), sums


def _of(kind: type[Any], examples: Sequence[Example]) -> list[Any]:
    return [example for example in examples if isinstance(example, kind)]


def _zero_gradients(course: RunConstants) -> PolicyWeights:
    """Zero gradients, for a process without examples in a short last step."""
    return {name: mx.zeros_like(a) for name, a in course.chunked.policy.weights().items()}


def _grpo(
    course: RunConstants, terms: GrpoTerms, groups: Sequence[Group], sums: StepSums, weight: float
) -> Iterable[PolicyWeights]:
    rows, behaviour, advantage = list[TrainingRow](), list[list[float]](), list[float]()
    for group in groups:
        for sample, value in zip(group.samples, group.advantages, strict=True):
            rows.append(row(group.prompt_ids, sample.ids, sample.foreign))
            kept = [place - len(group.prompt_ids) for place in rows[-1].places]
            behaviour.append([sample.logprobs[place] for place in kept])
            advantage.append(value)
            sums.add(reward=sample.reward)
    (samples,) = course.world.sum_numbers(len(rows))
    norm = max(1.0, samples) * course.longest
    sums.reward /= max(1.0, samples)
    for micro in micro_batches(rows, course.spec.micro_tokens):
        with course.chunked.policy.as_base():
            reference_N = course.chunked.logps(micro)
        behaviour_N, advantage_N = (
            concatenate_tokens(behaviour, micro),
            expand_to_tokens(advantage, micro),
        )

        def loss(
            logp_N: Any,
            behaviour_N: Any = behaviour_N,
            reference_N: Any = reference_N,
            advantage_N: Any = advantage_N,
        ) -> tuple[Any, ...]:
            made = grpo(
                logp_N,
                behaviour_N=behaviour_N,
                reference_N=reference_N,
                advantage_N=advantage_N,
                clip_low=terms.clip_low,
                clip_high=terms.clip_high,
                ratio_cap=terms.ratio_cap,
                kl_beta=terms.kl_beta,
                norm=norm,
            )
            return weight * made.loss, made.kl, made.clipped

        (lost, kl, clipped), part = course.chunked.logp_gradient(micro, loss)
        trained = len(micro.target_N)
        sums.add(
            loss=lost.item(),
            kl=kl.item(),
            clipped=clipped.item(),
            trained=trained,
            tokens=micro.tokens,
        )
        yield part


def _kto(
    course: RunConstants,
    terms: KtoTerms,
    answers: Sequence[RecordedAnswer],
    partners: Sequence[RecordedAnswer],
    sums: StepSums,
    weight: float,
) -> Iterable[PolicyWeights]:
    rows = [row(answer.prompt_ids, answer.ids, answer.foreign) for answer in answers]
    (count,) = course.world.sum_numbers(len(rows))
    z0 = _reference_point(course, answers, partners)
    # Each process adds its part of a mean over the step, so the sum over processes is the mean.
    sums.add(kl=z0 * len(rows) / max(1.0, count), trained=len(rows) / max(1.0, count))
    good, bad = course.world.sum_numbers(
        sum(answer.good for answer in answers), sum(not answer.good for answer in answers)
    )
    for micro in micro_batches(rows, course.spec.micro_tokens):
        with course.chunked.policy.as_base():
            reference_R = row_sums(course.chunked.logps(micro), micro)
        good_R = mx.array([answers[index].good for index in micro.indices])

        def loss(
            logp_N: Any, micro: Any = micro, reference_R: Any = reference_R, good_R: Any = good_R
        ) -> tuple[Any, ...]:
            made = kto(
                row_sums(logp_N, micro),
                reference_R=reference_R,
                good_R=good_R,
                z0=z0,
                beta=terms.beta,
                weight_good=course.weight_good,
                weight_bad=course.weight_bad,
                norm=max(1.0, count),
            )
            return weight * made.loss, made.margin_good, made.margin_bad

        (lost, up, down), part = course.chunked.logp_gradient(micro, loss)
        margin = up.item() / max(1.0, good) - down.item() / max(1.0, bad)
        sums.add(loss=lost.item(), reward=margin, tokens=micro.tokens)
        yield part


def _reference_point(
    course: RunConstants, answers: Sequence[RecordedAnswer], partners: Sequence[RecordedAnswer]
) -> float:
    """Return KTO's reference point z0 over the whole step, from prompts paired with other prompts'
    answers.
    """
    rows = [
        row(answer.prompt_ids, partner.ids, partner.foreign)
        for answer, partner in zip(answers, partners, strict=True)
    ]
    policy, reference = 0.0, 0.0
    for micro in micro_batches(rows, course.spec.micro_tokens):
        policy += course.chunked.logps(micro).sum().item()
        with course.chunked.policy.as_base():
            reference += course.chunked.logps(micro).sum().item()
        course.beat()
    policy, reference, count = course.world.sum_numbers(policy, reference, len(rows))
    return kto_reference_point(policy / max(1.0, count), reference / max(1.0, count))


def _graduation(
    course: RunConstants,
    terms: GraduationTerms,
    examples: Sequence[GraduationExample],
    numbers: Sequence[int],
    step: int,
    sums: StepSums,
    weight: float,
) -> Iterable[PolicyWeights]:
    """Distil the teacher: forward KL on its own answers, reverse KL on the student's samples.

    Only an answer of the teacher's holds what the student never says; reverse KL on the student's
    samples sharpens what both say (measured: docs/adr/0053).
    """
    samples = _samples(course, terms, examples, numbers, step)
    (count,) = course.world.sum_numbers(sum(len(ids) for ids in samples))
    norm = max(1.0, count)
    for taught in (True, False):
        pairs = [
            (example, ids)
            for example, ids in zip(examples, samples, strict=True)
            if bool(example.sample_ids) is taught
        ]
        rows = [row(example.prompt_ids, ids) for example, ids in pairs]
        teacher_rows = [row(example.teacher_ids, ids) for example, ids in pairs]
        for micro in micro_batches(rows, course.spec.micro_tokens):
            teacher_ND = _teacher(course, [teacher_rows[index] for index in micro.indices])
            (kl,), part = course.chunked.kl_gradient(
                micro, teacher_ND, top_k=terms.top_k, norm=norm / weight, forward=taught
            )
            nats = kl.item() / weight
            sums.add(loss=kl.item(), kl=nats, reward=-nats, tokens=micro.tokens)
            yield part
    sums.add(trained=sum(len(ids) for ids in samples) / norm)


def _samples(
    course: RunConstants,
    terms: GraduationTerms,
    examples: Sequence[GraduationExample],
    numbers: Sequence[int],
    step: int,
) -> list[tuple[int, ...]]:
    """Return the answers to learn from: the teacher's where the example has one, else a sample of
    the student's, without the skill in its prompt.
    """
    wanted = [place for place, example in enumerate(examples) if not example.sample_ids]
    made = sample_answers(
        course.chunked.policy,
        [examples[place].prompt_ids for place in wanted],
        seeds=[
            splitmix64(splitmix64(course.spec.seed) + step) + numbers[place] for place in wanted
        ],
        most_tokens=terms.sample_tokens,
        temperature=terms.temperature,
    )
    by_place = dict(zip(wanted, made, strict=True))
    course.beat()
    return [by_place.get(place, example.sample_ids) for place, example in enumerate(examples)]


def _teacher(course: RunConstants, rows: Sequence[TrainingRow]) -> Any:
    """Teacher hidden states at the same tokens and in the same order, shape (N, D).

    The teacher has the weights that the run started from and sees the skill in its prompt. It does
    not follow the student's updates, because such a target could drift with the student.
    """
    by_row: dict[int, Any] = {}
    with course.chunked.policy.as_at_start():
        for micro in micro_batches(rows, course.spec.micro_tokens):
            hidden_ND, first = course.chunked.hidden(micro), 0
            for index in micro.indices:
                last = first + len(rows[index].places)
                by_row[index] = hidden_ND[first:last]
                first = last
    return mx.concatenate([by_row[index] for index in range(len(rows))])


def _replays(
    course: RunConstants, replays: Sequence[ReplayExample], sums: StepSums, weight: float
) -> Iterable[PolicyWeights]:
    match course.spec.terms:
        case KtoTerms(replay_top_k=top_k) if top_k:
            return _keep(course, top_k, replays, sums, weight)
        case _:
            return _replay(course, replays, sums, weight)


def _keep(
    course: RunConstants,
    top_k: int,
    replays: Sequence[ReplayExample],
    sums: StepSums,
    weight: float,
) -> Iterable[PolicyWeights]:
    """Hold the policy to what it was when the run began, along the replayed answers: forward KL.

    Cross-entropy would make the replayed answers surer than they were, and with them all others of
    their kind; a run that has no other tie to the base drifts away by that alone (measured:
    docs/adr/0075).
    """
    rows = [row(replay.prompt_ids, replay.ids, replay.foreign) for replay in replays]
    (count,) = course.world.sum_numbers(sum(len(one.places) for one in rows))
    norm = max(1.0, count)
    for micro in micro_batches(rows, course.spec.micro_tokens):
        teacher_ND = _teacher(course, [rows[index] for index in micro.indices])
        (kl,), part = course.chunked.kl_gradient(
            micro, teacher_ND, top_k=top_k, norm=norm / weight, forward=True
        )
        sums.add(loss=kl.item(), replay_loss=kl.item() / weight, tokens=micro.tokens)
        yield part


def _replay(
    course: RunConstants, replays: Sequence[ReplayExample], sums: StepSums, weight: float
) -> Iterable[PolicyWeights]:
    rows = [row(replay.prompt_ids, replay.ids, replay.foreign) for replay in replays]
    (count,) = course.world.sum_numbers(sum(len(one.places) for one in rows))
    norm = max(1.0, count)
    for micro in micro_batches(rows, course.spec.micro_tokens):
        (lost,), part = course.chunked.logp_gradient(
            micro, lambda logp_N: (weight * cross_entropy_loss(logp_N, norm=norm),)
        )
        sums.add(loss=lost.item(), replay_loss=lost.item() / weight, tokens=micro.tokens)
        yield part
