"""Runs Lull's small feedback reader, which classifies what users say about answers, in a child
process, only while it is needed.

The weights are converted and the child is started at the first message to read. The child exits
after some idle time, or at once when its caller is cancelled; after a crash it backs off. Text
without words in a language that the reader was trained on, such as code, is reported as unsure
without the child. A correction or wish that the child finds in a text of another language counts as
unsure, too.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from lull.backends.mlx.child import EngineChild
from lull.backends.reader.files import ReaderFiles, read_files
from lull.backends.reader.language_detection import is_foreign
from lull.backends.shipped.small_model import SHA256, SmallModel
from lull.core.backoff import Backoff
from lull.core.errors import EngineDown, EngineError, ResourceError
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import UNSURE, MessageFindings
from lull.core.feedback.outputs import Outputs, check_of, findings_from
from lull.core.feedback.readable_speech import is_readable_speech
from lull.resources import INSTALL_AGAIN, reader_dir

_log = logging.getLogger("lull.reader")

UNLOAD_AFTER_S: Final = 120.0
"""Seconds without use after which the reader process exits."""
MEMORY_MB: Final = 1024
"""Memory limit of the reader process in MB.

The lower half of the model in single precision takes a third of it.
"""
HUNG_AFTER_S: Final = 30.0
"""Seconds that the reader process may sleep over a request without using the processor."""
_EXCHANGES_PER_CALL: Final = 32
"""Most exchanges per request to the reader process."""
_NAME: Final = "The reader"


def reader_command() -> tuple[str, ...]:
    """Return the command line of the process whose small model finds feedback in users' messages.

    In a frozen (packaged) app the app itself takes the place of Python.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable, "read-feedback")
    return (sys.executable, "-m", "lull.engine.reader.main")


