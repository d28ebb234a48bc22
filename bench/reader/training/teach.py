"""Trains the reader: `python -m bench.reader.training.teach --base FOLDER --work DIR`.

Needs PyTorch. Seeded; goes on where it was cut off. The lower layers never change, so what they say
of every sentence is worked out once and kept in `DIR/lower`; then the upper layers' LoRA and the
heads are trained. What ships is the mean of the weights over the last steps.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from bench.processor_minutes import Spent
from bench.reader.items import Item, people, teachers
from bench.reader.training.net import Batch, TaughtNet, batch_of
from bench.reader.training.plan import PLAN, Plan, grouped, learning_rate, steps_of
from lull.backends.reader.files import WEIGHTS
from lull.engine.reader.net import EncodedExchange, encode

SAVE_EVERY: Final = 50
"""Number of training steps between two checkpoints."""
LABEL_WEIGHTS: Final = (1.0, 1.5, 1.0, 0.7, 0.7)
CHECKPOINT: Final = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A training item with the hidden states that the frozen lower layers give for it."""

    item: Item
    encoded: EncodedExchange
    hidden_TD: Tensor  # noqa: N815
    """Half precision."""


def lessons_of(net: TaughtNet, tokenizer: Any, items: Sequence[Item], kept: Path) -> list[Lesson]:
    """Return the items with the lower layers' hidden states; those in the folder `kept` are read
    from there, new ones are added to it, a file for each person.
    """
    kept.mkdir(parents=True, exist_ok=True)
    lessons: list[Lesson] = []
    began_s = time.monotonic()
    for number, (person, some) in enumerate(groupby(items, key=lambda item: item.person), 1):
        own = list(some)
        marks = Plan().shape()["turn_marks"]
        encoded = [encode(tokenizer, item.exchange, marks) for item in own]
        states = _lower_states(net, encoded, kept / f"{person}-{_digest(encoded)}.pt")
        lessons += [Lesson(*three) for three in zip(own, encoded, states, strict=True)]
        if number % 10 == 0 or len(lessons) == len(items):
            share = len(lessons) / len(items)
            left_min = (time.monotonic() - began_s) * (1 / share - 1) / 60
            print(f"lower layers: {share:.0%}, {left_min:.1f} min left", flush=True)
    return lessons


def _digest(encoded: Sequence[EncodedExchange]) -> str:
    return hashlib.sha256(repr([one.ids for one in encoded]).encode()).hexdigest()[:12]


def _lower_states(net: TaughtNet, encoded: Sequence[EncodedExchange], file: Path) -> list[Tensor]:
    lengths = [len(one.ids) for one in encoded]
    if file.exists():
        return list(torch.load(file).split(lengths))
    hidden: list[Tensor] = [torch.empty(0)] * len(encoded)
    for picks in grouped(lengths, sorted(range(len(lengths)), key=lengths.__getitem__)):
        h_BTD = net.lower(batch_of([encoded[i] for i in picks]).ids_BT)
        for row, i in enumerate(picks):
            hidden[i] = h_BTD[row, : lengths[i]].clone()
    together = torch.cat(hidden)
    spare = file.with_suffix(".new")
    torch.save(together, spare)
    spare.replace(file)
    return list(together.split(lengths))


def hidden_of(lessons: Sequence[Lesson], batch: Batch) -> Tensor:
    """Return the lessons' hidden states, padded, shape (B, T, D)."""
    first = lessons[0].hidden_TD
    h_BTD = first.new_zeros(*batch.ids_BT.shape, first.shape[1])
    for row, one in enumerate(lessons):
        h_BTD[row, : len(one.hidden_TD)] = one.hidden_TD
    return h_BTD


def loss_of(net: TaughtNet, lessons: Sequence[Lesson]) -> Tensor:
    batch = batch_of([one.encoded for one in lessons])
    labels_BL, classes_BK, sentence_BS = net.upper(hidden_of(lessons, batch), batch)
    label = _bce(labels_BL, _numbers([one.item.targets() for one in lessons]), LABEL_WEIGHTS)
    rows = [one.item.stating() for one in lessons]
    most = sentence_BS.shape[1]
    stated = _bce(sentence_BS, _numbers([[*row, *[-1.0] * (most - len(row))] for row in rows]))
    check_B = torch.tensor([one.item.check_class() for one in lessons])
    told = max(1, int((check_B >= 0).sum()))
    check = functional.cross_entropy(
        classes_BK, check_B, ignore_index=-1, label_smoothing=0.02, reduction="sum"
    )
    return label + 0.5 * stated + 0.5 * check / told


