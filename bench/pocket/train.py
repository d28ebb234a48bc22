"""Trains the built-in model from scratch: `python -m bench.pocket.train --out FOLDER`.

One seed, one core, under an hour; stop it whenever you like and start it again with the same
command: it goes on from its last checkpoint as if it had never stopped. What is shipped under
`resources/pocket/` is what this prints with its defaults.

The order of lessons is the one thing that cannot be left to chance. A model that sees single rules
until it is perfect learns "take any rule" and never recovers, so two rules come as soon as one is
mostly obeyed, and three soon after. Measured accuracy decides, not the clock, so a faster machine
learns the same.
"""

# isort: off
from bench.pocket import arithmetic  # first: it must come before mlx
# isort: on

import argparse
import json
import platform
import random
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import mlx.core as mx
import mlx.optimizers as optim
from mlx import nn
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.models import qwen3
from tokenizers import Tokenizer

from bench.pocket import data, network, tokenizer
from bench.pocket.answering import answers
from bench.pocket.cases import Probe, probe
from bench.pocket.data import Lesson

_LESSONS: Final = (
    Lesson(mix=(0.25, 0.75), plain=True, habits=False),
    Lesson(mix=(0.10, 0.35, 0.55), plain=True, habits=False),
    Lesson(mix=(0.05, 0.15, 0.35, 0.35, 0.10), plain=False, habits=False),
    Lesson(mix=(0.10, 0.17, 0.31, 0.32, 0.10), plain=False, habits=True),
    Lesson(mix=(0.15, 0.20, 0.30, 0.25, 0.10), plain=False, habits=True, finishing=True),
)
_PASSED: Final = (0.40, 0.50)
"""Share of the exam that must be right before the second and the third lesson begin; the last
begins at a fixed step.
"""
_EXAM_EVERY: Final = 100
_EXAM_SIZE: Final = 60
_SAVE_EVERY: Final = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """All hyperparameters that determine the trained weights."""

    seed: int = 0
    steps: int = 9_000
    width: int = 128
    layers: int = 3
    heads: int = 4
    hidden: int = 256
    theta: float = 5000.0
    matrix_rate: float = 0.02
    """Learning rate of Muon, for the matrices inside the layers."""
    other_rate: float = 3e-3
    """Learning rate of AdamW, for the embeddings and the norms."""
    hint_weight: float = 0.3
    """Weight of an auxiliary loss: the first layer must tell which kind of request a token is
    about. Without it, a model long follows any rule in the block, whichever kind the rule is for.
    """
    warmup_steps: int = 60
    habits_from: float = 0.45
    """Share of the steps after which the lesson with habits begins."""
    hold: float = 0.5
    """Share of the steps at full learning rate; afterwards it falls to zero."""

    finish_steps: int = 2_800
    """Number of steps of the finishing lesson, which comes last."""
    finish_share: float = 0.5
    """Share of the learning rates at which the finishing lesson begins."""

    settle_steps: int = 1_400
    """Further steps of the finishing lesson, in which the default styles settle again."""
    settle_share: float = 0.3

    @property
    def all_steps(self) -> int:
        return self.steps + self.finish_steps + self.settle_steps

    def rate(self, step: int) -> float:
        """Return the share of the full learning rates used at a step."""
        if step >= self.steps + self.finish_steps:
            return self.settle_share * (self.all_steps - step) / self.settle_steps
        if step >= self.steps:
            done = (step - self.steps) / self.finish_steps
            return self.finish_share * min(1.0, 2 * (1.0 - done))
        falling_from = self.hold * self.steps
        fall = (self.steps - step) / (self.steps - falling_from)
        return min(1.0, (step + 1) / self.warmup_steps, fall)


@dataclass(slots=True, kw_only=True)
class Progress:
    """The progress of a training run, saved beside its weights and optimiser state."""

    step: int = 0
    lesson: int = 0
    cpu_s: float = 0.0
    """CPU seconds of all sessions of the run, exams included."""


