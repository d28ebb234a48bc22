"""Makes a folder once in a test run, for all workers of the run; tests copy it."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the run's folder of this name. Whoever asks first has `make` fill it, and the others
    wait; a folder whose making failed is made again by who asks next.
    """
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # the run's own; below it each worker has one
    folder, half = root / name, root / f"{name}.half"
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.rmtree(half, ignore_errors=True)
            make(half)
            half.rename(folder)
    return folder