def _numbers(rows: Sequence[Sequence[float]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float32)


def _bce(logits: Tensor, targets: Tensor, weights: Sequence[float] = (1.0,)) -> Tensor:
    """Binary cross-entropy over the targets that are known (not -1)."""
    told = (targets >= 0).float() * torch.tensor(weights)
    # smoothed a little: a person may have mislabelled
    wanted = targets.clamp(0, 1) * 0.96 + 0.02
    each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    return (each * told).sum() / told.sum().clamp(min=1)


class Mean:
    """The mean of the trained weights over the last steps, by a share that each step keeps."""

    def __init__(self, net: TaughtNet, share: float) -> None:
        self._share = share
        self.weights = {name: one.detach().clone() for name, one in net.trained().items()}

    @torch.no_grad()
    def add(self, net: TaughtNet, step: int) -> None:
        # the first steps are weighed so that the untrained weights are soon forgotten
        share = min(self._share, (step + 1) / (step + 10))
        for name, one in net.trained().items():
            self.weights[name].lerp_(one, 1 - share)


def teach(
    plan: Plan,
    base: Path,
    work: Path,
    items: Sequence[Item],
    onto: Path | None = None,
    *,
    at_most: int | None = None,
) -> bool:
    """Train the reader, or go on in `work`; write its weights there and return True when done.

    Returns False after `at_most` steps in this sitting. `onto`: file of trained weights to start
    from; None for untrained ones.
    Raises ValueError if `work` holds a training of another plan or of other items.
    """
    work.mkdir(parents=True, exist_ok=True)
    net = TaughtNet(base, plan.shape(), seed=plan.seed)
    if onto is not None:
        net.wear(onto)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    with (base / "model.safetensors").open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    spent = Spent(work)
    # Other layers or other weights say something else of the same sentence.
    lessons = lessons_of(net, tokenizer, items, work / f"lower-{sha256[:12]}-{plan.frozen}")
    _same(plan, lessons, work / PLAN)
    steps = list(steps_of(plan, [len(one.encoded.ids) for one in lessons]))
    parameters = list(net.trained().values())
    optimizer = torch.optim.AdamW(parameters, lr=plan.learning_rate, weight_decay=plan.weight_decay)
    mean = Mean(net, plan.average)
    first = _resume(work, net, optimizer, mean)
    began_s, losses = time.monotonic(), []
    last = plan.stop or len(steps)
    end = last if at_most is None else min(last, first + at_most)
    for step in range(first, end):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(plan, step, len(steps))
        loss = loss_of(net, [lessons[i] for i in steps[step]])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        mean.add(net, step)
        losses.append(loss.item())
        if step % 20 == 19:
            each_s = (time.monotonic() - began_s) / (step - first + 1)
            left_min = (last - step - 1) * each_s / 60
            print(
                f"step {step + 1} of {last}, loss {np.mean(losses[-40:]):.3f},"
                f" {spent.minutes():.1f} CPU min, {left_min:.1f} min left",
                flush=True,
            )
        if step % SAVE_EVERY == SAVE_EVERY - 1:
            _save(work, net, optimizer, mean, step + 1)
            spent.save()
    _save(work, net, optimizer, mean, end)
    spent.save()
    if end < last:
        return False
    halves = {name: one.half().contiguous() for name, one in sorted(mean.weights.items())}
    save_file(halves, work / WEIGHTS, {"format": "mlx"})
    return True


def _same(plan: Plan, lessons: Sequence[Lesson], file: Path) -> None:
    """Write down what is trained, or hold it against what was written before."""
    told = repr([(one.encoded.ids, one.item.targets()) for one in lessons]).encode()
    said = json.dumps({"plan": asdict(plan), "lessons": hashlib.sha256(told).hexdigest()})
    if file.exists() and file.read_text("utf-8") != said:
        raise ValueError(f"{file.parent} holds another training; name another folder")
    file.write_text(said, "utf-8")


def _save(
    work: Path, net: TaughtNet, optimizer: torch.optim.Optimizer, mean: Mean, made: int
) -> None:
    state = {
        "step": made,
        "net": net.trained(),
        "mean": mean.weights,
        "optimizer": optimizer.state_dict(),
    }
    spare = work / f"{CHECKPOINT}.new"
    torch.save(state, spare)
    spare.replace(work / CHECKPOINT)


def _resume(work: Path, net: TaughtNet, optimizer: torch.optim.Optimizer, mean: Mean) -> int:
    file = work / CHECKPOINT
    if not file.exists():
        return 0
    state: dict[str, Any] = torch.load(file)
    with torch.no_grad():
        for name, one in net.trained().items():
            one.copy_(state["net"][name])
    mean.weights = state["mean"]
    optimizer.load_state_dict(state["optimizer"])
    print(f"going on behind step {state['step']}", flush=True)
    return int(state["step"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the small model as an MLX folder")
    parser.add_argument("--work", type=Path, required=True, help="checkpoints; made if missing")
    parser.add_argument("--people", nargs="*", help="whose sentences teach; everybody's")
    parser.add_argument("--threads", type=int, default=1, help="of the processor")
    for name, value in asdict(Plan()).items():
        if name == "onto":
            parser.add_argument("--onto", type=Path, help="a folder with weights to start from")
        elif isinstance(value, bool):
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", default=value)
        else:
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    args = vars(parser.parse_args())
    base, work, names = args.pop("base"), args.pop("work"), args.pop("people")
    onto = args.pop("onto")
    if onto is not None:
        args["onto"] = hashlib.sha256((onto / WEIGHTS).read_bytes()).hexdigest()
    torch.set_num_threads(args.pop("threads"))
    items = people(*(names or teachers()))
    print(f"{len(items)} items by {len({i.person for i in items})} people", flush=True)
    try:
        teach(Plan(**args), base, work, items, onto and onto / WEIGHTS)
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
