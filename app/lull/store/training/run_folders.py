"""Stores the folder of each training run (its settings, examples, checkpoints and finished adapter)
on disk; folders are created and removed atomically.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from lull.core.errors import StoreError
from lull.core.training.events import StepDone, steps_in
from lull.core.training.examples import Example
from lull.core.training.run_format import (
    ADAPTER,
    BATCH,
    CHECKPOINTS,
    EVENTS,
    SPEC,
    example_line,
    read_spec,
    spec_text,
)
from lull.core.training.spec import RunSpec
from lull.store.disk.on_disk import inside, read_regular, to_disk

_UNFINISHED: Final = ".new-"
MOST_BYTES: Final = 256_000_000
"""Most bytes of a run's spec or events that are read."""


class RunFolders:
    """Creates, reads and removes training run folders, one `ROOT/RUN/` per run. Every method
    blocks.
    """

    def __init__(self, root: Path, *, rows_missing: Callable[[], bool] = lambda: False) -> None:
        """Configure the folder `root`, which holds one folder per training run.

        `rows_missing` returns whether the database has lost rows; then folders of unknown runs are
        kept.
        """
        self.root = root
        self._rows_missing = rows_missing

    def folder(self, run: str) -> Path:
        """Return the folder of a training run."""
        return inside(self.root, run)

    def adapter(self, run: str) -> Path:
        """Return the path of the folder in a run folder where the trainer leaves the finished
        adapter.
        """
        return self.folder(run) / ADAPTER

    def write(self, spec: RunSpec, batch: Sequence[Example]) -> Path:
        """Create a training run's folder, with its settings and examples, atomically. Raises
        StoreError.
        """
        target = self.folder(spec.id)
        made = inside(self.root, f"{_UNFINISHED}{spec.id}")
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir(mode=0o700)
            _write(made / BATCH, "".join(f"{example_line(one)}\n" for one in batch))
            _write(made / SPEC, spec_text(spec))
            to_disk(made)
            made.rename(target)
            to_disk(self.root)
        except OSError as error:
            shutil.rmtree(made, ignore_errors=True)
            raise StoreError(
                f"{error.filename or target}: {error.strerror}.",
                hint="Check free space and the folder's permissions.",
            ) from error
        return target

    def spec(self, run: str) -> RunSpec:
        """Read a training run's spec (its settings).

        Raises StoreError if it is missing, TrainingError if it is malformed.
        """
        try:
            return read_spec(self._text(run, SPEC))
        except OSError as error:
            raise StoreError(f"{self.folder(run)}: {error.strerror}.") from error

    def change(self, spec: RunSpec) -> None:
        """Replace a training run's spec (its settings), before its first training step. Raises
        StoreError.
        """
        file = self.folder(spec.id) / SPEC
        try:
            _write(file.with_suffix(".tmp"), spec_text(spec))
            file.with_suffix(".tmp").replace(file)
            to_disk(file.parent)
        except OSError as error:
            raise StoreError(f"{file}: {error.strerror}.") from error

    def steps(self, run: str) -> list[StepDone]:
        """Return the steps that a training run has made so far; none if its folder is gone."""
        try:
            text = self._text(run, EVENTS)
        except OSError:
            return []
        return steps_in(text.splitlines())

    def _text(self, run: str, name: str) -> str:
        """Read a file of a run's folder, in which other programs may have put anything. Raises
        OSError.
        """
        return read_regular(self.folder(run) / name, MOST_BYTES).decode("utf-8", errors="replace")

    def is_gone(self, run: str) -> bool:
        """Return whether a training run's folder or its spec (its settings) was certainly deleted,
        and is not merely on a disk that is disconnected.
        """
        return self._is_gone(self.folder(run) / SPEC, stat.S_ISREG)

    def adapter_is_gone(self, run: str) -> bool:
        """Return whether the adapter that a training run has produced was certainly deleted, and is
        not merely on a disk that is disconnected.
        """
        return self._is_gone(self.adapter(run), stat.S_ISDIR)

    def _is_gone(self, path: Path, as_it_was: Callable[[int], bool]) -> bool:
        with contextlib.suppress(OSError):
            try:
                mode = path.lstat().st_mode
            except (FileNotFoundError, NotADirectoryError):
                # A root that is a link leads to another disk, which may come back.
                return not self.root.is_symlink() or self.root.exists()
            return not (as_it_was(mode) or stat.S_ISLNK(mode))
        return False

    def remove(self, run: str) -> None:
        """Delete a training run's folder.

        Anything that a crash leaves of it no longer counts as a run and is swept later.
        """
        folder = self.folder(run)
        gone = inside(self.root, f"{_UNFINISHED}{run}")
        if folder.exists():
            shutil.rmtree(gone, ignore_errors=True)
            folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def delete_checkpoints(self, run: str) -> None:
        """Delete the checkpoints of a finished training run, which are large."""
        shutil.rmtree(self.folder(run) / CHECKPOINTS, ignore_errors=True)

    def sweep(self, known: Iterable[str]) -> list[str]:
        """Delete folders of unknown training runs, such as those left by a crash; return their
        names.
        """
        kept = set(known)
        if not self.root.is_dir():
            return []
        swept = [one.name for one in self.root.iterdir() if one.is_dir() and one.name not in kept]
        if self._rows_missing():
            swept = [name for name in swept if name.startswith(_UNFINISHED)]
        for name in swept:
            shutil.rmtree(self.root / name, ignore_errors=True)
        return sorted(swept)


def _write(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
