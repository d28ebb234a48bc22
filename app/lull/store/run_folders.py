"""Run folders on disk: written whole or not at all, read for a look, removed for good."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from lull.core.errors import StoreError
from lull.core.run_format import (
    ADAPTER,
    BATCH,
    CHECKPOINTS,
    SPEC,
    example_line,
    read_spec,
    spec_text,
)
from lull.core.training_examples import Example
from lull.core.training_run import RunSpec

_UNFINISHED: Final = ".new-"


class RunFolders:
    """`ROOT/RUN/`, one a run. Every method blocks."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, run: str) -> Path:
        return self.root / run

    def adapter(self, run: str) -> Path:
        """Where the trainer leaves what it made."""
        return self.folder(run) / ADAPTER

    def write(self, spec: RunSpec, batch: Sequence[Example]) -> Path:
        """The whole folder, or none. Raises StoreError."""
        target = self.folder(spec.id)
        made = self.root / f"{_UNFINISHED}{spec.id}"
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir(mode=0o700)
            _write(made / BATCH, "".join(f"{example_line(one)}\n" for one in batch))
            _write(made / SPEC, spec_text(spec))
            _sync(made)
            made.rename(target)
            _sync(self.root)
        except OSError as error:
            shutil.rmtree(made, ignore_errors=True)
            raise StoreError(
                f"{error.filename or target}: {error.strerror}.",
                hint="Check free space and the folder's permissions.",
            ) from error
        return target

    def spec(self, run: str) -> RunSpec:
        """Raises StoreError where it is gone, TrainingError where it cannot be read."""
        try:
            return read_spec((self.folder(run) / SPEC).read_text("utf-8"))
        except OSError as error:
            raise StoreError(f"{self.folder(run)}: {error.strerror}.") from error

    def change(self, spec: RunSpec) -> None:
        """Another spec over the same batch, before the first step. Raises StoreError."""
        file = self.folder(spec.id) / SPEC
        try:
            _write(file.with_suffix(".tmp"), spec_text(spec))
            file.with_suffix(".tmp").replace(file)
        except OSError as error:
            raise StoreError(f"{file}: {error.strerror}.") from error

    def exists(self, run: str) -> bool:
        return (self.folder(run) / SPEC).is_file()

    def finished(self, run: str) -> bool:
        return self.adapter(run).is_dir()

    def remove(self, run: str) -> None:
        """All of it; what a crash leaves of it is no run any more, and is swept at the start."""
        folder = self.folder(run)
        gone = self.root / f"{_UNFINISHED}{run}"
        if folder.exists():
            shutil.rmtree(gone, ignore_errors=True)
            folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def slim(self, run: str) -> None:
        """Without its checkpoints: they are large, and the adapter is there."""
        shutil.rmtree(self.folder(run) / CHECKPOINTS, ignore_errors=True)

    def sweep(self, known: Iterable[str]) -> list[str]:
        """Remove what no row knows of, such as a folder that a crash left behind; their names."""
        kept = set(known)
        if not self.root.is_dir():
            return []
        swept = [one.name for one in self.root.iterdir() if one.is_dir() and one.name not in kept]
        for name in swept:
            shutil.rmtree(self.root / name, ignore_errors=True)
        return sorted(swept)


def _write(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())


def _sync(folder: Path) -> None:
    """So that the names in it are on disk, too."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
