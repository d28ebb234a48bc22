"""Trains the obedience adapter: `python -m bench.english.training.teach --work DIR`.

Reads DIR/lessons.jsonl and writes DIR/adapter. Needs PyTorch. Seeded; goes on where it was cut off.
An answer in which nothing may change is learned by the divergence from the base, which is the same
weights with the LoRA layers switched off. So is each token of an answer with rules that the base
would have said next without them; the others, at which a rule is kept, by cross-entropy. Else the
few tokens that keep a rule, such as the first of an answer in capitals, would be lost among those
that do not. The learning rate falls to 0 with the last lesson, or with the last minute if that
comes first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.english.build import Lesson, read
from bench.english.model.fast_small import FastSmall
from bench.english.model.net import PARTS, WIDTHS, LoraNet
from bench.english.model.tokens import Tokenizer
from bench.english.training.plan import (
    ADAPTER,
    CHECKPOINT,
    CPU_MINUTES,
    PROCESSES,
    Plan,
    Tokens,
    changed_tokens,
    steps_of,
)
from bench.english.training.team import MEET, Team, joined, led
from bench.processor_minutes import Spent

MICRO_TOKENS: Final = 2_560
"""Most tokens in one forward pass, padding included."""
UNLIKELY: Final = 0.05
"""Probability below which the base would hardly ever say a token."""
LONGEST_PROMPT: Final = 420
LONGEST_ANSWER: Final = 90
SAVE_EVERY: Final = 25


def tokens_of(small: Tokenizer, lesson: Lesson) -> Tokens | None:
    """Return a lesson in tokens; None if its prompt is too long."""
    answer = small.tokens(lesson.answer) + ([small.end] if lesson.ended else [])
    prompt = small.prompt(lesson.messages)
    if len(prompt) > LONGEST_PROMPT or not answer:
        return None
    own = [*small.tokens(lesson.own), small.end] if lesson.own else answer
    return Tokens(
        prompt=tuple(prompt),
        answer=tuple(answer[:LONGEST_ANSWER]),
        plain=tuple(small.prompt(lesson.plain)) if lesson.plain is not None else (),
        stays=lesson.stays,
        changed=tuple(changed_tokens(own, answer)[:LONGEST_ANSWER]),
    )


def micro_batches(some: Sequence[Tokens]) -> list[list[Tokens]]:
    """Split a step's lessons into forward passes, in each first those without the base's part, and
    last those that stay.
    """
    out: list[list[Tokens]] = []
    now: list[Tokens] = []
    for one in sorted(some, key=lambda one: one.length):
        if now and (len(now) + 1) * one.length > MICRO_TOKENS:
            out.append(now)
            now = []
        now.append(one)
    out += [now] if now else []
    return [sorted(batch, key=lambda one: (bool(one.plain), one.stays)) for batch in out]


def logits_of(
    net: LoraNet, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]
) -> Tensor:
    """Return the logits that predict the answers' tokens, shape (all their tokens, vocabulary).

    Only these go through the vocabulary's matrix, which is a fifth of the work.
    """
    rows = [[*prompt, *answer[:-1]] for prompt, answer in zip(prompts, answers, strict=True)]
    width = -(-max(map(len, rows)) // WIDTHS) * WIDTHS
    ids_BT = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    places = [
        number * width + len(prompt) - 1 + k
        for number, (prompt, answer) in enumerate(zip(prompts, answers, strict=True))
        for k in range(len(answer))
    ]
    hidden_BTD = net.hidden(ids_BT)
    hidden_ND = hidden_BTD.reshape(-1, hidden_BTD.shape[-1])[torch.tensor(places)]
    return net.logits(hidden_ND).float()


def losses_of(net: LoraNet, batch: Sequence[Tokens], unlike: float) -> tuple[Tensor, Tensor]:
    """Return the summed losses, in nats, of the answers that keep rules and of those that stay.

    Of a micro-batch, whose lessons lie in its order. A token that a rule put there and that the
    base gives less than `UNLIKELY` counts `unlike` times. Other unlikely ones are the dice's.
    """
    logs_NV = functional.log_softmax(
        logits_of(net, [one.prompt for one in batch], [one.answer for one in batch]), -1
    )
    wanted_N = torch.tensor([token for one in batch for token in one.answer])
    losses_N = functional.nll_loss(logs_NV, wanted_N, reduction="none")
    based = [one for one in batch if one.plain]
    free = sum(len(one.answer) for one in batch if not one.plain)
    stay = sum(len(one.answer) for one in batch if one.stays)
    if based:
        with torch.no_grad():
            net.worn = False
            base_NV = functional.log_softmax(
                logits_of(net, [one.plain for one in based], [one.answer for one in based]), -1
            )
            net.worn = True
            base_N = base_NV.gather(1, wanted_N[free:, None])[:, 0]
            changed_N = torch.tensor([one for answer in based for one in answer.changed])
            counts_N = torch.where(changed_N & (base_N < math.log(UNLIKELY)), unlike, 1.0)
            said_N = base_N >= base_NV.amax(-1)
            said_N[len(said_N) - stay :] = True
        kept_N = (base_NV.exp() * (base_NV - logs_NV[free:])).sum(-1)
        ruled_N = torch.where(said_N, kept_N, counts_N * losses_N[free:])
        losses_N = torch.cat((losses_N[:free], ruled_N))
    return losses_N[: len(losses_N) - stay].sum(), losses_N[len(losses_N) - stay :].sum()


def teach(
    plan: Plan,
    small: FastSmall,
    lessons: Sequence[Lesson],
    work: Path,
    *,
    minutes: float = CPU_MINUTES,
    at_most: int | None = None,
    team: Team | None = None,
) -> bool:
    """Train the adapter, or go on in `work`; write it and return True when it is done.

    It is done after all lessons, or after `minutes` of processor time. Returns False after
    `at_most` steps in this sitting. The processes of a `team` share each step, and the first one
    writes. Raises ValueError if `work` holds a training of another plan or of other lessons.
    """
    team = team or Team()
    work.mkdir(parents=True, exist_ok=True)
    if team.leads:
        _same(plan, lessons, work / "plan.json")
    made = [one for lesson in lessons if (one := tokens_of(small, lesson)) is not None]
    steps = steps_of(plan, [one.length for one in made])
    parameters = list(small.net.trained().values())
    optimizer = torch.optim.Adam(parameters, lr=plan.learning_rate, betas=(0.9, 0.98))
    spent = Spent(work, processes=team.size)
    first = _resume(work, small.net, optimizer)
    told = _Told(len(steps), first)
    number = first
    while number < len(steps) and (at_most is None or number < first + at_most):
        share = team.most(max(number / len(steps), spent.minutes() / minutes))
        if share >= 1:
            break
        rate = plan.learning_rate * min(1.0, (number + 1) / plan.warm_up)
        for group in optimizer.param_groups:
            group["lr"] = rate * 0.5 * (1 + math.cos(math.pi * share))
        _step(plan, small.net, optimizer, [made[i] for i in steps[number]], told, team)
        number += 1
        if team.leads:
            told.say(number, spent.minutes())
            if number % SAVE_EVERY == 0:
                _save(work, small.net, optimizer, number, spent)
    done = at_most is None or number == len(steps) or number < first + at_most
    if team.leads:
        _save(work, small.net, optimizer, number, spent)
        write_adapter(plan, small.net, work / ADAPTER)
    return done


def _same(plan: Plan, lessons: Sequence[Lesson], file: Path) -> None:
    """Write down what is trained, or hold it against what was written before."""
    told = json.dumps([asdict(one) for one in lessons]).encode()
    said = json.dumps({**asdict(plan), "lessons": hashlib.sha256(told).hexdigest()})
    if file.exists() and file.read_text("utf-8") != said:
        raise ValueError(f"{file.parent} holds another training; name another folder")
    file.write_text(said, "utf-8")


def _step(
    plan: Plan,
    net: LoraNet,
    optimizer: torch.optim.Optimizer,
    some: Sequence[Tokens],
    told: _Told,
    team: Team,
) -> None:
    """Make one step over some lessons."""
    tokens = sum(len(one.answer) for one in some)
    parameters = list(net.trained().values())
    for batch in micro_batches(team.share(some, lambda one: one.cost)):
        taught, stays = losses_of(net, batch, plan.unlike)
        ((taught + plan.stay * stays) / tokens).backward()
        told.add(batch, taught.item(), stays.item())
    own = [torch.zeros_like(one) if one.grad is None else one.grad for one in parameters]
    for one, gradient in zip(parameters, team.total(own), strict=True):
        one.grad = gradient
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    optimizer.zero_grad()


class _Told:
    """Says how far a training is, and what it lost lately."""

    def __init__(self, steps: int, first: int) -> None:
        self._steps = steps
        self._first = first
        self._began_s = time.monotonic()
        self._taught: list[float] = []
        self._stays: list[float] = []

    def add(self, batch: Sequence[Tokens], taught_nats: float, stay_nats: float) -> None:
        stay = sum(len(one.answer) for one in batch if one.stays)
        taught = sum(len(one.answer) for one in batch) - stay
        self._taught += [taught_nats / taught] if taught else []
        self._stays += [stay_nats / stay] if stay else []

    def say(self, made: int, minutes: float) -> None:
        if made % 10 and made != self._first + 1:
            return
        each_s = (time.monotonic() - self._began_s) / (made - self._first)
        taught, stays = (
            f"{np.mean(some[-40:]):.3f}" if some else "-" for some in (self._taught, self._stays)
        )
        print(
            f"step {made} of {self._steps}, nats a token: taught {taught}, from the base {stays};"
            f" {minutes:.1f} CPU min, {(self._steps - made) * each_s / 60:.0f} min left",
            flush=True,
        )


def write_adapter(plan: Plan, net: LoraNet, place: Path) -> None:
    """Write the adapter in mlx-lm's format, in half precision."""
    place.mkdir(parents=True, exist_ok=True)
    net.save(place / "adapters.safetensors")
    config = {
        "fine_tune_type": "lora",
        "num_layers": plan.layers or len(net.blocks),
        "lora_parameters": {
            "rank": plan.rank,
            "scale": plan.scale,
            "dropout": 0.0,
            "keys": list(PARTS),
        },
    }
    text = json.dumps(config, indent=2, sort_keys=True) + "\n"
    (place / "adapter_config.json").write_text(text, "utf-8")