class Run:
    """One training run: the model, its optimiser, its random generator and its checkpoint
    folder.
    """

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self.recipe = recipe
        self.folder = folder
        self.progress = Progress()
        self.rng = random.Random(recipe.seed)
        self.tokenizer = tokenizer.build(recipe.seed)
        self.config = network.configuration(
            self.tokenizer,
            width=recipe.width,
            layers=recipe.layers,
            heads=recipe.heads,
            hidden=recipe.hidden,
            theta=recipe.theta,
        )
        self.model = network.fresh(self.config, self.tokenizer, recipe.seed)
        self.optimizer = optim.MultiOptimizer(
            [
                optim.Muon(learning_rate=recipe.matrix_rate, weight_decay=0.0),
                optim.AdamW(
                    learning_rate=recipe.other_rate,
                    betas=[0.9, 0.98],
                    weight_decay=0.01,
                    bias_correction=True,
                ),
            ],
            [lambda name, value: value.ndim == 2 and "embed" not in name],
        )
        self.optimizer.init(self.model.trainable_parameters())
        self._step = self._compiled_step()

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        return list(self.tokenizer.encode(text).ids)

    def learn(self) -> float:
        """Train one step on one batch; return the mean loss in nats per answer token."""
        if self.progress.step == int(self.recipe.habits_from * self.recipe.steps):
            self.progress.lesson = len(_LESSONS) - 2
        if self.progress.step == self.recipe.steps:
            self.progress.lesson = len(_LESSONS) - 1
        batch = data.draw_batch(self.rng, self.encode, _LESSONS[self.progress.lesson])
        share = self.recipe.rate(self.progress.step)
        matrices, others = self.optimizer.optimizers
        matrices.learning_rate = mx.array(self.recipe.matrix_rate * share)
        others.learning_rate = mx.array(self.recipe.other_rate * share)
        loss = self._step(
            mx.array(batch.prefix_PL),
            mx.array(batch.prefix_lengths_P),
            mx.array(batch.branch_PAB),
            mx.array(batch.pads_PA),
            mx.array(batch.prefix_kinds_PL),
            mx.array(batch.branch_kinds_PA),
            mx.array(batch.targets_PAR),
            mx.array(batch.weights_PAR),
        )
        mx.eval(loss, self.model.state, self.optimizer.state)
        self.progress.step += 1
        return float(loss.item())

    def exam(self) -> float:
        """Return the share of right greedy answers to prompts with this lesson's number of rules.

        On held-out values; the next lesson begins once enough are right.
        """
        drawn = random.Random(self.recipe.seed + 1)
        rules = min(self.progress.lesson + 1, 3)
        probes = [probe(drawn, rules=rules, ruled=True, client=False) for _ in range(_EXAM_SIZE)]
        share = right_share(self.model, self.tokenizer, probes)
        if self.progress.lesson < len(_PASSED) and share >= _PASSED[self.progress.lesson]:
            self.progress.lesson += 1
        return share

    def save(self) -> None:
        """Save a checkpoint beside the old one, then swap them."""
        fresh = self.folder / "checkpoint.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        mx.save_safetensors(str(fresh / "weights.safetensors"), dict(_flat(self.model)))
        mx.save_safetensors(
            str(fresh / "optimizer.safetensors"), dict(tree_flatten(self.optimizer.state))
        )
        state = {
            "recipe": asdict(self.recipe),
            "progress": asdict(self.progress),
            "rng": self.rng.getstate(),
        }
        (fresh / "run.json").write_text(json.dumps(state))
        old = self.folder / "checkpoint"
        shutil.rmtree(self.folder / "checkpoint.old", ignore_errors=True)
        if old.exists():
            old.replace(self.folder / "checkpoint.old")
        fresh.replace(old)

    def resume(self) -> bool:
        """Load the last checkpoint if it was made with exactly this recipe; return whether it was.

        Raises ValueError if the one there is of another recipe.
        """
        found = [self.folder / "checkpoint", self.folder / "checkpoint.old"]
        kept = next((path for path in found if (path / "run.json").exists()), None)
        if kept is None:
            return False
        state = json.loads((kept / "run.json").read_text())
        if state["recipe"] != asdict(self.recipe):
            raise ValueError(f"{kept} was made by another recipe; choose another folder")
        self.model.load_weights(str(kept / "weights.safetensors"))
        arrays = mx.load(str(kept / "optimizer.safetensors"))
        self.optimizer.state = tree_unflatten(list(arrays.items()))
        self.progress = Progress(**state["progress"])
        version, numbers, gauss = state["rng"]
        self.rng.setstate((version, tuple(numbers), gauss))
        self._step = self._compiled_step()
        return True

    def export(self, folder: Path) -> None:
        """Write the files that ship: half-precision weights, configuration, tokenizer and training
        record.
        """
        folder.mkdir(parents=True, exist_ok=True)
        halves = {name: value.astype(mx.float16) for name, value in _flat(self.model)}
        mx.save_safetensors(str(folder / "model.safetensors"), halves, metadata={"format": "mlx"})
        (folder / "config.json").write_text(json.dumps(self.config, indent=2) + "\n")
        tokenizer.save(self.tokenizer, folder)
        making = {
            "recipe": asdict(self.recipe),
            "parameters": self.parameters,
            "cpu_s": round(self.progress.cpu_s, 1),
            "versions": {name: version(name) for name in ("mlx", "mlx-lm", "tokenizers")},
            "machine": f"{platform.system()} {platform.machine()}",
        }
        (folder / "making.json").write_text(json.dumps(making, indent=2) + "\n")

    @property
    def parameters(self) -> int:
        """The model's number of parameters."""
        return sum(value.size for _, value in _flat(self.model))

    def _compiled_step(self) -> Callable[..., mx.array]:
        forward = network.Branching(self.model, self.config)

        kinds_K = mx.array(data.kind_tokens(self.encode))

        def hint(states: mx.array, kinds: mx.array) -> mx.array:
            known = kinds != data.NO_KIND
            each = arithmetic.cross_entropy(
                forward.named(states, kinds_K), mx.where(known, kinds, 0)
            )
            return (each * known).sum() / mx.maximum(known.sum(), 1)

        def surprise(*inputs: mx.array) -> tuple[mx.array, mx.array]:
            *seen, prefix_kinds_PL, branch_kinds_PA, targets_PAR, weights_PAR = inputs
            logits, prefix, asking = forward.answer_logits(*seen, data.ANSWER_TOKENS)
            each_PAR = arithmetic.cross_entropy(logits, targets_PAR)
            mean = (each_PAR * weights_PAR).sum() / weights_PAR.sum()
            asked_PAR = mx.where(weights_PAR > 0, branch_kinds_PA[..., None], data.NO_KIND)
            hints = hint(prefix, prefix_kinds_PL) + hint(asking, asked_PAR)
            return mean + self.recipe.hint_weight * hints, mean

        value_and_grad = nn.value_and_grad(self.model, surprise)
        state = [self.model.state, self.optimizer.state]

        @partial(mx.compile, inputs=state, outputs=state)
        def step(*inputs: mx.array) -> mx.array:
            (_, mean), gradients = value_and_grad(*inputs)
            gradients, _ = optim.clip_grad_norm(gradients, 1.0)
            self.optimizer.update(self.model, gradients)
            return mean

        return step


