"""`lull train run DIR`: trains a LoRA adapter from a folder with the run's parameters and its
training examples, without a service.

An unfinished run is continued. A finished one is trained again in a temporary folder beside it, and
the two adapters are compared byte for byte, so that anybody can reproduce a run.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from lull.backends.mlx.trainer_process import TrainerProcesses
from lull.cli.shared.context import Context, progress
from lull.contract.json_object import Json
from lull.core.errors import DoesNotFit, NotFound, TrainingError
from lull.core.training.events import (
    RunBegan,
    RunEvent,
    RunFailed,
    RunFinished,
    RunRefused,
    StepDone,
    parse_event,
)
from lull.core.training.run_format import ADAPTER, BATCH, EVENTS, SPEC, WEIGHTS, read_spec


class NotReproduced(TrainingError):
    """A finished training run that was trained again gave a different adapter."""

    title = "The run did not give the same adapter"


def train_run(context: Context) -> int:
    """Run `lull train run`: train from a run's folder, and compare with its adapter
    if it has one.
    """
    folder = Path(context.options.folder).absolute()
    if not (folder / SPEC).is_file():
        raise NotFound(f"{folder} holds no {SPEC}.", hint="Name the folder of a run.")
    before = folder / ADAPTER / WEIGHTS
    if not before.is_file():
        context.print_result({"runs": [_trained(folder)]}, _words)
        return 0
    with _beside(folder) as again:
        document = _trained(again)
        document["same"] = (again / ADAPTER / WEIGHTS).read_bytes() == before.read_bytes()
    context.print_result({"runs": [document]}, _words)
    if document["same"]:
        return 0
    error = NotReproduced(
        f"{folder} holds another adapter than its inputs give here.",
        hint="It was made on another machine or with other versions, or was changed since.",
    )
    context.print_error(error)
    return error.exit_code


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """Context manager for a temporary copy of a run's inputs in the same parent folder, so that
    relative paths still work.
    """
    again = Path(tempfile.mkdtemp(prefix=f"{folder.name}.again-", dir=folder.parent))
    try:
        for name in (SPEC, BATCH):
            shutil.copyfile(folder / name, again / name)
        yield again
    finally:
        shutil.rmtree(again)


def _trained(folder: Path) -> Json:
    """Train the run that the folder describes and return a summary. Raises DoesNotFit or
    TrainingError.
    """
    began_s = time.monotonic()
    last = asyncio.run(_to_the_end(folder))
    match last:
        case RunRefused():
            raise DoesNotFit(
                f"It needs {last.needs_mb} MB and may have {last.limit_mb}.",
                hint=f"What would fit: {last.would_fit}.",
            )
        case RunFailed():
            raise TrainingError(last.detail, hint=last.hint)
        case RunFinished():
            return _document(folder, last, time.monotonic() - began_s)
    raise TrainingError("The trainer said nothing.", hint="Start it again.")


async def _to_the_end(folder: Path) -> RunEvent | None:
    process = await TrainerProcesses().start(str(folder))
    last: RunEvent | None = None
    try:
        async for last in process.events():
            _show(last)
    finally:
        await process.kill()
    return last


def _show(event: RunEvent) -> None:
    match event:
        case RunBegan(steps=steps, from_step=done):
            progress(f"lull: {steps} steps" + (f", of which {done} are done" if done else ""))
        case StepDone():
            progress(
                f"lull: step {event.step} of {event.of}, loss {event.loss:.4f}, KL {event.kl:.4f},"
                f" {event.tokens_s:.0f} tokens/s, {event.left_s:.0f} s left"
            )


def _document(folder: Path, last: RunFinished, took_s: float) -> Json:
    spec = read_spec((folder / SPEC).read_text("utf-8"))
    lines = (folder / EVENTS).read_text("utf-8").splitlines()
    steps = [event for event in map(parse_event, lines) if isinstance(event, StepDone)]
    return {
        "id": spec.id,
        "kind": spec.kind.value,
        "status": "finished",
        "why": "" if last.steps else "Nothing in its batch teaches anything.",
        "steps": last.steps,
        "of": last.steps,
        "reward_before": steps[0].reward if steps else None,
        "reward_after": steps[-1].reward if steps else None,
        "loss": steps[-1].loss if steps else None,
        "kl": steps[-1].kl if steps else None,
        "tokens": sum(step.tokens for step in steps),
        "took_s": round(took_s, 2),
        "verdict": None,
        "reasons": [],
        "sha256": last.sha256,
    }


def _words(document: Json) -> str:
    (run,) = document["runs"]
    same = {True: " The adapter is the same, byte for byte.", False: " The adapter is another."}
    text = f"{run['id']}: {run['steps']} steps in {run['took_s']} s, adapter {run['sha256'][:12]}."
    return f"{text}{same.get(run.get('same'), '')} {run['why']}".rstrip()
