"""Writes files atomically, readable by their owner only.

A power cut during a write must not destroy the settings or the secrets. Each of Lull's files has an
owner-only mode of its own, so that a copy keeps it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_NOT_FOR_FOLDERS = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
"""Errors of file systems that cannot sync a folder."""


class NotSyncedError(OSError):
    """A file has its new content, but it is not known whether that would outlast a power cut."""


def restrict_to_owner(home: Path) -> None:
    """Remove other users' permissions from existing files below the folder `home`.

    Symlinks are not changed.
    """
    if os.name != "posix":
        return
    for folder, folders, files in os.walk(home):
        for name in (*folders, *files):
            path = Path(folder, name)
            with contextlib.suppress(OSError):  # it has gone meanwhile, or is somebody else's
                mode = path.lstat().st_mode
                if mode & _OTHERS and not stat.S_ISLNK(mode):
                    path.chmod(stat.S_IMODE(mode) & ~_OTHERS)


def write_private(path: Path, data: bytes) -> None:
    """Write a file atomically, with mode 0600. If the path is a symlink, its target is replaced.
    It is on the disk when this returns.

    Raises NotSyncedError, and another OSError, with the old content in place.
    """
    target = path.resolve()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The process id shows whose leftover this is if the process is killed here.
    descriptor, name = tempfile.mkstemp(
        prefix=f".{target.name}.{os.getpid()}.", suffix=".tmp", dir=target.parent
    )
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    try:
        _folder_to_disk(target.parent)
    except OSError as error:
        raise NotSyncedError(error.errno, error.strerror, str(path)) from error


def _folder_to_disk(folder: Path) -> None:
    """Sync the list of names in a folder, where the system can, so that no power cut undoes a
    file's new content.
    """
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS:
            raise
    finally:
        os.close(handle)
