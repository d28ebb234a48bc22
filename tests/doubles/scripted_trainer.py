"""A scripted trainer for tests, without a process; can be suspended and resumed like a real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lull.core.errors import TrainingError
from lull.core.training.events import RunBegan, RunEvent, RunFailed, RunFinished, StepDone
from lull.core.training.examples import Example
from lull.core.training.run_format import (
    ADAPTER,
    BATCH,
    CONFIG,
    SPEC,
    WEIGHTS,
    read_batch,
    read_spec,
)
from lull.core.training.spec import RunSpec
from lull.store.adapters.adapter_files import fingerprint


def step(number: int, of: int, **more: float) -> StepDone:
    values: dict[str, float] = {
        "loss": 0.5,
        "kl": 0.01,
        "clip_share": 0.0,
        "reward": 0.5,
        "replay_loss": 0.1,
        "grad_norm": 1.0,
        "tokens_s": 100.0,
        "peak_mb": 10.0,
        "left_s": float(of - number),
        **more,
    }
    return StepDone(step=number, of=of, tokens=100, **values)  # type: ignore[arg-type]


def whole_run(steps: int = 2, *, from_step: int = 0) -> list[RunEvent]:
    began = RunBegan(
        steps=steps,
        from_step=from_step,
        examples=4,
        replays=1,
        skipped_groups=0,
        parameters=1000,
        trained_parameters=10,
        peak_mb=10.0,
        limit_mb=100.0,
    )
    stepped = [step(number, steps) for number in range(from_step + 1, steps + 1)]
    return [began, *stepped, RunFinished(steps=steps, sha256="ab" * 32, took_s=1.0)]


@dataclass
class ScriptedTraining:
    """One scripted run (implements TrainingProcess); sends no event while it is suspended."""

    folder: Path
    told: Sequence[RunEvent | TrainingError]
    suspended: bool = False
    killed: bool = False
    pace_s: float = 0.0
    """Seconds between two events."""
    reached: Callable[[int], None] = lambda _: None
    """Callback that gets the number of each finished step."""
    going: asyncio.Event = field(default_factory=asyncio.Event)
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.going.set()

    async def events(self) -> AsyncIterator[RunEvent]:
        for event in self.told:
            await asyncio.sleep(self.pace_s)
            await self.going.wait()
            if self.killed:
                return
            if isinstance(event, TrainingError):
                raise event
            if isinstance(event, StepDone):
                self.reached(event.step)
            yield _finished(event, self.folder) if isinstance(event, RunFinished) else event

    async def suspend(self) -> None:
        self.calls.append("suspend")
        self.suspended = True
        self.going.clear()

    async def resume(self) -> None:
        self.calls.append("resume")
        self.suspended = False
        self.going.set()

    async def kill(self) -> None:
        self.calls.append("kill")
        self.killed = True
        self.suspended = False
        self.going.set()


@dataclass
class ScriptedTrainer:
    """A trainer whose runs send scripted events (implements Trainer).

    Records the runs it was given.
    """

    says: Callable[[RunSpec], Sequence[RunEvent | TrainingError]] | None = None
    """Returns the events of a run; None makes each run continue from its last step to its end."""
    steps: int = 2
    pace_s: float = 0.0
    done: dict[str, int] = field(default_factory=dict)
    """Number of steps done so far, by run folder; a restarted run continues from there."""
    runs: list[ScriptedTraining] = field(default_factory=list)
    specs: list[RunSpec] = field(default_factory=list)
    batches: list[tuple[Example, ...]] = field(default_factory=list)
    held: bool = False
    """Whether new runs start suspended, until a test resumes them."""

    async def start(self, folder: str) -> ScriptedTraining:
        path = Path(folder)
        if not path.is_dir():
            told = [RunFailed(title="The run cannot be trained", detail=f"There is no {folder}.")]
            return ScriptedTraining(path, told)
        spec = read_spec((path / SPEC).read_text())
        self.specs.append(spec)
        lines = (path / BATCH).read_text().splitlines()
        self.batches.append(read_batch(lines, spec.kind))
        told = whole_run(self.steps, from_step=self.done.get(folder, 0))
        training = ScriptedTraining(
            path,
            told if self.says is None else list(self.says(spec)),
            pace_s=self.pace_s,
            reached=lambda step: self.done.update({folder: step}),
        )
        if self.held:
            training.going.clear()
        self.runs.append(training)
        return training


def _finished(event: RunFinished, folder: Path) -> RunFinished:
    _leave_adapter(folder)
    return replace(event, adapter_sha256=fingerprint(folder / ADAPTER))


def _leave_adapter(folder: Path) -> None:
    made = folder / ADAPTER
    made.mkdir(exist_ok=True)
    (made / WEIGHTS).write_bytes(f"weights of {folder.name}".encode())
    (made / CONFIG).write_text('{"fine_tune_type": "lora"}')
