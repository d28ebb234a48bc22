"""A Python process to which nothing more is given, and in which what was free is used up: a limit
at its present size alone may leave room for all that it has to do."""

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
    """The environment in which each interpreter starts so that `starve` reaches it."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(STARVES)
    before = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(folder), before] if before else [str(folder)])}


def starve(pid: int) -> None:
    """Before it looks at whatever it is asked behind this."""
    os.kill(pid, signal.SIGUSR1)
