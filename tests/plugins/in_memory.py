"""Pytest plugin: puts the tests' folders on a file system in memory, where there is room for them.

Thousands of tests make a database each, and most of their time on a disk goes into waiting for it.
`make test` and `make full` use it; `make soak`, which kills most, works on the disk, as Lull does.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import psutil
import pytest

MEMORY: Final = Path("/dev/shm")
"""Where Linux keeps files in memory; a Mac has no such place."""
ROOM_BYTES: Final = 4 * 2**30
"""Several times what a run leaves at most; less free room than this, and the disk is used."""
_ROOT: Final = "PYTEST_DEBUG_TEMPROOT"
"""Pytest's own name for where its folders go."""


_PREFIX: Final = "lull-tests-"


def pytest_configure(config: pytest.Config) -> None:
    """Choose the place before pytest does, unless whoever runs the tests has chosen one."""
    is_worker = hasattr(config, "workerinput")  # it is told where its folders are
    if is_worker or config.option.basetemp or not wanted(os.environ, MEMORY):
        return
    free_orphans(MEMORY)
    root = MEMORY / f"{_PREFIX}{os.getpid()}"
    root.mkdir(mode=0o700)
    os.environ[_ROOT] = str(root)
    config.add_cleanup(lambda: _free(root))


def wanted(environ: Mapping[str, str], memory: Path) -> bool:
    """Whether nobody chose a place for the tests' folders and `memory` has room for them."""
    if _ROOT in environ or "TMPDIR" in environ or not os.access(memory, os.W_OK | os.X_OK):
        return False
    free = min(shutil.disk_usage(memory).free, psutil.virtual_memory().available)
    return free >= ROOM_BYTES


def free_orphans(memory: Path) -> None:
    """Remove what runs that were killed have left in memory."""
    for root in memory.glob(f"{_PREFIX}*"):
        number = root.name.removeprefix(_PREFIX)
        if number.isdecimal() and not psutil.pid_exists(int(number)):
            shutil.rmtree(root, ignore_errors=True)


def _free(root: Path) -> None:
    """Give the memory back: what failed tests left is moved to the disk."""
    del os.environ[_ROOT]
    if any(one.is_file() for one in root.rglob("*")):
        shutil.move(root, tempfile.mkdtemp(prefix=_PREFIX))
    else:
        shutil.rmtree(root, ignore_errors=True)
