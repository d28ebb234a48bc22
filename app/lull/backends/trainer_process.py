"""The trainer in a process of its own, which can be stopped, and killed, at any moment.

What it says comes over a pipe, a line at a time. The process knows nothing of us: it has its run
folder, and a guard beside it that ends it when we are gone (`paused_child`).
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
from lull.backends.paused_child import PausedChild
from lull.core.errors import TrainingError
from lull.core.training_events import Failed, Finished, Refused, RunEvent, parse_event

_LONGEST_WORDS: Final = 300


def trainer_command() -> tuple[str, ...]:
    """The child's command line; a frozen app is its own interpreter."""
    if getattr(sys, "frozen", False):
        return (sys.executable, "trainer")
    return (sys.executable, "-m", "lull.trainer.main")


class TrainerProcesses:
    """Implements core.ports.Trainer."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """`command` is completed with the run folder."""
        self._command = tuple(command or trainer_command())

    async def start(self, folder: str) -> TrainerProcess:
        ours, theirs = os.pipe()
        with os.fdopen(theirs, "wb") as output:
            try:
                child = await asyncio.to_thread(
                    PausedChild.start,
                    (*self._command, str(Path(folder).absolute())),
                    # so that `-m lull…` finds this very package, installed or not
                    cwd=Path(lull.__file__).parent.parent,
                    output=output,
                )
            except OSError as error:
                os.close(ours)
                raise TrainingError(
                    f"The trainer cannot be started: {error}", hint="Install Lull again."
                ) from error
        return TrainerProcess(child, ours)


class TrainerProcess:
    """Implements core.ports.TrainingProcess. Its events must be read: a full pipe holds it up."""

    def __init__(self, child: PausedChild, pipe: int) -> None:
        self._child = child
        self._pipe: int | None = pipe
        self._killed = False
        self._done = False
        self._words = ""
        """The last line that was no event: a library's last word, or where ours broke."""

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
        self._done = self._done or isinstance(event, Finished | Refused | Failed)
        return event

    async def _ended(self) -> None:
        """Raises TrainingError for an end that nobody asked for and it said nothing about."""
        if self._killed:
            return
        code = await asyncio.to_thread(self._child.wait)
        if not self._done:
            how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
            words = f" Its last words: {self._words}" if self._words else ""
            raise TrainingError(
                f"The trainer ended {how}.{words}",
                hint="Start it again: it goes on from its last checkpoint.",
            )
