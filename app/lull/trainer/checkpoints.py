"""Where a run stands, on disk after every step: whole or not there.

    checkpoints/step-000012/  adapters.safetensors     the policy, as mlx-lm has it
                              adapter_config.json
                              optimizer.safetensors    the moments and the step count
                              state.json               position, digest of the inputs, last event

A folder is written under a name that nobody reads, flushed to the disk with every file in it, and
renamed. The run's only chance is made of seed, step and number, so the position restores it too.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from lull.core.errors import TrainingError
from lull.core.run_format import ADAPTER, CHECKPOINTS, CONFIG, WEIGHTS

_STATE, _OPTIMIZER = "state.json", "optimizer.safetensors"
_UNREAD = ".unfinished-"
_KEPT = 2
"""The one before the last stays until the next is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    step: int
    """Steps that are done."""
    weights: dict[str, Any]
    optimizer: dict[str, Any]
    event: str
    """The line of the step's event, should a kill have come before it was written."""
    peak_mb: float
    """What the first process measured."""


class Checkpoints:
    def __init__(self, folder: Path, *, inputs: str) -> None:
        """`inputs` is the digest of the run's spec and batch."""
        self._run = folder
        self._folder = folder / CHECKPOINTS
        self._inputs = inputs

    def tidy(self) -> None:
        """Remove what a kill left unfinished."""
        self._folder.mkdir(exist_ok=True)
        for place in (self._run, self._folder):
            for left in place.glob(f"{_UNREAD}*"):
                shutil.rmtree(left)

    def last(self) -> Checkpoint | None:
        """Raises TrainingError for one that belongs to other inputs, or that is damaged."""
        found = sorted(self._folder.glob("step-*"))
        if not found:
            return None
        try:
            return self._read(found[-1])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise TrainingError(
                f"The checkpoint {found[-1]} is damaged: {error}",
                hint="Remove that folder to go on from the one before it.",
            ) from error

    def _read(self, folder: Path) -> Checkpoint:
        state = json.loads((folder / _STATE).read_text("utf-8"))
        if state["inputs"] != self._inputs:
            raise TrainingError(
                f"The inputs in {self._run} have changed since {folder.name} was made of them.",
                hint="Make a new run; checkpoints go on only from what they began with.",
            )
        weights: Any = mx.load(str(folder / WEIGHTS))
        optimizer: Any = mx.load(str(folder / _OPTIMIZER))
        mx.eval(weights, optimizer)  # the files are read now: the folder may be removed soon
        return Checkpoint(
            step=int(state["step"]),
            weights=weights,
            optimizer=optimizer,
            event=str(state["event"]),
            peak_mb=float(state["peak_mb"]),
        )

    def write(self, made: Checkpoint, *, config: str) -> None:
        state = {
            "step": made.step,
            "inputs": self._inputs,
            "event": made.event,
            "peak_mb": made.peak_mb,
        }
        _publish(
            self._folder / f"step-{made.step:06d}",
            texts={CONFIG: config, _STATE: json.dumps(state)},
            arrays={WEIGHTS: made.weights, _OPTIMIZER: made.optimizer},
        )
        for old in sorted(self._folder.glob("step-*"))[:-_KEPT]:
            # renamed first: a kill in the midst must not leave half a checkpoint under its name
            gone = old.with_name(f"{_UNREAD}{old.name}")
            old.rename(gone)
            shutil.rmtree(gone)

    def publish_adapter(self, weights: Mapping[str, Any], *, config: str) -> None:
        _publish(self._run / ADAPTER, texts={CONFIG: config}, arrays={WEIGHTS: weights})


def _publish(
    folder: Path, *, texts: Mapping[str, str], arrays: Mapping[str, Mapping[str, Any]]
) -> None:
    """All of it under its name, or nothing. Raises OSError."""
    unread = folder.with_name(f"{_UNREAD}{folder.name}")
    if unread.exists():
        shutil.rmtree(unread)
    unread.mkdir()
    for name, text in texts.items():
        (unread / name).write_text(text, encoding="utf-8")
    for name, tensors in arrays.items():
        # In one order: the bytes are to depend on the numbers alone.
        ordered = {key: tensors[key] for key in sorted(tensors)}
        _save(unread / name, ordered)
    for file in (*unread.iterdir(), unread):
        _flush(file)
    unread.rename(folder)
    _flush(folder.parent)


def _save(file: Path, tensors: Mapping[str, Any]) -> None:
    """Raises OSError."""
    try:
        mx.save_safetensors(str(file), dict(tensors))
    except RuntimeError as error:  # MLX has no other for a disk that does not take it
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
