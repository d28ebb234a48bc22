"""Runs the inference engine's process once: starts it, exchanges message frames with it, and
notices when it ends.

Holds only state that is lost when the process dies; restarting it and loading adapters is up to the
caller.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lull
from lull.backends.system.hung import wait_until_hung
from lull.contract.engine_frames import (
    Frame,
    chunk_from_wire,
    encode,
    error_from_wire,
    read_frame,
)
from lull.core.errors import EngineDown, LullError
from lull.core.models.engine import Chunk

_log = logging.getLogger("lull.engine")
_engine_log = logging.getLogger("lull.engine.child")

ChildReply = Chunk | Frame | LullError
"""What the engine process replies: a chunk of an answer, the result of a call, or an error."""

_GRACE_S = 2.0
"""Seconds a process gets to exit before it is killed."""
_ENGINE = "The built-in engine"
_COME_AGAIN = "It is being restarted; try again in a moment."


class EngineChild:
    """One running process of the inference engine. Call `start`, then `wait_until_loaded`,
    then `open` or `call`.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        name: str = _ENGINE,
        *,
        hung_after_s: float = math.inf,
    ) -> None:
        self._process = process
        self._name = name
        self._hung_after_s = hung_after_s
        self._reader = reader
        self._writer = writer
        self._replies: dict[str, asyncio.Queue[ChildReply]] = {}
        self._count = 0
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(lambda ready: ready.cancelled() or ready.exception())
        self._killed_why = ""
        self._logging = asyncio.create_task(self._forward_log())
        self._listening = asyncio.create_task(self._listen())
        self._watching = asyncio.create_task(self._watch())

    @classmethod
    async def start(
        cls, command: Sequence[str], *, name: str = _ENGINE, hung_after_s: float = math.inf
    ) -> EngineChild:
        """Start the inference engine process: runs `command` with the file descriptor of the socket
        for requests and replies.

        `name` appears in messages to users. The process counts as hung and is killed once it has
        slept, using no CPU, for `hung_after_s` seconds while loading or handling a request.
        """
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as unless_started:
            unless_started.callback(ours.close)
            process = await asyncio.create_subprocess_exec(
                *command,
                "--socket",
                str(theirs.fileno()),
                stdin=asyncio.subprocess.PIPE,  # held open: closing it tells the engine to exit
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                # Ctrl-C in a terminal must reach only the service, which stops its engine itself.
                start_new_session=True,
                # makes `-m lull…` find this package, installed or not
                cwd=Path(lull.__file__).parent.parent,
            )
            unless_started.pop_all()
        streams = await asyncio.open_connection(sock=ours)
        return cls(process, *streams, name, hung_after_s=hung_after_s)

    @property
    def pid(self) -> int:
        """Process id of the engine."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process can still be talked to."""
        return not self._listening.done()

    @property
    def is_loaded(self) -> bool:
        """Whether the process is alive and has loaded the model."""
        return self.alive and self._ready.done() and self._ready.exception() is None

    async def wait_until_loaded(self) -> None:
        """Wait until the engine process has loaded its model.

        Raises the engine's error, or EngineDown.
        """
        await asyncio.shield(self._ready)

    async def wait_until_ended(self) -> None:
        """Wait until the inference engine's process has ended, for any reason."""
        await asyncio.shield(self._listening)

    async def call(self, op: str, **arguments: Any) -> Frame:
        """Send one request to the inference engine's process and return its result.

        Raises what the engine raises.
        """
        with self.open(op, **arguments) as replies:
            reply = await replies.get()
        if isinstance(reply, LullError):
            raise reply
        assert isinstance(reply, dict), "the engine answers a call with a result"
        return reply

    @contextlib.contextmanager
    def open(self, op: str, **arguments: Any) -> Iterator[asyncio.Queue[ChildReply]]:
        """Context manager that sends a request to the engine process and yields its queue of
        replies.

        Leaving early cancels the request. The queue is unbounded: frames are always read, so a slow
        reader blocks nobody else, and an answer is never longer than the model's window.
        """
        if not self.alive:
            raise self._down()
        self._count += 1
        request_id = str(self._count)
        replies: asyncio.Queue[ChildReply] = asyncio.Queue()
        self._replies[request_id] = replies
        try:
            self._send({"op": op, "id": request_id, **arguments})
            yield replies
        finally:
            if self._replies.pop(request_id, None) is not None and self.alive:
                self._send({"op": "cancel", "id": request_id})

    async def stop(self) -> None:
        """Ask the inference engine's process to exit; kill it after a grace period."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            self.kill()
        await self._listening

    def kill(self) -> None:
        """End the process at once; without effect if it has ended."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def _send(self, frame: Frame) -> None:
        if not self._writer.is_closing():
            self._writer.write(encode(frame))

    async def _watch(self) -> None:
        """Kill the process if it hangs, because it keeps its socket open and never answers."""
        why = await wait_until_hung(
            self.pid,
            asked=lambda: bool(self._replies) or not self._ready.done(),
            asleep_s=self._hung_after_s,
        )
        _log.warning("%s is ended: %s", self._name, why)
        self._killed_why = why
        self.kill()

    async def _listen(self) -> None:
        try:
            while (frame := await read_frame(self._reader)) is not None:
                self._route(frame)
        finally:
            await self._finish()

    def _route(self, frame: Frame) -> None:
        match frame["op"]:
            case "ready":
                self._ready.set_result(None)
            case "failed":
                self._ready.set_exception(error_from_wire(frame["error"]))
            case "chunk":
                chunk = chunk_from_wire(frame["chunk"])
                self._reply(frame["id"], chunk, last=chunk.finish is not None)
            case "result":
                self._reply(frame["id"], frame["result"], last=True)
            case "error":
                self._reply(frame["id"], error_from_wire(frame["error"]), last=True)

    def _reply(self, request_id: str, reply: ChildReply, *, last: bool) -> None:
        replies = self._replies.get(request_id)
        if replies is not None:  # None if the client has left
            replies.put_nowait(reply)
            if last:
                del self._replies[request_id]

    async def _finish(self) -> None:
        """Clean up after the socket closed: the process has died or soon will."""
        self._watching.cancel()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._writer.close()
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()
        await self._logging
        down = self._down()
        if not self._ready.done():
            self._ready.set_exception(down)
        for replies in self._replies.values():
            replies.put_nowait(down)
        self._replies.clear()

    def _down(self) -> EngineDown:
        return EngineDown(
            f"{self._name} stopped unexpectedly ({self.how_it_ended}).", hint=_COME_AGAIN
        )

    @property
    def how_it_ended(self) -> str:
        """Return in words why the process ended, for an error message."""
        code = self._process.returncode
        if self._killed_why:
            return self._killed_why
        if code is None:
            return "it closed its socket"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    async def _forward_log(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while line := await _line(stderr):
            level, message = _parsed(line)
            _engine_log.log(level, "%s", message)


async def _line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        return error.partial
    except asyncio.LimitOverrunError as error:
        return await stream.readexactly(error.consumed)


def _parsed(line: bytes) -> tuple[int, str]:
    """Parse a log line; text from libraries (such as Metal's) is not JSON."""
    text = line.decode("utf-8", "replace").strip()
    try:
        record = json.loads(text)
        level = logging.getLevelNamesMapping()[record["level"]]
        return level, str(record["message"])
    except (ValueError, KeyError, TypeError):
        return logging.INFO, text