class SmallReader:
    """Finds feedback in users' messages with a small model in a child process; implements the
    `FeedbackReader` port.

    It belongs to one event loop; `close` it there.
    """

    light = True

    def __init__(
        self,
        model: SmallModel,
        *,
        folder: Path | None = None,
        base: str = SHA256,
        unload_after_s: float = UNLOAD_AFTER_S,
        memory_mb: int = MEMORY_MB,
        hung_after_s: float = HUNG_AFTER_S,
        command: Sequence[str] | None = None,
        backoff: Backoff | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Configure the feedback reader; `folder` replaces its shipped files.

        `base` is the hash of the model they must have been trained on. `unload_after_s` of 0 keeps
        the child running. A child that slept for `hung_after_s` over a request is killed.
        """
        self._model = model
        self._folder = folder
        self._base = base
        self._unload_after_s = unload_after_s
        self._memory_mb = memory_mb
        self._hung_after_s = hung_after_s
        self._command = tuple(command or reader_command())
        self._backoff = backoff or Backoff()
        self._monotonic_s = monotonic_s
        self._child: EngineChild | None = None
        self._one = asyncio.Lock()
        self._leaving: asyncio.Task[None] | None = None

    @cached_property
    def name(self) -> str:
        """The name of the small model that finds feedback in users' messages.

        Raises ResourceError if its files are missing or damaged.
        """
        return self.files.name()

    @cached_property
    def files(self) -> ReaderFiles:
        """The contents of the shipped files of the small model that finds feedback in users'
        messages. Raises ResourceError.
        """
        files = read_files(self._folder or reader_dir())
        if files.base != self._base:
            raise ResourceError(
                "The reader was trained on a different small model from the installed one.",
                hint=INSTALL_AGAIN,
            )
        return files

    def check(self) -> str:
        """Check that all files needed to find feedback in messages exist, and return the name of
        the small model that does it.

        Blocking.

        Raises ResourceError.
        """
        self._model.source()
        return self.name

    @property
    def pid(self) -> int | None:
        """Process id of the model's child process; None if none is running."""
        return self._child.pid if self._child is not None and self._child.alive else None

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        """Classify what each user message says about the answer before it.

        Raises LullError if the reader cannot run now. Cancelling kills its process.
        """
        stated = self.files.stated if exchanges else 0.0
        found: list[MessageFindings | None] = []
        for said, exchange in zip(await self._said(exchanges), exchanges, strict=True):
            findings = UNSURE if said is None else findings_from(said, exchange, stated=stated)
            if (findings.corrects or findings.lasts) and await asyncio.to_thread(
                is_foreign, exchange.said
            ):
                findings = UNSURE
            found.append(findings)
        return found

    async def check_classes(self, exchanges: Sequence[Exchange]) -> list[str]:
        """Return, for each user message that states a rule for answers, the class of automatic
        check that can test whether an answer keeps the rule.

        The class is "" if no check can. Raises LullError.
        """
        return ["" if one is None else check_of(one) for one in await self._said(exchanges)]

    async def close(self) -> None:
        """Stop the process that finds feedback in users' messages, even during a request."""
        self._stay()
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    async def _said(self, exchanges: Sequence[Exchange]) -> list[Outputs | None]:
        """Return the reader process's outputs; None for text that is not readable speech."""
        found: list[Outputs | None] = [None] * len(exchanges)
        asked = [at for at, one in enumerate(exchanges) if is_readable_speech(one.said)]
        if not asked:
            return found
        async with self._one:
            self._stay()
            try:
                for start in range(0, len(asked), _EXCHANGES_PER_CALL):
                    some = asked[start : start + _EXCHANGES_PER_CALL]
                    said = await self._asked([exchanges[at] for at in some])
                    for at, one in zip(some, said, strict=True):
                        found[at] = one
            except asyncio.CancelledError:
                self._end_now()
                raise
            finally:
                self._leave_later()
        return found

    async def _asked(self, exchanges: Sequence[Exchange]) -> list[Outputs]:
        child = await self._running()
        try:
            result = await child.call("read", exchanges=[asdict(one) for one in exchanges])
        except EngineDown:
            self._fell()
            raise
        return [_outputs(said) for said in result["findings"]]

    async def _running(self) -> EngineChild:
        """Return a reader process with its model loaded, started if necessary. Raises LullError."""
        if self._child is not None and self._child.is_loaded:
            return self._child
        self._wait_after_a_fall()
        files = await asyncio.to_thread(lambda: self.files)
        base = await self._model.folder()
        words = ("--base", str(base), "--reader", str(files.folder))
        command = (*self._command, *words, "--memory-mb", str(self._memory_mb))
        self._child = await EngineChild.start(command, name=_NAME, hung_after_s=self._hung_after_s)
        try:
            await self._child.wait_until_loaded()
        except EngineDown:
            self._fell()
            raise
        except EngineError:
            await self.close()
            raise
        return self._child

    def _wait_after_a_fall(self) -> None:
        if not self._backoff.falls_s:
            return
        delay_s, since_s = self._backoff.delay_s, self._monotonic_s() - self._backoff.falls_s[-1]
        if delay_s is None and since_s < self._backoff.within_s:
            raise EngineDown(
                f"{_NAME} stopped {len(self._backoff.falls_s)} times in a short time.",
                hint="It is tried again later; `lull logs` says how it ended.",
            )
        if delay_s is not None and since_s < delay_s:
            raise EngineDown(f"{_NAME} stopped unexpectedly.", hint="Lull tries again in a moment.")

    def _fell(self) -> None:
        how = self._child.how_it_ended if self._child else "it never ran"
        _log.warning("the reader stopped (%s)", how)
        self._backoff = self._backoff.with_crash(self._monotonic_s())
        self._child = None

    def _end_now(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def _leave_later(self) -> None:
        if self._unload_after_s and self._child is not None:
            self._leaving = asyncio.create_task(self._leave_unused(), name="unload the reader")

    async def _leave_unused(self) -> None:
        await asyncio.sleep(self._unload_after_s)
        self._leaving = None  # from here on it must not be cancelled
        child, self._child = self._child, None
        if child is not None:
            _log.info("the reader was unused for %g s: unloaded", self._unload_after_s)
            await child.stop()

    def _stay(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None


def _outputs(said: dict[str, Any]) -> Outputs:
    return Outputs(labels=said["labels"], classes=said["classes"], stated=said["stated"])
