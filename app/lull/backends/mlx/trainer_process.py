"""Runs LoRA training in a process of its own that can be suspended or killed at any moment.

It reports over a pipe, one line per event. A guard process kills it when this process ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import lull
from lull.backends.mlx.paused_child import PausedChild
from lull.config.dies_first import die_first
from lull.config.own_temporary import own_temporary
from lull.core.errors import TrainingError
from lull.core.training.events import RunEvent, RunFailed, RunFinished, RunRefused, parse_event

_LONGEST_WORDS: Final = 300
"""Most characters kept of the trainer's last output line that was not an event."""


def trainer_command() -> tuple[str, ...]:
    """Return the command line of the process that trains LoRA adapters.

    In a frozen (packaged) app the app itself takes the place of Python.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable, "trainer")
    return (sys.executable, "-m", "lull.trainer.main")


class TrainerProcesses:
    """Starts LoRA training runs as child processes; implements the `Trainer` port."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """Create the starter; `command` is the trainer's command line, without the run folder."""
        self._command = tuple(command or trainer_command())

    async def start(self, folder: str) -> TrainerProcess:
        ours, theirs = os.pipe()
        with os.fdopen(theirs, "wb") as output:
            try:
                child = await asyncio.to_thread(
                    PausedChild.start,
                    (*self._command, str(Path(folder).absolute())),
                    # makes `-m lull…` find this package, installed or not
                    cwd=Path(lull.__file__).parent.parent,
                    environ={**os.environ, "TMPDIR": own_temporary()},
                    output=output,
                )
            except asyncio.CancelledError:
                os.close(ours)
                raise
            except OSError as error:
                os.close(ours)
                raise TrainingError(
                    f"The trainer cannot be started: “{error}”.", hint="Install Lull again."
                ) from error
        die_first(child.pid)
        return TrainerProcess(child, ours)


class TrainerProcess:
    """One running LoRA training process; implements the `TrainingProcess` port.

    Its events must be read: a full pipe blocks the process.
    """

    def __init__(self, child: PausedChild, pipe: int) -> None:
        self._child = child
        self._pipe: int | None = pipe
        self._killed = False
        self._done = False
        self._words = ""
        """The last line that was no event, such as a library's error message."""

    async def events(self) -> AsyncIterator[RunEvent]:
        pipe, self._pipe = self._pipe, None
        if pipe is None:
            return
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(pipe, "rb")
        )
        try:
            while line := await reader.readline():
                event = self._read(line)
                if event is not None:
                    yield event
        finally:
            transport.close()
        await self._ended()

    @property
    def suspended(self) -> bool:
        return self._child.suspended

    async def suspend(self) -> None:
        self._child.suspend()

    async def resume(self) -> None:
        self._child.resume()

    async def kill(self) -> None:
        self._killed = True
        await asyncio.to_thread(self._child.kill)
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _read(self, line: bytes) -> RunEvent | None:
        text = line.decode("utf-8", "replace").strip()
        event = parse_event(text)
        if event is None:
            self._words = text[:_LONGEST_WORDS] or self._words
        self._done = self._done or isinstance(event, RunFinished | RunRefused | RunFailed)
        return event

    async def _ended(self) -> None:
        """Wait until the process ends. Raises TrainingError if it ended unasked and without a final
        event.
        """
        if self._killed:
            return
        code = await asyncio.to_thread(self._child.wait)
        if not self._done:
            how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
            words = f" Its last words: “{self._words}”" if self._words else ""
            raise TrainingError(
                f"The trainer ended {how}.{words}",
                hint="It will restart and continue from its last checkpoint.",
            )
