"""Runs a child process, such as LoRA training, that can be suspended within a millisecond and
resumed.

A suspended process keeps its memory but cannot react, not even to the end of its standard input. So
a small shell guards it: it waits until this process ends, for any reason, and then kills the
child's process group. POSIX only.
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
"""Shell script of the guard: reading a line means a normal end; end of file means that the parent
died."""


class PausedChild:
    """A running process with its descendants that can be suspended and resumed.

    Use `PausedChild.start`.

    Methods may be called at any time and in any order; after the process ended they have no effect.
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
        """Start a command as a child process that can be suspended.

        Its standard input is an empty pipe that closes when this process ends. Raises OSError.
        """
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environ) if environ is not None else None,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            # Its own group, so that its descendants are suspended with it and Ctrl-C in a terminal
            # reaches only the service.
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
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process has not ended yet; a suspended one counts as alive."""
        return self._process.poll() is None

    @property
    def suspended(self) -> bool:
        """Whether the process has actually stopped, which happens shortly after `suspend`."""
        if not self.alive:
            return False
        try:
            return bool(psutil.Process(self.pid).status() == psutil.STATUS_STOPPED)
        except psutil.Error:
            return False

    def suspend(self) -> None:
        """Suspend the process now; it uses no CPU and keeps its memory."""
        _signal(self._process, signal.SIGSTOP)

    def resume(self) -> None:
        """Let the suspended process and its descendants run on."""
        _signal(self._process, signal.SIGCONT)

    def kill(self) -> None:
        """Kill the process, suspended or not, and wait until its memory is freed."""
        _signal(self._process, signal.SIGKILL)
        _reap(self._process)
        self._dismiss()

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until the process ends and return its exit code. Raises TimeoutError."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"process {self.pid} still runs after {timeout_s} s") from error
        _reap(self._process)
        self._dismiss()
        return code

    def _dismiss(self) -> None:
        """End the guard without a kill, because the process group's number may be reused."""
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
    """Signal the whole process group unless the process was reaped, since its id may then be
    reused.
    """
    if process.poll() is None:
        # A group with only dead processes: not found on Linux, not permitted on macOS.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _reap(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
