"""Starts the child process that reads long request bodies, sends it requests, and stops it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

import lull
from lull.core.errors import LongReaderDown, RequestError
from lull.service.proxy.long.frames import LENGTHS, BodyFrame, head
from lull.service.proxy.reading.body import joined

ANSWERS_WITHIN_S: Final = 120.0
"""Timeout in seconds of the child process's answers, after which it is killed."""
_SLICE_BYTES: Final = 1 << 18
"""Bytes written or read at once."""
_GRACE_S: Final = 2.0
"""Time the child has to stop by itself before it is killed."""
Answer = tuple[BodyFrame, bytes]
log = logging.getLogger(__name__)


class WatchProcess(Protocol):
    """Interface of a function that waits until a process hangs, and then returns a description of
    how. Its argument `asked` tells whether the process owes an answer.
    """

    def __call__(self, pid: int, *, asked: Callable[[], bool]) -> Awaitable[str]: ...


def long_command() -> tuple[str, ...]:
    """Return the command line of the child process that reads long bodies; a frozen app runs
    itself.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable, "read-long")
    return (sys.executable, "-m", "lull.service.proxy.long.child")


class LongReader:
    """The service's connection to one running child process that reads long request bodies."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        watch: WatchProcess,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._sending = asyncio.Lock()
        self._sends: set[asyncio.Task[None]] = set()
        self._waiting: dict[str, asyncio.Queue[Answer | None]] = {}
        self._listening = asyncio.create_task(self._listen())
        self._watching = asyncio.create_task(self._end_if_it_hangs(watch))

    @classmethod
    async def start(cls, command: Sequence[str], watch: WatchProcess) -> LongReader:
        """Start the child process that reads long bodies; kill it when the function `watch` reports
        that it hangs. Raises LongReaderDown.
        """
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as unless_started:
            unless_started.callback(ours.close)
            try:
                process = await asyncio.create_subprocess_exec(
                    *command,
                    "--socket",
                    str(theirs.fileno()),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    # so that `-m lull…` finds this package, installed or not
                    cwd=Path(lull.__file__).parent.parent,
                )
            except OSError as error:
                raise LongReaderDown(f"Its reader cannot start: {error.strerror}.") from error
            unless_started.pop_all()
        return cls(process, *await asyncio.open_connection(sock=ours), watch)

    @property
    def pid(self) -> int:
        """Process id of the child process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the child process can still be talked to."""
        return not self._listening.done()

    async def ask(
        self, op: str, name: str, fields: BodyFrame | None = None, data: bytes = b""
    ) -> Answer:
        """Send a request about a body, known as `name`, to the child process that reads long
        bodies; return the child's first answer.

        Raises the RequestError that the child reports, and LongReaderDown if the child fails.
        """
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                async for answer in self.answers(op, name, fields, data):
                    return answer
        except TimeoutError:
            self.kill()
        raise reader_stopped()

    async def answers(
        self, op: str, name: str, fields: BodyFrame | None = None, data: bytes = b""
    ) -> AsyncIterator[Answer]:
        """Send a request about a body, known as `name`, to the child process that reads long
        bodies; yield the child's answers as they come. The caller must stop after the last one.
        """
        if not self.alive:
            raise reader_stopped()
        queue: asyncio.Queue[Answer | None] = asyncio.Queue()
        # One body may be asked for twice at once: to be answered, and to be stored.
        to = f"{name}:{op}"
        self._waiting[to] = queue
        try:
            self.send_frame(op, name, fields, data)
            del data
            while True:
                answer = await queue.get()
                if answer is None:
                    raise reader_stopped()
                if "refused" in answer[0]:
                    status, detail = answer[0]["refused"]
                    raise RequestError(str(detail), status=int(status))
                if "fault" in answer[0]:
                    raise LongReaderDown(f"Its reader failed: {answer[0]['fault']}.")
                yield answer
        finally:
            if self._waiting.get(to) is queue:
                del self._waiting[to]

    def send_frame(
        self, op: str, name: str, fields: BodyFrame | None = None, data: bytes = b""
    ) -> None:
        """Send a frame (one message) about a body, known as `name`, to the child process that reads
        long bodies. It is sent completely even if the caller is cancelled meanwhile.
        """
        task = asyncio.create_task(self._send({"op": op, "id": name, **(fields or {})}, data))
        self._sends.add(task)
        task.add_done_callback(self._sends.discard)

    async def _send(self, frame: BodyFrame, data: bytes) -> None:
        async with self._sending:
            with contextlib.suppress(ConnectionError):
                self._writer.write(head(frame, data))
                view = memoryview(data)
                for at in range(0, len(view), _SLICE_BYTES):
                    self._writer.write(view[at : at + _SLICE_BYTES])
                    await self._writer.drain()
                await self._writer.drain()

    async def stop(self) -> None:
        """Close the socket, at which the child process that reads long bodies exits; kill it if it
        has not exited after a grace period.
        """
        self._writer.close()
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()
        await asyncio.gather(self._listening, return_exceptions=True)

    def kill(self) -> None:
        """Kill the child process that reads long bodies together with its fork, which prepares a
        request for the database.
        """
        # A Mac says so of a group in which nobody is left to be killed.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _end_if_it_hangs(self, watch: WatchProcess) -> None:
        why = await watch(self.pid, asked=lambda: bool(self._waiting))
        log.warning("the reader of long requests is ended: %s", why)
        self.kill()

    async def _listen(self) -> None:
        try:
            while True:
                lengths = await self._reader.readexactly(LENGTHS.size)
                frame_bytes, data_bytes = LENGTHS.unpack(lengths)
                frame = json.loads(await self._reader.readexactly(frame_bytes))
                data = await self._data(data_bytes)
                if (queue := self._waiting.get(frame["id"])) is not None:
                    queue.put_nowait((frame, data))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._watching.cancel()
            self._writer.close()
            for queue in self._waiting.values():
                queue.put_nowait(None)

    async def _data(self, size: int) -> bytes:
        parts, whole = list[bytes](), size
        while size:
            part = await self._reader.read(min(size, _SLICE_BYTES))
            if not part:
                raise asyncio.IncompleteReadError(b"", size)
            parts.append(part)
            size -= len(part)
        return await joined(parts, whole)


def reader_stopped() -> LongReaderDown:
    """Return the error for a long request whose reading process has ended."""
    return LongReaderDown("The reader of long requests stopped.", hint="It is started again.")
