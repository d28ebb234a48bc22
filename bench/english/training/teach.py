"""Trains the obedience adapter: `python -m bench.english.training.teach --work DIR`.

Reads DIR/lessons.jsonl and writes DIR/adapter. Seeded; goes on where it was cut off. A lesson in
which nothing may change is learned by the divergence from the base, which is the same weights with
the LoRA layers switched off. So is each token of a lesson with rules that the base would have said
next without them; the others, at which a rule is kept, by cross-entropy. Else the few tokens that
keep a rule, such as the first of an answer in capitals, would be lost among those that do not.
"""

from __future__ import annotations

from bench.english.small import KEYS, Small, folder  # isort: skip  loads the fast BLAS before MLX

import argparse
import hashlib
import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import mlx.core as mx
import mlx.optimizers as optim
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten, tree_map, tree_unflatten

from bench.english.build import Lesson, read
from bench.english.training import faster
from bench.english.training.team import Team, joined, led

MICRO_TOKENS: Final = 600
"""Most tokens in one forward pass, padding included; more needs more memory, is no faster, and is
harder to share."""
PROCESSES: Final = 2
"""Number of processes that share a training step."""
SAVE_EVERY: Final = 10
ADAPTER: Final = "adapter"
UNLIKELY: Final = 0.05
"""Probability below which the base would hardly ever say a token."""
CPU_MINUTES: Final = 130.0
"""Processor time after which a training ends, so that with the answers before it 150 suffice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    seed: int = 0
    lessons_a_step: int = 8
    epochs: int = 1
    learning_rate: float = 3e-3
    warm_up: int = 15
    rank: int = 16
    scale: float = 2.0
    layers: int = 16
    """Number of the model's last blocks that have LoRA layers; nothing is carried back through
    those before them."""
    stay: float = 2.0
    """Weight of a nat of divergence in lessons in which nothing may change."""
    unlike: float = 4.0
    """Weight of a token's cross-entropy where the base gives it less than `UNLIKELY`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """A lesson in tokens."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    plain: tuple[int, ...]
    """The prompt without rules; empty where the base's answer to it does not matter."""
    stays: bool
    """Whether all of the answer is to be as likely as it is to the base."""

    @property
    def length(self) -> int:
        return max(len(self.prompt), len(self.plain)) + len(self.answer)


def tokens_of(small: Small, lesson: Lesson) -> Tokens:
    answer = small.tokens(lesson.answer) + ([small.end] if lesson.ended else [])
    return Tokens(
        prompt=tuple(small.prompt(lesson.messages)),
        answer=tuple(answer),
        plain=tuple(small.prompt(lesson.plain)) if lesson.plain is not None else (),
        stays=lesson.stays,
    )


def steps_of(plan: Plan, count: int) -> list[list[int]]:
    """Return the lessons of each training step by number; the same for the same seed."""
    steps: list[list[int]] = []
    for epoch in range(plan.epochs):
        order = np.random.default_rng((plan.seed, epoch)).permutation(count)
        for start in range(0, count, plan.lessons_a_step):
            steps.append([int(one) for one in order[start : start + plan.lessons_a_step]])
    return steps


def micro_batches(some: Sequence[Tokens]) -> list[list[Tokens]]:
    """Split a step's lessons into forward passes of one sort and of like length."""
    out: list[list[Tokens]] = []
    for sort in sorted({_sort(one) for one in some}):
        now: list[Tokens] = []
        for one in sorted((o for o in some if _sort(o) == sort), key=lambda o: o.length):
            if now and (len(now) + 1) * one.length > MICRO_TOKENS:
                out.append(now)
                now = []
            now.append(one)
        out += [now] if now else []
    return out


def _sort(one: Tokens) -> tuple[bool, bool]:
    """Return what a lesson has in common with those of the same pass."""
    return one.stays, bool(one.plain)


def logits_of(model: Any, prompts: Sequence[Sequence[int]], some: Sequence[Tokens]) -> mx.array:
    """Return the logits that predict the answers' tokens, shape (all their tokens, vocabulary).

    Only these go through the vocabulary's matrix, which is a fifth of the work.
    """
    rows = [[*prompt, *one.answer[:-1]] for prompt, one in zip(prompts, some, strict=True)]
    width = max(map(len, rows))
    ids_BT = mx.array([row + [0] * (width - len(row)) for row in rows])
    places = [
        number * width + len(prompt) - 1 + k
        for number, (prompt, one) in enumerate(zip(prompts, some, strict=True))
        for k in range(len(one.answer))
    ]
    hidden_BTD = model.model(ids_BT)
    hidden_ND = hidden_BTD.reshape(-1, hidden_BTD.shape[-1])[mx.array(places)]
    if model.args.tie_word_embeddings:
        return model.model.embed_tokens.as_linear(hidden_ND)
    return model.lm_head(hidden_ND)


