"""One service for one home: a locked file is the truth, a discovery file says where it is.

The lock falls with the process, however it dies; a stale discovery file is only a hint that the
lock contradicts.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from lull.core.errors import AlreadyRunning
from lull.store.skill_folders import write_atomically

if os.name == "posix":
    import fcntl


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """How to reach the running service."""

    address: str
    pid: int
    control: str
    """Path of the control socket."""
    version: str
    started: str


class ServiceLock:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Raises AlreadyRunning."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+")
        try:
            _lock(file)
        except OSError as error:
            file.close()
            raise AlreadyRunning(
                f"Another service uses {self._path.parent}.",
                hint="`lull status` tells about it, `lull stop` ends it.",
            ) from error
        self._file = file

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def is_running(lock: Path) -> bool:
    """Does a live process hold the lock?"""
    if not lock.exists():
        return False
    probe = ServiceLock(lock)
    try:
        probe.take()
    except AlreadyRunning:
        return True
    probe.release()
    return False


def _lock(file: IO[str]) -> None:
    if os.name == "posix":
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]


def write_discovery(path: Path, found: Discovery) -> None:
    write_atomically(path, json.dumps(asdict(found)).encode())


def read_discovery(path: Path) -> Discovery | None:
    """What the file says, None when it is not there or not readable as such."""
    try:
        return Discovery(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
