"""Trains a run folder (spec and examples) from its last checkpoint to the finished adapter.

It reads the inputs, restores the last checkpoint and checks that a step fits into memory. Each step
computes the gradient, clips it, updates the weights, and writes a checkpoint and an event. The same
folder gives the same bytes on the same machine, however often it was interrupted.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import optimizers
from mlx.utils import tree_flatten, tree_unflatten

from lull.core.adapters.adapter import adapter_sha256
from lull.core.errors import TrainingError
from lull.core.training.events import (
    RunBegan,
    RunEvent,
    RunFinished,
    RunRefused,
    StepDone,
    event_line,
)
from lull.core.training.examples import Example, GraduationExample, Group, RecordedAnswer
from lull.core.training.run_format import (
    ADAPTER,
    BATCH,
    CONFIG,
    SPEC,
    WEIGHTS,
    read_batch,
    read_spec,
)
from lull.core.training.spec import KtoTerms, RunSpec
from lull.trainer.adapter_files import leads_nowhere
from lull.trainer.checkpoints import Checkpoint, Checkpoints
from lull.trainer.gradients import ChunkedEvaluator
from lull.trainer.journal import RunJournal
from lull.trainer.objectives import RunConstants, StepSums, gradient
from lull.trainer.plan import TrainingPlan
from lull.trainer.policy import PolicyModel, load
from lull.trainer.preflight import MB, check, heaviest, set_limits, working_set_bytes
from lull.trainer.world import ProcessRing

_BETAS = (0.9, 0.99)
"""Adam's betas. The second is below the usual 0.999, because a run has only hundreds of steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """A training run's inputs as read from its folder: the spec (settings) and the batch
    (examples).
    """

    spec: RunSpec
    batch: tuple[Example, ...]
    digests: tuple[str, ...]
    """The digest of spec and batch that checkpoints get, then the one that an older Lull gave
    them.
    """

    @classmethod
    def read(cls, folder: Path) -> Inputs:
        """Read a training run's inputs from its folder.

        Raises TrainingError when one is missing or unusable, and OSError when one cannot be read
        now.
        """
        texts = [_text(folder / name) for name in (SPEC, BATCH)]
        spec = read_spec(texts[0])
        batch = read_batch(texts[1].splitlines(), spec.kind)
        # How much goes through the model at once may shrink in the midst of a run.
        values = {**json.loads(texts[0]), "micro_tokens": None}
        lasting = json.dumps(values, sort_keys=True)
        return cls(spec=spec, batch=batch, digests=(_digest(lasting, texts[1]), _digest(*texts)))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _text(file: Path) -> str:
    """Return the text of a file. Raises TrainingError if it is no text or gone, and OSError if it
    cannot be read now, also where a link leads to a disk that is away.
    """
    try:
        return file.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        if leads_nowhere(file):
            raise
        why = error.strerror or "unknown fault"
    except UnicodeError:
        why = "It is not text"
    raise TrainingError(
        f"{file.parent} is not a run folder: {file.name}: {why}.", hint="Make the run again."
    )


class AnotherTrainer(TrainingError):
    """Raised when another trainer process is at work in the run folder; once it has ended, this run
    can go on.
    """


def train(folder: Path, world: ProcessRing, journal: RunJournal) -> RunEvent:
    """Train a run and return its last event, Finished or RunRefused (not enough memory).

    Raises TrainingError, as AnotherTrainer if another process trains the run now, and OSError.
    """
    began_s = time.monotonic()
    inputs = Inputs.read(folder)
    with _alone(folder) if world.writes else contextlib.nullcontext():
        plan = TrainingPlan(inputs.spec, inputs.batch, world.size)
        (finished,) = world.sum_numbers(float(world.writes and (folder / ADAPTER).is_dir()))
        if finished:
            return _said(world, journal, _finished(folder, plan, began_s))
        run = TrainerRun(folder, inputs, plan, world, journal)
        refused = run.begin()
        if refused is not None:
            return _said(world, journal, refused)
        run.steps()
        world.sum_numbers(0.0)  # a barrier: no process leaves while another still needs its sums
        return _said(world, journal, _finished(folder, plan, began_s))


def _said(world: ProcessRing, journal: RunJournal, event: RunEvent) -> RunEvent:
    if world.writes:
        journal.record(event)
    return event


def _finished(folder: Path, plan: TrainingPlan, began_s: float) -> RunFinished:
    """The final event; without a digest in a process whose folder has no adapter."""
    took_s = round(time.monotonic() - began_s, 2)
    files = [folder / ADAPTER / name for name in (WEIGHTS, CONFIG)]
    if not all(file.is_file() for file in files):
        return RunFinished(steps=plan.steps, sha256="", took_s=took_s)
    weights, config = (hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    whole = adapter_sha256(weights=weights, config=config)
    return RunFinished(steps=plan.steps, sha256=weights, took_s=took_s, adapter_sha256=whole)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock file. The system releases it however the process ends.

    Raises AnotherTrainer when another trainer holds it.
    """
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AnotherTrainer(
                f"Another trainer is at work in {folder}.", hint="Wait for it, or end it."
            ) from None
        yield


