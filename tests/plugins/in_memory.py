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
from stat import S_ISFIFO, S_ISSOCK
from typing import Final

import psutil
import pytest

MEMORY: Final = Path("/dev/shm")
"""Where Linux keeps files in memory; a Mac has no such place."""
ROOM_BYTES: Final = 4 * 2**30
"""Several times what a run leaves at most; less free room than this, and the disk is used."""
PREFIX: Final = "lull-"
"""Short, because sockets are in there, and their paths have at most 107 bytes."""


@pytest.hookimpl(tryfirst=True)  # before pytest's own choice
def pytest_configure(config: pytest.Config) -> None:
    """Choose the place, unless whoever runs the tests has chosen one."""
    is_worker = hasattr(config, "workerinput")  # it is told where its folders are
    if is_worker or config.option.basetemp or not wanted(os.environ, MEMORY):
        return
    free_orphans(MEMORY)
    config.option.basetemp = str(MEMORY / f"{PREFIX}{os.getpid()}")
    config.pluginmanager.register(_InMemory(Path(config.option.basetemp)))


class _InMemory:
    """Gives the memory back when the run ends."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._passed = False

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self._passed = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)

    def pytest_unconfigure(self) -> None:
        """Remove what passing tests shared; move what a failing run left to the disk."""
        if self._passed:
            shutil.rmtree(self._root, ignore_errors=True)
        elif self._root.exists():
            keep(self._root, Path(tempfile.mkdtemp(prefix=PREFIX)))


def keep(root: Path, place: Path) -> None:
    """Move a folder to the disk, without sockets and pipes, which nothing can copy."""

    def special(folder: str, names: list[str]) -> set[str]:
        modes = {name: (Path(folder) / name).lstat().st_mode for name in names}
        return {name for name, mode in modes.items() if S_ISSOCK(mode) or S_ISFIFO(mode)}

    shutil.copytree(root, place / root.name, symlinks=True, ignore=special)
    shutil.rmtree(root, ignore_errors=True)


def wanted(environ: Mapping[str, str], memory: Path) -> bool:
    """Whether nobody chose a place for the tests' folders and `memory` has room for them."""
    chosen = environ.keys() & {"TMPDIR", "PYTEST_DEBUG_TEMPROOT"}
    if chosen or not os.access(memory, os.W_OK | os.X_OK):
        return False
    free = min(shutil.disk_usage(memory).free, psutil.virtual_memory().available)
    return free >= ROOM_BYTES


def free_orphans(memory: Path) -> None:
    """Remove what runs that were killed have left in memory."""
    for root in memory.glob(f"{PREFIX}*"):
        number, _, _ = root.name.removeprefix(PREFIX).partition("-")
        if number.isdecimal() and not psutil.pid_exists(int(number)):
            shutil.rmtree(root, ignore_errors=True)
