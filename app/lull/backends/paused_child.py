"""A process of ours that can be stopped within a millisecond, and goes on where it stood.

A stopped process keeps its memory and hears nothing, not even the end of its own standard input. So
a guard stands beside it, one small shell, that waits for this process to end, however it ends, and
then kills the group. POSIX only. When to stop what is `loops/watch_idle.py`'s.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import psutil

_GUARD = 'trap "" HUP INT TERM; read -r _ || kill -s KILL -- "-$1"'
"""A line is read when all is over; the end of the file means that nobody is left to write one."""


class PausedChild:
    """A running process with everything that it starts. Use `PausedChild.start`.

    Every method may be called at any time, in any order; what has ended stays ended.
    """

    def __init__(self, process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._guard: subprocess.Popen[bytes] | None = guard

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
        output: IO[bytes] | int = subprocess.DEVNULL,
    ) -> PausedChild:
        """Its standard input is a pipe that stays empty and ends with us. Raises OSError."""
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environ) if environ is not None else None,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            # A group of its own, so that what it starts is stopped with it, and so that Ctrl-C in
            # a terminal is for the service alone.
            start_new_session=True,
        )
        try:
            return cls(process, _guard_of(process.pid))
        except OSError:
            _signal(process, signal.SIGKILL)
            _reap(process)
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def suspended(self) -> bool:
        """Whether the system has stopped it; false a moment longer than `suspend` takes."""
        if not self.alive:
            return False
        try:
            return bool(psutil.Process(self.pid).status() == psutil.STATUS_STOPPED)
        except psutil.Error:
            return False

    def suspend(self) -> None:
        """Stop it now; it uses no processor from here on and keeps its memory."""
        _signal(self._process, signal.SIGSTOP)

    def resume(self) -> None:
        _signal(self._process, signal.SIGCONT)

    def kill(self) -> None:
        """End it, stopped or not, and free its memory. Waits for the system to have done so."""
        _signal(self._process, signal.SIGKILL)
        _reap(self._process)
        self._dismiss()

    def wait(self, timeout_s: float | None = None) -> int:
        """Until it ends by itself: its exit code. Raises TimeoutError."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"process {self.pid} still runs after {timeout_s} s") from error
        _reap(self._process)
        self._dismiss()
        return code

    def _dismiss(self) -> None:
        """The guard goes without killing anybody: the number of the group may be another's soon."""
        guard, self._guard = self._guard, None
        if guard is not None:
            with contextlib.suppress(BrokenPipeError):
                guard.communicate(b"\n")


def _guard_of(group: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "guard", str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """To the whole group. Only one that has not been waited for has its number for sure."""
    if process.poll() is None:
        # A group of none but the dead: not found on Linux, not permitted on a Mac.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _reap(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
