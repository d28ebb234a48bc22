"""Writes files atomically, and holds file locks for work that only one process may do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lull.core.errors import Conflict


def write_file_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically, through a temporary file synced to disk."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def fsync_folder(folder: Path) -> None:
    """Sync a folder, so that renames in it are durable. Does nothing on Windows."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def exclusive_lock(lock: Path, doing: str) -> Iterator[None]:
    """Context manager that holds a file lock; the system releases it even if the process dies.

    Raises Conflict if another process holds it; `doing` says in the error what that process does.
    """
    number = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(number):
            raise Conflict(f"This is going on already: {doing}.", hint="Wait until it is done.")
        yield
    finally:
        os.close(number)


def _locked(number: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: no lock; the last rename wins
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
