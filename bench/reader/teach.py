"""Trains the reader: `python -m bench.reader.teach --base FOLDER --work DIR`.

With `--onto FOLDER --sitting N` it goes on from the weights of an earlier training, with the people
of that sitting and half as many sentences of those who taught before.

Seeded; goes on where it was cut off. The lower layers never change, so what they say of every
sentence is worked out once and kept in `DIR/lower`; then the upper layers' LoRA and the heads are
trained.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from lull.trainer.blas import prepare

prepare()

import mlx.core as mx  # noqa: E402
import mlx.optimizers as optim  # noqa: E402
import numpy as np  # noqa: E402
from mlx import nn  # noqa: E402
from mlx.utils import tree_flatten, tree_unflatten  # noqa: E402
from mlx_lm import load  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from bench.reader.items import (  # noqa: E402
    CHECKS,
    LABELS,
    SITTINGS,
    Item,
    people,
    taught_before,
    teachers,
)
from lull.backends.reader.files import WEIGHTS  # noqa: E402
from lull.engine.reader.net import Batch, EncodedExchange, ReaderNet, ReaderShape, batch_of, encode  # noqa: E402

BATCH_TOKENS: Final = 4_000
"""Most tokens in a batch, padding included."""
SAVE_EVERY: Final = 20
"""Number of training steps between two checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    seed: int = 0
    epochs: int = 3
    learning_rate: float = 6e-4
    weight_decay: float = 0.01
    warm_up: int = 20
    frozen: int = 8
    layers: int = 16
    rank: int = 16
    scale: float = 2.0
    both_ways: bool = False
    onto: str = ""
    """SHA-256 of the trained weights that the training goes on from; "" from the beginning."""

    def shape(self) -> ReaderShape:
        return ReaderShape(
            frozen=self.frozen,
            layers=self.layers,
            rank=self.rank,
            scale=self.scale,
            labels=tuple(LABELS),
            classes=tuple(CHECKS),
            both_ways=self.both_ways,
        )


@dataclass(frozen=True, slots=True)
class Lesson:
    """A training item with the hidden states that the frozen lower layers give for it."""

    item: Item
    encoded: EncodedExchange
    hidden: Any
    """Hidden states as float16, shape (T, D)."""


def net_of(base: Path, shape: ReaderShape) -> ReaderNet:
    """Create the untrained reader, with heads and LoRA initialised from MLX's random seed."""
    model, _ = load(str(base))
    model.set_dtype(mx.float32)
    return ReaderNet(model, shape)


def lessons_of(net: ReaderNet, tokenizer: Any, items: Sequence[Item], kept: Path) -> list[Lesson]:
    """Return the items with the lower layers' hidden states; those in the folder `kept` are read
    from there, new ones are added to it, a file for each person.
    """
    kept.mkdir(parents=True, exist_ok=True)
    lessons: list[Lesson] = []
    began_s = time.monotonic()
    for person, some in groupby(items, key=lambda item: item.person):
        own = list(some)
        encoded = [encode(tokenizer, item.exchange, net.shape.turn_marks) for item in own]
        states = _lower_states(net, encoded, kept / f"{person}-{_digest(encoded)}.npy")
        lessons += [Lesson(*three) for three in zip(own, encoded, states, strict=True)]
        share = len(lessons) / len(items)
        left_min = (time.monotonic() - began_s) * (1 / share - 1) / 60
        print(f"lower layers: {share:.0%}, {left_min:.1f} min left", flush=True)
    return lessons


def _digest(encoded: Sequence[EncodedExchange]) -> str:
    return hashlib.sha256(repr([one.ids for one in encoded]).encode()).hexdigest()[:12]


def _lower_states(net: ReaderNet, encoded: Sequence[EncodedExchange], file: Path) -> list[Any]:
    """Return the lower layers' hidden states as float16, (T, D) for each exchange."""
    if file.exists():
        together = np.load(file, mmap_mode="r")
        return np.split(together, np.cumsum([len(one.ids) for one in encoded])[:-1])
    hidden: list[Any] = [None] * len(encoded)
    for picks in batches(encoded):
        batch = batch_of([encoded[i] for i in picks])
        h_BTD = net.lower(batch.ids_BT).astype(mx.float16)
        mx.eval(h_BTD)
        array = np.array(h_BTD)
        for row, i in enumerate(picks):
            hidden[i] = array[row, : len(encoded[i].ids)].copy()
    temporary = file.with_suffix(".tmp.npy")
    np.save(temporary, np.concatenate(hidden))
    temporary.rename(file)
    return hidden


