"""Notices that a file which this process holds open is no longer the one at its path.

On Unix an open file lives on after it was removed or replaced, and what is written to it is gone
when it is closed.
"""

from __future__ import annotations

from pathlib import Path

from lull.core.errors import StoreError

_HINT = (
    "If you moved it, put it back before you stop Lull. Otherwise `lull restore` brings a backup "
    "back."
)


class FilePlace:
    """The database's file as it was when Lull opened it, to be compared with what is at its path
    later.
    """

    def __init__(self, path: Path) -> None:
        """`path` is the database's file, which is open now."""
        self._path = path
        try:
            self._opened: tuple[int, int] | None = _identity(path)
        except OSError:
            self._opened = None

    def error(self) -> StoreError | None:
        """Return what to tell the user if the file was removed or replaced since it was opened;
        None if it is still there. Blocking.
        """
        if self._opened is None:
            return None
        try:
            if _identity(self._path) == self._opened:
                return None
        except FileNotFoundError:
            return StoreError(
                f"{self._path} was removed while Lull runs. What it holds may be lost when "
                "Lull stops.",
                hint=_HINT,
            )
        except OSError:
            return None  # the folder cannot be looked into now, which says nothing of the file
        return StoreError(
            f"{self._path} was replaced by another file while Lull runs. What it held and "
            "what is said from now on may be lost when Lull stops.",
            hint=_HINT,
        )


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