def _flat(model: qwen3.Model) -> list[tuple[str, Any]]:
    return list(tree_flatten(model.parameters()))


def right_share(
    model: qwen3.Model, words: Tokenizer, probes: Sequence[Probe], *, sampled: bool = False
) -> float:
    """Return the share of probes that the model answers exactly right."""
    given = answers(model, words, [each.prompt for each in probes], sampled=sampled)
    right = sum(answer == each.wanted for answer, each in zip(given, probes, strict=True))
    return right / len(probes)


def train(recipe: Recipe, folder: Path, out: Path) -> None:
    """Train to the end of the recipe, printing progress, and export the result."""
    run = Run(recipe, folder)
    resumed = run.resume()
    print(f"{run.parameters:,} parameters, {'resumed' if resumed else 'from nothing'}", flush=True)
    spent_s, started_s, started_at = run.progress.cpu_s, time.process_time(), run.progress.step
    began = time.monotonic()
    losses: list[float] = []
    while run.progress.step < recipe.all_steps:
        losses.append(run.learn())
        run.progress.cpu_s = spent_s + time.process_time() - started_s
        if run.progress.step % _EXAM_EVERY == 0:
            lesson, share = run.progress.lesson, run.exam()
            done = run.progress.step - started_at
            left_s = (time.monotonic() - began) / done * (recipe.all_steps - run.progress.step)
            print(
                f"step {run.progress.step}/{recipe.all_steps}  lesson {lesson + 1}"
                f"  surprise {sum(losses) / len(losses):.3f}  exam {share:.1%}"
                f"  cpu {run.progress.cpu_s / 60:.1f} min  left {left_s / 60:.0f} min",
                flush=True,
            )
            losses.clear()
        if run.progress.step % _SAVE_EVERY == 0:
            run.save()
    run.save()
    run.export(out)
    print(f"{run.progress.cpu_s / 60:.1f} CPU minutes; written to {out}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line of `bench.pocket.train`."""
    parser = argparse.ArgumentParser(prog="bench.pocket.train", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the model is written")
    parser.add_argument("--work", type=Path, help="where checkpoints are kept (default: OUT/run)")
    parser.add_argument("--seed", type=int, default=Recipe().seed)
    parser.add_argument("--steps", type=int, default=Recipe().steps)
    args = parser.parse_args(argv)
    recipe = Recipe(seed=args.seed, steps=args.steps)
    train(recipe, args.work or args.out / "run", args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