class TrainerRun:
    """One LoRA training run as one of its processes carries it out: each of them computes its
    share of every batch, and the first one also writes checkpoints and logs.
    """

    def __init__(
        self,
        folder: Path,
        inputs: Inputs,
        plan: TrainingPlan,
        world: ProcessRing,
        journal: RunJournal,
    ) -> None:
        self._folder = folder
        self._spec = inputs.spec
        self._batch = inputs.batch
        self._plan = plan
        self._world = world
        self._journal = journal
        self._checkpoints = Checkpoints(folder, inputs=inputs.digests)
        self._done = 0
        self._peak_mb = 0.0
        self._limit = int(working_set_bytes() * self._spec.memory_share)
        self._policy = self._loaded()
        self._config = self._policy.adapter.config_text()
        self._chunked = ChunkedEvaluator(policy=self._policy, chunk=self._spec.logit_chunk_tokens)
        self._optimizer = optimizers.Adam(
            learning_rate=self._spec.learning_rate, betas=list(_BETAS), bias_correction=True
        )
        self._optimizer.init(self._policy.model.trainable_parameters())
        self._course = self._made_course()

    def begin(self) -> RunRefused | None:
        """Restore the last checkpoint, and check that a training step fits into memory; if not,
        return the refusal, else None.
        """
        last = self._checkpoints_last() if self._world.writes else None
        self._agree(last)
        refused = self._preflight(last)
        if refused is not None:
            return refused
        if self._world.writes:
            self._journal.repair(self._done, last.event if last else "")
            self._journal.record(self._began())
        return None

    def steps(self) -> None:
        """Run the remaining training steps, then write the finished adapter."""
        while self._done < self._plan.steps:
            self._step()
        if self._world.writes:
            self._checkpoints.publish_adapter(self._policy.weights(), config=self._config)

    # Beginning

    def _loaded(self) -> PolicyModel:
        spec = self._spec
        policy = load(
            self._folder / spec.model,
            parent=self._folder / spec.parent if spec.parent else None,
            lora=spec.lora,
            seed=spec.seed,
            checkpoint_layers=spec.checkpoint_layers,
        )
        for example in self._batch:
            if _largest_id(example) >= policy.vocabulary:
                raise TrainingError(
                    f"The example {example.id} holds token ids that the model lacks.",
                    hint="It was made for another model; make the run again.",
                )
        set_limits(self._limit)
        return policy

    def _made_course(self) -> RunConstants:
        samples = [s for e in self._batch if isinstance(e, Group) for s in e.samples]
        weights = _class_weights(self._spec, self._batch)
        return RunConstants(
            spec=self._spec,
            chunked=self._chunked,
            world=self._world,
            longest=max((len(sample.ids) for sample in samples), default=1),
            weight_good=weights[0],
            weight_bad=weights[1],
        )

    def _checkpoints_last(self) -> Checkpoint | None:
        self._checkpoints.tidy()
        return self._checkpoints.last()

    def _agree(self, last: Checkpoint | None) -> None:
        """Put every process into the state of process 0's checkpoint."""
        if last is not None:
            self._policy.put(last.weights)
            self._optimizer.state = tree_unflatten(list(last.optimizer.items()))
        if self._world.size > 1:
            self._policy.put(self._world.broadcast(self._policy.weights()))
            self._policy.began_as = self._world.broadcast(self._policy.began_as)
            state = self._world.broadcast(self._optimizer_state())
            self._optimizer.state = tree_unflatten(list(state.items()))
        self._done = int(self._world.sum_numbers(last.step if last else 0)[0])
        self._peak_mb = last.peak_mb if last else 0.0
        mx.eval(self._policy.model.state, self._optimizer.state)

    def _preflight(self, last: Checkpoint | None) -> RunRefused | None:
        """Check memory, once per run; again if the recorded peak exceeds the current limit."""
        if not self._plan.steps:
            return None
        refused = None
        if last is None or last.peak_mb * MB > self._limit:
            load = heaviest(self._plan, self._spec)
            made = check(self._chunked, self._spec, load, limit_bytes=self._limit)
            refused, self._peak_mb = made.refused, round(made.peak_bytes / MB, 1)
        (refusals,) = self._world.sum_numbers(float(refused is not None))
        if refusals and refused is None:
            return RunRefused(
                needs_mb=self._peak_mb,
                limit_mb=round(self._limit / MB, 1),
                would_fit="what fits into the smallest of the machines",
            )
        return refused

    def _began(self) -> RunBegan:
        return RunBegan(
            steps=self._plan.steps,
            from_step=self._done,
            examples=len(self._plan.own),
            replays=len(self._plan.replays),
            skipped_groups=self._plan.skipped_groups,
            parameters=self._policy.parameters,
            trained_parameters=self._policy.trained_parameters,
            peak_mb=self._peak_mb,
            limit_mb=round(self._limit / MB, 1),
        )

    # One step

    def _step(self) -> None:
        began_s = time.monotonic()
        mx.reset_peak_memory()
        share = self._plan.share(self._done, self._world.number)
        part, mine = gradient(self._course, share, self._done)
        total, sums = self._world.sum_arrays(part), mine.over_all_processes(self._world)
        clipped, norm = optimizers.clip_grad_norm(total, self._spec.clip_norm)
        if not mx.isfinite(norm).item():
            raise TrainingError(
                f"The gradient of step {self._done + 1} is not a finite number.",
                hint="Train again with a smaller learning rate.",
            )
        self._optimizer.learning_rate = self._spec.rate(self._done, self._plan.steps)
        self._optimizer.update(self._policy.model, tree_unflatten(list(clipped.items())))
        mx.eval(self._policy.model.trainable_parameters(), self._optimizer.state)
        self._done += 1
        if self._world.writes:
            self._keep(self._stepped(sums, norm.item(), time.monotonic() - began_s))

    def _stepped(self, sums: StepSums, norm: float, took_s: float) -> StepDone:
        trained = max(sums.trained, 1e-9)
        return StepDone(
            step=self._done,
            of=self._plan.steps,
            loss=sums.loss,
            kl=sums.kl / trained,
            clip_share=sums.clipped / trained,
            reward=sums.reward,
            replay_loss=sums.replay_loss,
            grad_norm=norm,
            tokens=int(sums.tokens),
            tokens_s=round(sums.tokens / took_s, 1),
            peak_mb=round(mx.get_peak_memory() / MB, 1),
            left_s=round(took_s * (self._plan.steps - self._done), 2),
        )

    def _keep(self, event: StepDone) -> None:
        self._checkpoints.write(
            Checkpoint(
                step=self._done,
                weights=self._policy.weights(),
                optimizer=self._optimizer_state(),
                event=event_line(event),
                peak_mb=self._peak_mb,
            ),
            config=self._config,
        )
        self._journal.record(event)

    def _optimizer_state(self) -> dict[str, Any]:
        flat: Any = tree_flatten(self._optimizer.state)
        return {name: mx.array(value) for name, value in flat}


def _largest_id(example: Example) -> int:
    match example:
        case Group():
            answers = [token for sample in example.samples for token in sample.ids]
        case GraduationExample():
            answers = [*example.teacher_ids, *example.sample_ids]
        case _:
            answers = list(example.ids)
    return max((*example.prompt_ids, *answers))


def _class_weights(spec: RunSpec, batch: tuple[Example, ...]) -> tuple[float, float]:
    """(weight of good answers, weight of bad answers).

    By default both classes have the same total weight and the mean weight is 1, which is within
    the [1, 4/3] that arXiv 2402.01306 recommends for their ratio (section 4.1).
    """
    if not isinstance(spec.terms, KtoTerms):
        return 1.0, 1.0
    labels = [example.good for example in batch if isinstance(example, RecordedAnswer)]
    good, bad = labels.count(True), labels.count(False)
    fair = (len(labels) / (2 * good), len(labels) / (2 * bad)) if good and bad else (1.0, 1.0)
    given = (spec.terms.weight_good, spec.terms.weight_bad)
    up, down = (g if g is not None else f for g, f in zip(given, fair, strict=True))
    return up, down
