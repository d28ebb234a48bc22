"""Runs one kind of training step in a process of its own, one step each time it is told to: `python
-m bench.trainer.steps FOLDER WORK STEPS SEED`.

Ours through the run folder and the trainer's own story, checkpoints included; mlx-lm's own trainer
on as many sequences of the same length, the same low-rank layers and the same optimiser. A line on
stdin is a turn: one step, told as one JSON line.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lull.trainer.blas import prepare

prepare()

import mlx.core as mx  # noqa: E402 - MLX picks its BLAS when it is loaded
from mlx import optimizers  # noqa: E402
from mlx.utils import tree_unflatten  # noqa: E402
from mlx_lm.tuner import trainer as peer  # noqa: E402
from mlx_lm.tuner.callbacks import TrainingCallback  # noqa: E402

from bench.trainer.batches import ANSWER_TOKENS, PROMPT_TOKENS, batch, replays, run_folder, spec  # noqa: E402
from bench.trainer.beside_lora import Theirs  # noqa: E402
from bench.trainer.works import LORA, PEER, SFT, WARM  # noqa: E402
from lull.core.training.events import RunBegan, StepDone, parse_event  # noqa: E402
from lull.core.training.examples import Group  # noqa: E402
from lull.core.training.spec import Lora, RunKind  # noqa: E402
from lull.trainer.gradients import ChunkedEvaluator, add_gradients  # noqa: E402
from lull.trainer.journal import RunJournal  # noqa: E402
from lull.trainer.losses import cross_entropy_loss  # noqa: E402
from lull.trainer.policy import PolicyModel, load  # noqa: E402
from lull.trainer.rows import micro_batches, row  # noqa: E402
from lull.trainer.run import train  # noqa: E402
from lull.trainer.world import ProcessRing  # noqa: E402

_MB = 1024 * 1024


class Turns:
    """Reports each finished step and waits for the next turn; the waiting is not counted."""

    def __init__(self) -> None:
        self._out = sys.stdout
        self._began_s = 0.0

    def ready(self) -> None:
        self._tell({})
        self._wait()

    def done(self, tokens: int) -> None:
        took_s = time.perf_counter() - self._began_s
        self._tell({"tokens": tokens, "took_s": took_s, "peak_mb": mx.get_peak_memory() / _MB})
        self._wait()

    def _tell(self, said: dict[str, Any]) -> None:
        print(json.dumps(said), file=self._out, flush=True)

    def _wait(self) -> None:
        sys.stdin.readline()
        mx.reset_peak_memory()
        self._began_s = time.perf_counter()


class _Said(io.StringIO):
    """Output stream for the trainer's events; each step's event starts the wait for the next
    turn.
    """

    def __init__(self, turns: Turns) -> None:
        super().__init__()
        self._turns = turns

    def write(self, text: str) -> int:
        event = parse_event(text) if text.strip() else None
        if isinstance(event, RunBegan):
            self._turns.ready()
        elif isinstance(event, StepDone):
            self._turns.done(event.tokens)
        return len(text)


def _run(model: Path, kind: RunKind, steps: int, seed: int, turns: Turns) -> None:
    with tempfile.TemporaryDirectory() as place:
        asked = spec(kind, model, steps=steps, seed=seed)
        folder = run_folder(Path(place) / "run", asked, batch(kind, seed))
        train(folder, ProcessRing(), RunJournal(folder, out=_Said(turns)))


def _policy(model: Path, seed: int) -> PolicyModel:
    lora = Lora(rank=8)
    return load(model, parent=None, lora=lora, seed=seed, checkpoint_layers=False)


def _sft(model: Path, steps: int, seed: int, turns: Turns) -> None:
    """Measure plain fine-tuning with Lull's own parts, for comparison with mlx-lm's trainer."""
    policy = _policy(model, seed)
    chunked = ChunkedEvaluator(policy=policy, chunk=256)
    optimizer = optimizers.Adam(learning_rate=1e-3)
    rows = [row(example.prompt_ids, example.ids) for example in replays(seed)]
    packed, tokens = micro_batches(rows, 4096), sum(len(one.ids) - 1 for one in rows)
    norm = float(sum(len(one.places) for one in rows))
    turns.ready()
    for _ in range(steps):
        total: dict[str, Any] | None = None
        for micro in packed:
            _, part = chunked.logp_gradient(
                micro, lambda logp: (cross_entropy_loss(logp, norm=norm),)
            )
            total = add_gradients(total, part)
        assert total is not None
        optimizer.update(policy.model, tree_unflatten(list(total.items())))
        mx.eval(policy.model.trainable_parameters(), optimizer.state)
        turns.done(tokens)


def _lora(model: Path, steps: int, seed: int, turns: Turns) -> None:
    """Measure the update of mlx-lm-lora's GRPO on the same groups as ours."""
    policy = _policy(model, seed)
    theirs, optimizer = Theirs(policy, model), optimizers.Adam(learning_rate=1e-3)
    groups = [one for one in batch(RunKind.GRPO, seed) if isinstance(one, Group)]
    tokens = sum(len(g.prompt_ids) + len(s.ids) - 1 for g in groups for s in g.samples)
    turns.ready()
    for _ in range(steps):
        optimizer.update(policy.model, theirs.gradient(groups))
        mx.eval(policy.model.trainable_parameters(), optimizer.state)
        turns.done(tokens)


class _Watch(TrainingCallback):  # type: ignore[misc]
    def __init__(self, turns: Turns, tokens: int) -> None:
        self._turns = turns
        self._tokens = tokens

    def on_train_loss_report(self, _: dict[str, Any]) -> None:
        self._turns.done(self._tokens)


def _mlx_lm(model: Path, steps: int, seed: int, turns: Turns) -> None:
    """Measure mlx-lm's `tuner.trainer.train` on the same rows as one batch, compiled in its way."""
    policy = _policy(model, seed)
    rows = [[*e.prompt_ids, *e.ids] for e in replays(seed)]
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(io.StringIO()):
        turns.ready()
        peer.train(
            policy.model,
            optimizers.Adam(learning_rate=1e-3),
            [(one, PROMPT_TOKENS) for one in rows],
            args=peer.TrainingArgs(
                batch_size=len(rows),
                iters=steps,
                steps_per_report=1,
                steps_per_save=10**9,
                max_seq_length=PROMPT_TOKENS + ANSWER_TOKENS,
                adapter_file=str(Path(place) / "adapters.safetensors"),
            ),
            training_callback=_Watch(turns, sum(len(one) - 1 for one in rows)),
        )


def main() -> None:
    model, work = Path(sys.argv[1]).absolute(), sys.argv[2]
    steps, seed, turns = int(sys.argv[3]) + WARM, int(sys.argv[4]), Turns()
    match work:
        case _ if work == SFT:
            _sft(model, steps, seed, turns)
        case _ if work == PEER:
            _mlx_lm(model, steps, seed, turns)
        case _ if work == LORA:
            _lora(model, steps, seed, turns)
        case _:
            _run(model, RunKind(work.removesuffix(" step")), steps, seed, turns)


if __name__ == "__main__":
    main()
