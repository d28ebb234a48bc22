"""Makes files and folders survive a power cut, and reads files that others may have put there."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from lull.core.errors import NO_ROOM, StoreError

TEMPORARY: Final = "tmp"
"""Ending of the files that `write_atomically` writes before they take the file's place."""
NOT_REGULAR: Final = "is not a regular file"
_LEADING_ELSEWHERE: Final = "/\\\0" + (":" if os.name == "nt" else "")
_NOT_FOR_FOLDERS: Final = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}


def inside(root: Path, name: str) -> Path:
    """Return the path of a file or folder that lies in `root` under this name, which comes from the
    database. Raises StoreError for a name that leads elsewhere, as only a stranger's database has.
    """
    if name in ("", ".", "..") or any(sign in name for sign in _LEADING_ELSEWHERE):
        raise StoreError(
            f"The database names {name[:80]!a}, which is no name of a file in {root}.",
            hint="Restore a backup that you made.",
        )
    return root / name


def to_disk(path: Path) -> None:
    """Flush a file's content, or a folder's list of names, to the disk (fsync), so that a power cut
    does not undo it.

    Blocks. Raises OSError; does nothing where the file system cannot sync a folder, or on Windows.
    """
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS or not path.is_dir():
            raise
    finally:
        os.close(handle)


def removals_to_disk(roots: Iterable[Path]) -> None:
    """Sync folders and all below them, so that no power cut brings back what was removed from them.

    Blocking. A missing folder is ignored.
    """
    for root in roots:
        for folder, _, _ in os.walk(root):
            with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
                to_disk(Path(folder))


def is_no_room(error: BaseException) -> bool:
    """Whether an error of the system or of SQLite means that the disk is full."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL


def check_is_file(database: Path) -> None:
    """Raise StoreError for something in the place of the database's file that is none, such as a
    folder or a pipe; not where nothing is there.
    """
    if database.is_file() or not database.exists():
        return
    what = "a folder" if database.is_dir() else "a pipe or a device"
    raise StoreError(
        f"{database} is {what} and no file.",
        hint="Move it away. If you have the database's file, put it back there; Lull makes a new "
        "one only if none is there.",
    )


def is_there(path: Path) -> bool:
    """Whether a path exists; a link counts even if its target does not exist."""
    return os.path.lexists(path)


def is_same_folder(one: Path, other: Path) -> bool:
    """Whether both paths lead to one folder, links followed."""
    return one.is_dir() and one.resolve() == other.resolve()


def leads_nowhere(path: Path) -> bool:
    """Whether a path goes through a link to a place that is not there now, such as another disk,
    or that cannot be looked at: what is behind it may be whole.
    """
    try:
        return any(one.is_symlink() and not one.exists() for one in (path, *path.parents))
    except OSError:
        return True


def open_regular(file: Path, flags: int = os.O_RDONLY) -> int:
    """Open a regular file (no pipe or device) in a folder that others may write to, and return its
    descriptor.

    Raises OSError also for what is no regular file: opening a pipe that nobody else holds open
    would wait, and opening a device may do something. `flags` are those of `os.open`; a file that
    they create is readable by its owner only.
    """
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, NOT_REGULAR, str(file))
    descriptor = os.open(
        file, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0), 0o600
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # put there this moment
        os.close(descriptor)
        raise OSError(errno.EINVAL, NOT_REGULAR, str(file))
    return descriptor


def read_regular(file: Path, limit: int) -> bytes:
    """Return the content of a regular file (no pipe or device) in a folder that others may write
    to.

    Raises OSError also for what is no regular file (a pipe that nobody writes to, a device without
    end) and for more than `limit` bytes; a plain read would wait or fill the memory.
    """
    with os.fdopen(open_regular(file), "rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"more than {limit} bytes", str(file))
    return data


def make_folder(folder: Path) -> None:
    """Create a folder and those above it, where they are missing, so that no power cut takes them
    from what is written into them. Blocking. Raises OSError.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for one in missing:
        to_disk(one.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Write the file so that a crash or a power cut leaves either the old or the new content; the
    new one is on the disk when this returns. Raises OSError.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        # Without this, on most file systems, the database may come to name a file that is not yet
        # in its folder.
        to_disk(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        # Nobody knows the temporary name.
        raise OSError(error.errno, error.strerror, str(path)) from error
