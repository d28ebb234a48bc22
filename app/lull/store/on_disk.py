"""Makes files and folders survive a power cut."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

_NOT_FOR_FOLDERS: Final = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}


def to_disk(path: Path) -> None:
    """Make sure that a file's content, or the list of names in a folder, is on the disk, so that a
    power cut does not undo it (fsync).

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
