"""Allows only one running service per data folder, by a lock on a file; another file, the discovery
file, holds the service's address and process id.

The lock is released however the process dies, so a stale discovery file is only a hint. Checking
whether a service runs takes the lock shared, so that two checks never collide.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO

from lull.core.errors import AlreadyRunning, Busy
from lull.store.on_disk import open_regular
from lull.store.skills.skill_files import write_atomically

if os.name == "posix":
    import fcntl

PATIENCE_S = 5.0
"""Longest wait in seconds for commands that hold the service's lock only briefly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """Address, process id and version of the running service, as stored in the discovery file, by
    which commands find the service.
    """

    address: str
    pid: int
    control: str
    """Path of the control socket."""
    version: str
    started: str
    """Start time of the service, ISO 8601."""


class ServiceLock:
    """Exclusive lock on a data folder, held while the service runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def take(self, *, discovery: Path, patience_s: float = PATIENCE_S) -> None:
        """Take the exclusive lock on the data folder; if a command holds it for a moment to check
        whether a service runs, wait for its end.

        Raises AlreadyRunning, which names the running service, or Busy when something else holds
        the lock for `patience_s`.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # A pipe or a device in its place would lock what others use, or nothing.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        file = os.fdopen(open_regular(self._path, flags), "a+")
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
                        f"Another command has been using {self._path.parent} for "
                        f"{patience_s:g} s, or a service is starting or stopping there.",
                        hint="Nothing was changed; try again in a moment.",
                    )
                time.sleep(0.02)
        except BaseException:
            file.close()
            raise
        self._file = file

    def release(self) -> None:
        """Release the lock on the data folder if it is held."""
        if self._file is not None:
            self._file.close()
            self._file = None


class FileLock:
    """A lock on a file that one process holds until it ends; the holder writes a text, such as its
    process id, into the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def take(self, text: str) -> bool:
        """Take the lock and write the text; False if another process has it. Raises OSError."""
        file = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+")
        if not _locked(file, shared=False):
            file.close()
            return False
        file.truncate(0)
        file.write(text)
        file.flush()
        self._file = file
        return True

    def release(self) -> None:
        """Release the lock if it is held."""
        if self._file is not None:
            self._file.close()
            self._file = None


def is_running(lock: Path) -> bool:
    """Whether a live process holds this lock file, which a service locks while it runs. Raises
    OSError if the file is unreadable.
    """
    try:
        with os.fdopen(open_regular(lock), "r") as file:
            return not _locked(file, shared=True)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _locked(file: IO[str], *, shared: bool) -> bool:
    """Try to take the lock without waiting; False if another process has it."""
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
    """Whether a process with this id exists, including another user's. On Windows always True."""
    if os.name != "posix":
        return True  # on Windows signal 0 would send Ctrl-C, so only the lock decides
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
    """Return the content of the running service's discovery file (address and process id); None
    when it is missing or invalid.
    """
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
