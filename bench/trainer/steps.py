"""One model's steps, in a process of its own: `python -m bench.trainer.steps FOLDER STEPS SEED`.

Ours through the run folder and the trainer's own process story, checkpoints included; mlx-lm's own
trainer on the same rows, the same low-rank layers and the same optimiser. A JSON row a line.
"""

from __future__ import annotations

import contextlib
import io
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lull.trainer.blas import prepare

prepare()

import mlx.core as mx  # noqa: E402 - MLX picks its BLAS when it is loaded
from mlx import optimizers  # noqa: E402
from mlx_lm.tuner import trainer as peer  # noqa: E402
from mlx_lm.tuner.callbacks import TrainingCallback  # noqa: E402

from bench.trainer.batches import ANSWER_TOKENS, PROMPT_TOKENS, batch, replays, run_folder, spec  # noqa: E402
from lull.core.run_format import EVENTS  # noqa: E402
from lull.core.training_events import Stepped, parse_event  # noqa: E402
from lull.core.training_run import Lora, RunKind  # noqa: E402
from lull.trainer.gradients import Chunked, added  # noqa: E402
from lull.trainer.journal import Journal  # noqa: E402
from lull.trainer.losses import surprise  # noqa: E402
from lull.trainer.policy import Policy, load  # noqa: E402
from lull.trainer.rows import micros, row  # noqa: E402
from lull.trainer.run import train  # noqa: E402
from lull.trainer.world import World  # noqa: E402

Row = dict[str, Any]
_WARM = 2
"""Steps that are not counted: kernels are compiled and buffers found in them."""
_MB = 1024 * 1024


def rows_of(model: Path, steps: int, seed: int) -> Iterator[Row]:
    for kind in RunKind:
        yield _run(model, kind, steps, seed)
    yield _sft(model, steps, seed)
    yield _mlx_lm(model, steps, seed)


def _run(model: Path, kind: RunKind, steps: int, seed: int) -> Row:
    """A whole run; its own events say what each step took."""
    with tempfile.TemporaryDirectory() as place:
        asked = spec(kind, model, steps=steps + _WARM, seed=seed)
        folder = run_folder(Path(place) / "run", asked, batch(kind, seed))
        train(folder, World(), Journal(folder, out=io.StringIO()))
        lines = (folder / EVENTS).read_text().splitlines()
    said = [event for event in map(parse_event, lines) if isinstance(event, Stepped)][_WARM:]
    return {
        "work": f"{kind.value} step",
        "tokens_s": round(statistics.median(event.tokens_s for event in said)),
        "step_s": round(statistics.median(event.tokens / event.tokens_s for event in said), 4),
        "peak_mb": max(event.peak_mb for event in said),
    }


def _policy(model: Path, seed: int) -> Policy:
    lora = Lora(rank=8)
    return load(model, parent=None, lora=lora, seed=seed, checkpoint_layers=False)


def _sft(model: Path, steps: int, seed: int) -> Row:
    """Plain fine-tuning by our parts: what replay costs, and what mlx-lm's trainer does."""
    policy = _policy(model, seed)
    chunked = Chunked(policy=policy, chunk=256)
    optimizer = optimizers.Adam(learning_rate=1e-3)
    rows = [row(example.prompt_ids, example.ids) for example in replays(seed)]
    packed, tokens = micros(rows, 4096), sum(len(one.ids) - 1 for one in rows)
    norm = float(sum(len(one.places) for one in rows))
    mx.reset_peak_memory()
    took = []
    for _ in range(steps + _WARM):
        began_s = time.perf_counter()
        total: dict[str, Any] | None = None
        for micro in packed:
            _, part = chunked.logp_gradient(micro, lambda logp: (surprise(logp, norm=norm),))
            total = added(total, part)
        assert total is not None
        optimizer.update(policy.model, _tree(total))
        mx.eval(policy.model.trainable_parameters(), optimizer.state)
        took.append(time.perf_counter() - began_s)
    return _row("sft step", took[_WARM:], tokens)


def _row(work: str, took: list[float], tokens: int) -> Row:
    step_s = statistics.median(took)
    return {
        "work": work,
        "tokens_s": round(tokens / step_s),
        "step_s": round(step_s, 4),
        "peak_mb": round(mx.get_peak_memory() / _MB, 1),
    }


def _tree(flat: dict[str, Any]) -> Any:
    from mlx.utils import tree_unflatten

    return tree_unflatten(list(flat.items()))


class _Watch(TrainingCallback):  # type: ignore[misc]
    def __init__(self) -> None:
        self.took: list[float] = []

    def on_train_loss_report(self, info: dict[str, Any]) -> None:
        self.took.append(1.0 / info["iterations_per_second"])


def _mlx_lm(model: Path, steps: int, seed: int) -> Row:
    """mlx-lm's `tuner.trainer.train`: the same rows as one batch, compiled as it does."""
    policy, watch = _policy(model, seed), _Watch()
    rows = [[*e.prompt_ids, *e.ids] for e in replays(seed)]
    mx.reset_peak_memory()
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(io.StringIO()):
        peer.train(
            policy.model,
            optimizers.Adam(learning_rate=1e-3),
            [(one, PROMPT_TOKENS) for one in rows],
            args=peer.TrainingArgs(
                batch_size=len(rows),
                iters=steps + _WARM,
                steps_per_report=1,
                steps_per_save=10**9,
                max_seq_length=PROMPT_TOKENS + ANSWER_TOKENS,
                adapter_file=str(Path(place) / "adapters.safetensors"),
            ),
            training_callback=watch,
        )
    tokens = sum(len(one) - 1 for one in rows)
    return _row("sft step, mlx-lm's trainer", watch.took[_WARM:], tokens)


def main() -> None:
    model, steps, seed = Path(sys.argv[1]).absolute(), int(sys.argv[2]), int(sys.argv[3])
    for made in rows_of(model, steps, seed):
        print(json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
