"""Files that are whole or not there, whatever happens in between, and work that only one does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lull.core.errors import Conflict


def write_whole(path: Path, data: bytes) -> None:
    """Under a temporary name until it is on disk."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def fsync_folder(folder: Path) -> None:
    """Make the names in it last. Windows cannot, and need not."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def only_one(lock: Path, doing: str) -> Iterator[None]:
    """Hold a file's lock; it goes with the process, however that ends. Raises Conflict when
    another process holds it."""
    number = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(number):
            raise Conflict(f"Already {doing}.", hint="Wait until it is done.")
        yield
    finally:
        os.close(number)


def _locked(number: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: the last rename decides
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
