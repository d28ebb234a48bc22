"""Saves a training run's state atomically after every step, and restores it.

    checkpoints/step-000012/  adapters.safetensors     the policy, as mlx-lm has it
                              adapter_config.json
                              optimizer.safetensors    Adam's moments and step count
                              state.json               step, digest of the inputs, last event

A folder is written under a temporary name, flushed to disk with all its files, and then renamed.
Random numbers depend only on seed, step and example number, so the step restores them too.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from lull.core.errors import TrainingError
from lull.core.training.run_format import ADAPTER, CHECKPOINTS, CONFIG, WEIGHTS
from lull.trainer.adapter_files import DAMAGED, read_arrays

_STATE, _OPTIMIZER = "state.json", "optimizer.safetensors"
_UNFINISHED = ".unfinished-"
_KEPT = 2
"""Checkpoints kept; the older one is the fallback if the newest is damaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A training run's saved state after a step: weights, optimizer and number of steps done."""

    step: int
    """Number of completed steps."""
    weights: dict[str, Any]
    optimizer: dict[str, Any]
    event: str
    """The step's event line, for a journal that was interrupted before writing the line."""
    peak_mb: float
    """Peak memory in MB that process 0 measured in the memory check before the run."""


class Checkpoints:
    """Reads and writes the checkpoints in one training run's folder."""

    def __init__(self, folder: Path, *, inputs: Sequence[str]) -> None:
        """Open the checkpoints of a training run; `inputs` are the digests of the run's spec and
        batch that a checkpoint may have, first the one that new ones get.
        """
        self._run = folder
        self._folder = folder / CHECKPOINTS
        self._inputs = inputs

    def tidy(self) -> None:
        """Remove checkpoint folders that an interrupted write left unfinished."""
        self._folder.mkdir(exist_ok=True)
        for place in (self._run, self._folder):
            for left in place.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left)

    def last(self) -> Checkpoint | None:
        """Return the run's newest whole checkpoint, or None. Damaged ones after it are removed; if
        all are damaged, the run begins anew.

        Raises TrainingError when it was made from other inputs, and OSError when the newest cannot
        be read now, though it may be whole.
        """
        for folder in sorted(self._folder.glob("step-*"), reverse=True):
            try:
                return self._read(folder)
            except DAMAGED:
                _remove(folder)
        return None

    def _read(self, folder: Path) -> Checkpoint:
        state = json.loads((folder / _STATE).read_text("utf-8"))
        if state["inputs"] not in self._inputs:
            raise TrainingError(
                f"The inputs in {self._run} have changed since {folder.name} was made of them.",
                hint="Make a new run; checkpoints go on only from what they began with.",
            )
        return Checkpoint(
            step=int(state["step"]),
            weights=read_arrays(folder / WEIGHTS),
            optimizer=read_arrays(folder / _OPTIMIZER),
            event=str(state["event"]),
            peak_mb=float(state["peak_mb"]),
        )

    def write(self, made: Checkpoint, *, config: str) -> None:
        """Save a checkpoint of the training run, and remove all but the newest two. `config` is the
        text of `adapter_config.json`. Raises OSError.
        """
        state = {
            "step": made.step,
            "inputs": self._inputs[0],
            "event": made.event,
            "peak_mb": made.peak_mb,
        }
        _publish(
            self._folder / f"step-{made.step:06d}",
            texts={CONFIG: config, _STATE: json.dumps(state)},
            arrays={WEIGHTS: made.weights, _OPTIMIZER: made.optimizer},
        )
        for old in sorted(self._folder.glob("step-*"))[:-_KEPT]:
            _remove(old)

    def publish_adapter(self, weights: Mapping[str, Any], *, config: str) -> None:
        """Write the trained LoRA adapter's weights and its `adapter_config.json` (the text
        `config`) into the run folder. Raises OSError.
        """
        _publish(self._run / ADAPTER, texts={CONFIG: config}, arrays={WEIGHTS: weights})


def _remove(checkpoint: Path) -> None:
    """Remove a checkpoint; renamed first, so that an interruption leaves no half one."""
    gone = checkpoint.with_name(f"{_UNFINISHED}{checkpoint.name}")
    checkpoint.rename(gone)
    shutil.rmtree(gone)


def _publish(
    folder: Path, *, texts: Mapping[str, str], arrays: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write a folder atomically. Raises OSError."""
    unfinished = folder.with_name(f"{_UNFINISHED}{folder.name}")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    unfinished.mkdir()
    for name, text in texts.items():
        (unfinished / name).write_text(text, encoding="utf-8")
    for name, tensors in arrays.items():
        # A fixed order, so that the bytes depend on the values alone.
        ordered = {key: tensors[key] for key in sorted(tensors)}
        _save(unfinished / name, ordered)
    for file in (*unfinished.iterdir(), unfinished):
        _flush(file)
    unfinished.rename(folder)
    _flush(folder.parent)


def _save(file: Path, tensors: Mapping[str, Any]) -> None:
    """Save arrays to a file. Raises OSError, as ENOSPC if the disk is too full."""
    try:
        mx.save_safetensors(str(file), dict(tensors))
    except RuntimeError as error:  # MLX raises this for a failed write
        needed = sum(array.nbytes for array in tensors.values())
        full = shutil.disk_usage(file.parent).free < needed
        number = errno.ENOSPC if full else errno.EIO
        raise OSError(number, os.strerror(number), str(file.parent)) from error


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