def loss_of(
    model: Any, some: Sequence[Tokens], base_NV: mx.array | None, weight: float, unlike: float
) -> mx.array:
    """Return the summed loss of one forward pass, times `weight`.

    `base_NV` are the base's log-probabilities without rules; None where they do not matter. A token
    that the base gives less than `UNLIKELY` counts `unlike` times.
    """
    logits_NV = logits_of(model, [one.prompt for one in some], some)
    logs_NV = faster.log_softmax(logits_NV)
    wanted_N1 = mx.array([token for one in some for token in one.answer])[:, None]
    taught_N = -mx.take_along_axis(logs_NV, wanted_N1, axis=-1)[:, 0]
    if base_NV is None:
        return weight * taught_N.sum()
    kept_N = (faster.exp(base_NV) * (base_NV - logs_NV)).sum(-1)
    if some[0].stays:
        return weight * kept_N.sum()
    base_N = mx.take_along_axis(base_NV, wanted_N1, axis=-1)[:, 0]
    counts_N = mx.where(base_N < math.log(UNLIKELY), unlike, 1.0)
    return weight * mx.where(base_N >= base_NV.max(-1), kept_N, counts_N * taught_N).sum()


def teach(
    plan: Plan,
    small: Small,
    lessons: Sequence[Lesson],
    work: Path,
    *,
    minutes: float = CPU_MINUTES,
    team: Team | None = None,
) -> bool:
    """Train the adapter, or go on in `work`; write it and return True when all steps are done.

    Returns False when `minutes` of processor time were spent before; the adapter is as far as it
    came, and more minutes go on from there. The processes of a `team` share each step, and its
    first one writes. Raises ValueError if `work` holds a training of another
    plan or of other lessons.
    """
    work.mkdir(parents=True, exist_ok=True)
    team = team or Team()
    leads = team.rank == 0
    if leads:
        _same(plan, lessons, work / "plan.json")
    faster.install()
    made = [tokens_of(small, one) for one in lessons]
    steps = steps_of(plan, len(made))
    total = len(steps)

    def rate(step: mx.array) -> mx.array:
        warm = mx.minimum(1.0, (step + 1) / plan.warm_up)
        share = mx.minimum(1.0, step / total)
        return plan.learning_rate * warm * 0.5 * (1 + mx.cos(math.pi * share))

    optimizer = optim.Adam(learning_rate=rate, bias_correction=True)
    optimizer.init(small.model.trainable_parameters())
    spent = Spent(work, processes=team.size)
    first = _resume(work, small, optimizer)
    began_s, losses = time.monotonic(), [[], []]  # type: tuple[float, list[list[float]]]
    for number in range(first, total):
        _step(plan, small, optimizer, [made[i] for i in steps[number]], losses, team)
        if leads and (number % 5 == 4 or number == first):
            each_s = (time.monotonic() - began_s) / (number - first + 1)
            taught, stays = (f"{np.mean(one[-30:]):.3f}" if one else "-" for one in losses)
            print(
                f"step {number + 1} of {total}, nats a token: taught {taught}, from the base"
                f" {stays}; {spent.minutes():.1f} CPU min, {(total - number - 1) * each_s / 60:.0f}"
                " min left",
                flush=True,
            )
        over = team.any(leads and spent.minutes() > minutes)
        if leads and (number % SAVE_EVERY == SAVE_EVERY - 1 or number == total - 1 or over):
            _save(work, small, optimizer, number + 1)
            spent.save()
        if over and number < total - 1:
            if leads:
                print(f"{minutes:.0f} CPU minutes are spent after {number + 1} steps", flush=True)
                write_adapter(plan, small, work / ADAPTER)
            return False
    if leads:
        write_adapter(plan, small, work / ADAPTER)
    return True


def _same(plan: Plan, lessons: Sequence[Lesson], file: Path) -> None:
    """Write down what is trained, or hold it against what was written before."""
    told = json.dumps([asdict(one) for one in lessons]).encode()
    said = json.dumps({**asdict(plan), "lessons": hashlib.sha256(told).hexdigest()})
    if file.exists() and file.read_text("utf-8") != said:
        raise ValueError(f"{file.parent} holds another training; name another folder")
    file.write_text(said, "utf-8")


def _step(
    plan: Plan,
    small: Small,
    optimizer: Any,
    some: Sequence[Tokens],
    losses: list[list[float]],
    team: Team,
) -> None:
    """Make one step over some lessons; what each pass here lost is added to `losses`."""
    model = small.model
    gradient = nn.value_and_grad(model, loss_of)
    all_tokens = sum(len(one.answer) for one in some)
    grads: Any = tree_map(mx.zeros_like, model.trainable_parameters())
    for batch in team.share(micro_batches(some), _cost):
        stays = batch[0].stays
        base_NV = _base(small, batch) if batch[0].plain else None
        weight = (plan.stay if stays else 1.0) / all_tokens
        loss, found = gradient(model, batch, base_NV, weight, plan.unlike)
        grads = tree_map(mx.add, grads, found)
        mx.eval(loss, grads)
        losses[stays].append(loss.item() / weight / sum(len(one.answer) for one in batch))
    grads, _ = optim.clip_grad_norm(team.total(grads), 1.0)
    optimizer.update(model, grads)
    mx.eval(model.trainable_parameters(), optimizer.state)


