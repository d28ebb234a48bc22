"""Lets a Python process run out of memory.

Its memory is limited to the present size, and what is free within that is used up, because the
limit alone may leave room for all that the process has to do.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

STARVES = """
import resource, signal, sys
kept = []
def starve(*_):
    if (core := sys.modules.get("mlx.core")) is not None:
        core.clear_cache()
    with open("/proc/self/statm") as statm:
        has = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has, has))
    size = 1 << 20
    while size >= 4096:
        try:
            kept.append(bytearray(size))
        except MemoryError:
            size //= 2
signal.signal(signal.SIGUSR1, starve)
"""


def may_starve(folder: Path) -> dict[str, str]:
    """Environment in which each Python interpreter installs the handler that `starve` triggers."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(STARVES)
    before = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(folder), before] if before else [str(folder)])}


def starve(pid: int) -> None:
    """Let a process run out of memory before it handles the next request."""
    os.kill(pid, signal.SIGUSR1)
