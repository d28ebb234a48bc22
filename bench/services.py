"""Ties the processes that a benchmark starts to it, so that none is left when it is killed.

On Linux the kernel ends them; those that a worker of a benchmark starts it ends with the worker,
not with the benchmark. Elsewhere only a benchmark that is told to stop can end them, not one
that is killed. Run as a program, this file ties itself to its parent and becomes the command.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Final

_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def tied(arguments: Sequence[str]) -> list[str]:
    """Return the command that runs Python with these arguments in a process which on Linux gets
    SIGTERM when this one ends, in whatever way.
    """
    command = [sys.executable, *arguments]
    # The kernel watches the thread that starts it, and only the main one is sure to live as long.
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return command
    return [sys.executable, "-I", __file__, str(os.getpid()), *command]


def exit_on_sigterm() -> None:
    """Let SIGTERM end this process like an exit: what it started is stopped on the way out."""
    signal.signal(signal.SIGTERM, _exit)


def _exit(number: int, frame: FrameType | None) -> None:
    for one in multiprocessing.active_children():  # a pool would wait for what they work at
        one.terminate()
    sys.exit(128 + number)


def _become(parent: int, command: Sequence[str]) -> None:
    """Tie this process to its parent and run the command in its place."""
    if ctypes.CDLL(None, use_errno=True).prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() == parent:  # else it is gone already
        os.execv(command[0], list(command))


if __name__ == "__main__":
    _become(int(sys.argv[1]), sys.argv[2:])
