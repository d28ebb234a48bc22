"""Allows only one running service per data folder, by a lock on a file and on the folder itself;
another file, the discovery file, holds the service's address and process id.

The locks are released however the process dies, so a stale discovery file is only a hint. Checking
whether a service runs takes the locks shared, so that two checks never collide. Somebody may remove
the file while it is locked; the folder's lock then still keeps a second service out.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO

from lull.core.errors import AlreadyRunning, Busy, StoreError
from lull.store.disk.on_disk import open_regular, read_regular, write_atomically

if os.name == "posix":
    import fcntl

_CANNOT_LOCK = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""Errors of drives that know no locks, as some network drives."""
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
        self._folder: int | None = None

    def take(self, *, discovery: Path, patience_s: float = PATIENCE_S) -> None:
        """Take the exclusive lock on the data folder; if a command holds it for a moment to check
        whether a service runs, wait for its end.

        Raises AlreadyRunning, which names the running service, or Busy when something else holds
        the lock for `patience_s`.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        until_s = time.monotonic() + patience_s
        try:
            self._folder = _opened_folder(self._path.parent)
            self._file = self._opened_file()
            # The folder first: an older Lull locks the file alone.
            while not (
                _folder_locked(self._folder, shared=False) and _locked(self._file, shared=False)
            ):
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
            self.release()
            raise

    def put_back(self) -> None:
        """Make and lock the lock file again if it was removed or replaced while it was held.

        Raises OSError.
        """
        if self._file is None or _is_at(self._file, self._path):
            return
        file = self._opened_file()
        if _locked(file, shared=False):
            self._file.close()
            self._file = file
        else:  # somebody looks whether a service runs: the next call locks it
            file.close()

    def release(self) -> None:
        """Release the lock on the data folder if it is held."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    def _opened_file(self) -> IO[str]:
        # A pipe or a device in its place would lock what others use, or nothing.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        return os.fdopen(open_regular(self._path, flags), "a+")


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
    """Whether a service runs whose lock file this is, or a command holds the lock in its place:
    whether another process has locked the file or, if the file was removed meanwhile, its folder.

    Raises OSError if one of them is unreadable.
    """
    return is_locked(lock) or _is_folder_locked(lock.parent)


def is_locked(file: Path) -> bool:
    """Whether a live process holds a lock on this file. Raises OSError if it is unreadable."""
    try:
        with os.fdopen(open_regular(file), "r") as opened:
            return not _locked(opened, shared=True)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _is_folder_locked(folder: Path) -> bool:
    try:
        opened = _opened_folder(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        return not _folder_locked(opened, shared=True)
    finally:
        if opened is not None:
            os.close(opened)


def _opened_folder(folder: Path) -> int | None:
    """Open a folder to lock it; None on Windows, where nobody can remove a locked file."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY) if os.name == "posix" else None


def _folder_locked(folder: int | None, *, shared: bool) -> bool:
    """Try to take the folder's lock; False if another process has it. Where the system cannot lock
    folders, as on some network drives, True: then the file's lock alone decides.
    """
    if folder is not None:
        with contextlib.suppress(OSError, StoreError):
            return _locked(folder, shared=shared)
    return True


def _locked(file: IO[str] | int, *, shared: bool) -> bool:
    """Try to take the lock without waiting; False if another process has it.

    Raises StoreError where the drive cannot lock files, since nothing keeps two services apart
    there.
    """
    try:
        if os.name == "posix":
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        else:
            import msvcrt

            assert not isinstance(file, int)
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        if error.errno not in _CANNOT_LOCK:
            raise
        raise StoreError(
            f"The drive of Lull's folder cannot lock files: {error.strerror}.",
            hint="Set LULL_HOME to a folder on a disk of this machine.",
        ) from error
    return True


def _is_at(file: IO[str], path: Path) -> bool:
    """Whether an open file is the one at this path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


DISCOVERY_BYTES = 65_536
"""Most bytes of a discovery file that are read."""


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
    """Write the file by which other processes find the running service."""
    write_atomically(path, json.dumps(asdict(found)).encode())


def read_discovery(path: Path) -> Discovery | None:
    """Return the content of the running service's discovery file (address and process id); None
    when it is missing or invalid, or something else lies in its place, such as a pipe.
    """
    try:
        said = json.loads(read_regular(path, DISCOVERY_BYTES))
        known = {one.name: said[one.name] for one in fields(Discovery)}
    except (OSError, ValueError, TypeError, KeyError):
        return None
    texts = all(isinstance(value, str) for name, value in known.items() if name != "pid")
    pid = known["pid"]
    if not texts or type(pid) is not int or pid < 1:
        return None
    return Discovery(**known)