def batches(
    encoded: Sequence[EncodedExchange], order: Sequence[int] | None = None
) -> list[list[int]]:
    """Group indices of items with similar length into batches of at most BATCH_TOKENS, padding
    included.
    """
    by_length = sorted(order or range(len(encoded)), key=lambda i: len(encoded[i].ids))
    out: list[list[int]] = [[]]
    for i in by_length:
        if (len(out[-1]) + 1) * len(encoded[i].ids) > BATCH_TOKENS or len(out[-1]) >= 32:
            out.append([])
        out[-1].append(i)
    return [one for one in out if one]


def hidden_of(lessons: Sequence[Lesson], batch: Batch) -> Any:
    width = batch.ids_BT.shape[1]
    padded = [
        np.pad(one.hidden.astype(np.float32), ((0, width - len(one.hidden)), (0, 0)))
        for one in lessons
    ]
    return mx.array(np.stack(padded))


def loss_of(net: ReaderNet, h_BTD: Any, batch: Batch, goal: dict[str, Any]) -> Any:
    labels_BL, classes_BK, sentence_BS = net.upper(h_BTD, batch)
    label = _bce(labels_BL, goal["labels"], goal["label_weights"])
    stated = _bce(sentence_BS, goal["sentences"])
    told_B = (goal["check"] >= 0).astype(mx.float32)
    check_B = nn.losses.cross_entropy(
        classes_BK, mx.maximum(goal["check"], 0), label_smoothing=0.02
    )
    check = (check_B * told_B).sum() / mx.maximum(told_B.sum(), 1.0)
    return label + 0.5 * stated + 0.5 * check


def _bce(logits: Any, targets: Any, weights: Any = 1.0) -> Any:
    """Binary cross-entropy over the targets that are known (not -1)."""
    told = (targets >= 0).astype(mx.float32) * weights
    # smoothed a little: a person may have mislabelled
    y = mx.clip(targets, 0.0, 1.0) * 0.96 + 0.02
    each = mx.maximum(logits, 0) - logits * y + mx.log1p(mx.exp(-mx.abs(logits)))
    return (each * told).sum() / mx.maximum(told.sum(), 1.0)


def goal_of(lessons: Sequence[Lesson], sentences: int) -> dict[str, Any]:
    rows = [one.item.stating() for one in lessons]
    return {
        "labels": mx.array([one.item.targets() for one in lessons]),
        "label_weights": mx.array([[1.0, 1.5, 1.0, 0.7, 0.7]]),
        "sentences": mx.array([[*row, *[-1.0] * (sentences - len(row))] for row in rows]),
        "check": mx.array([one.item.check_class() for one in lessons]),
    }


def steps_of(plan: Plan, encoded: Sequence[EncodedExchange]) -> Iterator[list[int]]:
    """Yield the item indices of each training step; the same for the same seed."""
    for epoch in range(plan.epochs):
        rng = np.random.default_rng((plan.seed, epoch))
        # lengths are jittered, so that batches are others in each epoch
        jitter = rng.uniform(0.8, 1.25, len(encoded))
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids) * jitter[i])
        groups: list[list[int]] = [[]]
        for i in order:
            longest = max([len(encoded[j].ids) for j in groups[-1]] + [len(encoded[i].ids)])
            if (len(groups[-1]) + 1) * longest > BATCH_TOKENS or len(groups[-1]) >= 32:
                groups.append([])
            groups[-1].append(i)
        yield from (groups[k] for k in rng.permutation(len(groups)))


def learning_rate(plan: Plan, step: int, total: int) -> float:
    """Return a step's learning rate: a linear warm-up, then half a cosine down to 0."""
    warm = min(1.0, (step + 1) / plan.warm_up)
    return plan.learning_rate * warm * 0.5 * (1 + math.cos(math.pi * step / total))


