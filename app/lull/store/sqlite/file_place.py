"""Notices that a file which this process holds open is no longer the one at its path.

On Unix an open file lives on after it was removed or replaced, and what is written to it is gone
when it is closed. A second connection would open what is at the path now, and damage both.
"""

from __future__ import annotations

from pathlib import Path

from lull.core.errors import StoreError

_HINT = (
    "If you moved it, put it back before you stop Lull. Otherwise `lull restore` brings a backup "
    "back."
)


class FilePlace:
    """The database's files (with SQLite's write-ahead log and its index) as they were when Lull
    opened them, to be compared with what is at their paths later.
    """

    def __init__(self, path: Path) -> None:
        """`path` is the database's file, which is open now."""
        self._opened: dict[Path, tuple[int, int]] = {}
        for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            try:
                self._opened[file] = _identity(file)
            except OSError:
                continue  # it is not watched

    def check(self) -> None:
        """Raise StoreError if a file was removed or replaced since it was opened. Blocking."""
        if (error := self.error()) is not None:
            raise error

    def error(self) -> StoreError | None:
        """Return what to tell the user if a file was removed or replaced since it was opened; None
        if all are still there. Blocking.
        """
        return next(filter(None, (_error(file, was) for file, was in self._opened.items())), None)


def _error(file: Path, was: tuple[int, int]) -> StoreError | None:
    try:
        if _identity(file) == was:
            return None
    except FileNotFoundError:
        return StoreError(
            f"{file} was removed while Lull runs. What it holds may be lost when Lull stops.",
            hint=_HINT,
        )
    except OSError:
        return None  # the folder cannot be looked into now, which says nothing of the file
    return StoreError(
        f"{file} was replaced by another file while Lull runs. What it held and what is said from "
        "now on may be lost when Lull stops.",
        hint=_HINT,
    )


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