def _cost(batch: Sequence[Tokens]) -> int:
    """Estimate a pass's work: its tokens, with half as many again for the base's pass."""
    width = max(one.length for one in batch) * len(batch)
    return width * 3 // 2 if batch[0].plain else width


def _base(small: Small, batch: Sequence[Tokens]) -> mx.array:
    """Return the base's log-probabilities of the answers behind the prompts without rules."""
    small.wear(adapter=False)
    logits_NV = logits_of(small.model, [one.plain for one in batch], batch)
    logs_NV = mx.stop_gradient(faster.log_softmax(logits_NV))
    mx.eval(logs_NV)
    small.wear(adapter=True)
    return logs_NV


def write_adapter(plan: Plan, small: Small, place: Path) -> None:
    """Write the adapter in mlx-lm's format, in half precision."""
    place.mkdir(parents=True, exist_ok=True)
    arrays = tree_flatten(small.model.trainable_parameters())
    halves = {name: one.astype(mx.float16) for name, one in arrays}
    mx.save_safetensors(str(place / "adapters.safetensors"), halves)
    config = {
        "fine_tune_type": "lora",
        "num_layers": plan.layers or len(small.model.layers),
        "lora_parameters": {
            "rank": plan.rank,
            "scale": plan.scale,
            "dropout": 0.0,
            "keys": list(KEYS),
        },
    }
    text = json.dumps(config, indent=2, sort_keys=True) + "\n"
    (place / "adapter_config.json").write_text(text, "utf-8")


class Spent:
    """Counts the processor minutes of all processes over all sessions of a training."""

    def __init__(self, work: Path, *, processes: int = 1) -> None:
        self._processes = processes
        self._file = work / "cpu_s.txt"
        self._began_s = time.process_time()
        self._before_s = float(self._file.read_text()) if self._file.exists() else 0.0

    def minutes(self) -> float:
        return (self._before_s + (time.process_time() - self._began_s) * self._processes) / 60

    def save(self) -> None:
        self._file.write_text(str(self.minutes() * 60))


def _save(work: Path, small: Small, optimizer: Any, step: int) -> None:
    arrays = {f"net.{k}": v for k, v in tree_flatten(small.model.trainable_parameters())}
    arrays |= {f"optimizer.{k}": v for k, v in tree_flatten(optimizer.state)}
    spare = work / "checkpoint.new.safetensors"
    mx.save_safetensors(str(spare), arrays, {"step": str(step)})
    spare.replace(work / "checkpoint.safetensors")


def _resume(work: Path, small: Small, optimizer: Any) -> int:
    file = work / "checkpoint.safetensors"
    if not file.exists():
        return 0
    arrays, said = mx.load(str(file), return_metadata=True)
    net = [(k.removeprefix("net."), v) for k, v in arrays.items() if k.startswith("net.")]
    small.model.load_weights(net, strict=False)
    state = [(k.removeprefix("optimizer."), v) for k, v in arrays.items() if k[0] == "o"]
    optimizer.state = tree_unflatten(state)
    print(f"going on behind step {said['step']}", flush=True)
    return int(said["step"])


def small_of(plan: Plan, work: Path) -> Small:
    """Load the small model, its weights made in `work` if missing, with new LoRA layers."""
    return Small(
        folder(work / "models"),
        rank=plan.rank,
        scale=plan.scale,
        layers=plan.layers,
        seed=plan.seed,
    )


def command(plan: Plan, work: Path, minutes: float) -> list[str]:
    """Return the arguments with which another process of the team is started."""
    given = [f"--{name.replace('_', '-')}={value}" for name, value in asdict(plan).items()]
    return ["-m", "bench.english.training.teach", f"--work={work}", f"--minutes={minutes}", *given]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="with lessons.jsonl; checkpoints")
    parser.add_argument("--minutes", type=float, default=CPU_MINUTES, help="of processor time")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="that share a step")
    for name, value in asdict(Plan()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    args = vars(parser.parse_args())
    work, minutes, size = args.pop("work"), args.pop("minutes"), args.pop("processes")
    plan = Plan(**args)
    small = small_of(plan, work)
    try:
        lessons = list(read(work / "lessons.jsonl"))
        if "MLX_RANK" in os.environ:  # started by another one, to help
            return 0 if teach(plan, small, lessons, work, minutes=minutes, team=joined()) else 1
        with led(size, command(plan, work, minutes)) as team:
            return 0 if teach(plan, small, lessons, work, minutes=minutes, team=team) else 1
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    raise SystemExit(main())