def teach(
    plan: Plan, base: Path, work: Path, items: Sequence[Item], onto: Path | None = None
) -> ReaderNet:
    """Train the reader, or continue the training in `work`, and return it.

    `onto`: file of trained weights to start from; None for untrained ones.
    """
    work.mkdir(parents=True, exist_ok=True)
    mx.random.seed(plan.seed)
    net = net_of(base, plan.shape())
    if onto is not None:
        trained = [(name, array.astype(mx.float32)) for name, array in mx.load(str(onto)).items()]
        net.load_weights(trained, strict=False)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    spent = _Spent(work)
    with (base / "model.safetensors").open("rb") as weights:
        sha256 = hashlib.file_digest(weights, "sha256").hexdigest()
    # Other layers or other weights say something else of the same sentence.
    lower = work / "lower" / f"{sha256[:12]}-{plan.frozen}"
    lessons = lessons_of(net, tokenizer, items, lower)
    encoded = [one.encoded for one in lessons]
    plan_steps = list(enumerate(steps_of(plan, encoded)))
    total = len(plan_steps)
    optimizer = optim.AdamW(learning_rate=plan.learning_rate, weight_decay=plan.weight_decay)
    optimizer.init(net.trainable_parameters())
    first = _resume(work, net, optimizer)
    gradient = nn.value_and_grad(net, loss_of)
    began_s, losses = time.monotonic(), []
    for step, picks in plan_steps[first:]:
        optimizer.learning_rate = learning_rate(plan, step, total)
        some = [lessons[i] for i in picks]
        batch = batch_of([one.encoded for one in some])
        goal = goal_of(some, batch.spans_BST.shape[1])
        loss, grads = gradient(net, hidden_of(some, batch), batch, goal)
        grads, _ = optim.clip_grad_norm(grads, 1.0)
        optimizer.update(net, grads)
        mx.eval(net.parameters(), optimizer.state, loss)
        losses.append(loss.item())
        if step % 10 == 9:
            each_s = (time.monotonic() - began_s) / (step - first + 1)
            print(
                f"step {step + 1} of {total}, loss {np.mean(losses[-20:]):.3f},"
                f" {(total - step - 1) * each_s / 60:.1f} min left",
                flush=True,
            )
        if step % SAVE_EVERY == SAVE_EVERY - 1 or step == total - 1:
            _save(work, net, optimizer, step + 1)
            spent.save()
    return net


class _Spent:
    """Counts CPU minutes over all sessions of a training."""

    def __init__(self, work: Path) -> None:
        self._file = work / "cpu_s.txt"
        self._before = float(self._file.read_text()) if self._file.exists() else 0.0

    def save(self) -> None:
        self._file.write_text(str(self._before + time.process_time()))


def _save(work: Path, net: ReaderNet, optimizer: Any, step: int) -> None:
    arrays = {f"net.{k}": v for k, v in tree_flatten(net.trainable_parameters())}
    arrays |= {f"optimizer.{k}": v for k, v in tree_flatten(optimizer.state)}
    temporary = work / "checkpoint.tmp.safetensors"
    mx.save_safetensors(str(temporary), arrays, {"step": str(step)})
    temporary.rename(work / "checkpoint.safetensors")


def _resume(work: Path, net: ReaderNet, optimizer: Any) -> int:
    file = work / "checkpoint.safetensors"
    if not file.exists():
        return 0
    arrays, said = mx.load(str(file), return_metadata=True)
    net.load_weights(
        [(k.removeprefix("net."), v) for k, v in arrays.items() if k.startswith("net.")],
        strict=False,
    )
    optimizer.state = tree_unflatten(
        [(k.removeprefix("optimizer."), v) for k, v in arrays.items() if k.startswith("optimizer.")]
    )
    print(f"going on behind step {said['step']}", flush=True)
    return int(said["step"])


def with_others(later: Sequence[Item], others: Sequence[Item], seed: int) -> list[Item]:
    """Return the sentences of people who came later and half as many of the others, drawn by the
    seed, so that what was learned from these is not forgotten.
    """
    picks = np.random.default_rng(seed).permutation(len(others))[: len(later) // 2]
    return [*later, *(others[i] for i in sorted(picks))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the small model as an MLX folder")
    parser.add_argument("--work", type=Path, required=True, help="checkpoints; made if missing")
    parser.add_argument("--people", nargs="*", help="whose sentences teach; everybody's")
    parser.add_argument(
        "--sitting",
        type=int,
        choices=range(1, len(SITTINGS) + 1),
        default=len(SITTINGS),
        help="with --onto: which people came then; the last",
    )
    for name, value in asdict(Plan()).items():
        if name == "onto":
            parser.add_argument(
                "--onto", type=Path, help="a folder with trained weights to go on from"
            )
        elif isinstance(value, bool):
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", default=value)
        else:
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    args = vars(parser.parse_args())
    base, work, names = args.pop("base"), args.pop("work"), args.pop("people")
    onto, sitting = args.pop("onto"), args.pop("sitting")
    items = people(*(names or (SITTINGS[sitting - 1] if onto else teachers())))
    if onto is not None:
        items = with_others(items, people(*taught_before(sitting)), args["seed"])
        args["onto"] = hashlib.sha256((onto / WEIGHTS).read_bytes()).hexdigest()
    print(f"{len(items)} items by {len({i.person for i in items})} people", flush=True)
    plan = Plan(**args)
    teach(plan, base, work, items, onto and onto / WEIGHTS)
    (work / "plan.json").write_text(json.dumps(asdict(plan)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
