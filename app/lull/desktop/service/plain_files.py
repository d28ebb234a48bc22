"""Opens files of the log folder, in whose place a pipe or a device could hold the window up."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def open_plain(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a regular file and return its descriptor; `flags` are those of `os.open`, and a file
    that they create is readable by its owner only.

    Raises OSError also for a pipe or a device in its place, which has no end or keeps who opens it
    waiting.
    """
    more = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | more, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file")
    return descriptor
