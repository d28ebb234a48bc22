"""Gives a process a temporary folder that no other user can write to.

MLX compiles kernels for the CPU into a folder with a known name below the temporary one and loads
what it finds there, so another user of the machine who makes that folder first would have their
code run in Lull. All of one user's Lulls share the folder, because compiling takes a second.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def own_temporary() -> str:
    """Return a temporary folder that only this user can write to. It must be set as TMPDIR before
    MLX is imported, because MLX runs compiled code from there.
    """
    usual = Path(tempfile.gettempdir())
    if os.name != "posix" or _is_private(usual):
        return str(usual)
    own = usual / f"lull-{os.geteuid()}"
    if not _is_private(own):
        own = Path(tempfile.mkdtemp(prefix="lull-"))
    return str(own)


def _is_private(folder: Path) -> bool:
    """Make the folder if it is missing and tell whether it is this user's and closed to others."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return own and not found.st_mode & 0o077
