"""One service for one home: a locked file is the truth, a discovery file says where it is.

The lock falls with the process, however it dies; a stale discovery file is only a hint that the
lock contradicts. Whoever only asks takes the lock shared, so that two who ask never meet.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO

from lull.core.errors import AlreadyRunning, Busy
from lull.store.skill_folders import write_atomically

if os.name == "posix":
    import fcntl

PATIENCE_S = 5.0
"""Whoever only asks, or changes a skill, gives the lock back within a fraction of a second, and a
few of them may stand in line."""


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

    def take(self, *, discovery: Path, patience_s: float = PATIENCE_S) -> None:
        """Waits for those who hold it briefly. Raises AlreadyRunning, which names the service that
        has it, and Busy when somebody else keeps it."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+")
        until_s = time.monotonic() + patience_s
        try:
            while not _locked(file, shared=False):
                there = read_discovery(discovery)
                if there is not None and alive(there.pid):
                    raise AlreadyRunning(
                        f"Process {there.pid} serves {self._path.parent} at {there.address}.",
                        hint="`lull status` tells about it, `lull stop` ends it.",
                    )
                if time.monotonic() > until_s:
                    raise Busy(
                        f"Another command has kept {self._path.parent} for {patience_s:g} s,"
                        " or a service is starting or stopping there.",
                        hint="Nothing was changed; try again in a moment.",
                    )
                time.sleep(0.02)
        except BaseException:
            file.close()
            raise
        self._file = file

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def is_running(lock: Path) -> bool:
    """Does a live process hold the lock? Raises OSError when the file cannot be read."""
    try:
        with lock.open("r") as file:
            return not _locked(file, shared=True)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _locked(file: IO[str], *, shared: bool) -> bool:
    """Take the lock now. False: somebody else has it."""
    try:
        if os.name == "posix":
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        else:
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except (BlockingIOError, PermissionError):
        return False
    return True


def alive(pid: int) -> bool:
    """Is there such a process? Another user's counts, too."""
    if os.name != "posix":
        return True  # there `kill` with 0 is a Ctrl-C; the lock decides alone
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def write_discovery(path: Path, found: Discovery) -> None:
    write_atomically(path, json.dumps(asdict(found)).encode())


def read_discovery(path: Path) -> Discovery | None:
    """What the file says, None when it is not there or not readable as such."""
    try:
        said = json.loads(path.read_text("utf-8"))
        known = {one.name: said[one.name] for one in fields(Discovery)}
    except (OSError, ValueError, TypeError, KeyError):
        return None
    texts = all(isinstance(value, str) for name, value in known.items() if name != "pid")
    pid = known["pid"]
    if not texts or type(pid) is not int or pid < 1:
        return None
    return Discovery(**known)