def _save(
    work: Path, net: LoraNet, optimizer: torch.optim.Optimizer, made: int, spent: Spent
) -> None:
    state = {"step": made, "net": net.trained(), "optimizer": optimizer.state_dict()}
    spare = work / f"{CHECKPOINT}.new"
    torch.save(state, spare)
    spare.replace(work / CHECKPOINT)
    spent.save()


def _resume(work: Path, net: LoraNet, optimizer: torch.optim.Optimizer) -> int:
    file = work / CHECKPOINT
    if not file.exists():
        return 0
    state: dict[str, Any] = torch.load(file)
    with torch.no_grad():
        for name, one in net.trained().items():
            one.copy_(state["net"][name])
    optimizer.load_state_dict(state["optimizer"])
    print(f"going on behind step {state['step']}", flush=True)
    return int(state["step"])


def small_of(plan: Plan, base: Path) -> FastSmall:
    """Load the small model with new LoRA layers."""
    return FastSmall(base, rank=plan.rank, scale=plan.scale, layers=plan.layers, seed=plan.seed)


def command(plan: Plan, base: Path, work: Path, minutes: float) -> list[str]:
    """Return the arguments with which another process of the team is started."""
    given = [f"--{name.replace('_', '-')}={value}" for name, value in asdict(plan).items()]
    where = [f"--base={base}", f"--work={work}", f"--minutes={minutes}"]
    return ["-m", "bench.english.training.teach", *where, *given]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the small model as an MLX folder")
    parser.add_argument("--work", type=Path, required=True, help="with lessons.jsonl; checkpoints")
    parser.add_argument("--minutes", type=float, default=CPU_MINUTES, help="of processor time")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="that share a step")
    for name, value in asdict(Plan()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    args = vars(parser.parse_args())
    base, work, minutes = args.pop("base"), args.pop("work"), args.pop("minutes")
    size = args.pop("processes")
    plan = Plan(**args)
    helps = MEET in os.environ  # started by another one
    try:
        lessons = list(read(work / "lessons.jsonl"))
        others = command(plan, base, work, minutes)
        with nullcontext(joined()) if helps else led(size, others) as team:
            small = small_of(plan, base)
            return 0 if teach(plan, small, lessons, work, minutes=minutes, team=team) else 1
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    raise SystemExit(main())
