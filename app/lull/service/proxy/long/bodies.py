"""Starts the child process that reads long request bodies, and talks to it.

Decides which bodies are long and when the child starts and stops. One body is read at a time, so
that many need no more memory than one. While a request's answer streams, the child makes the record
of the request that the database stores. If the child fails, the caller gets an error and goes on
without it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol, TypeVar

from lull.core.chat.messages import (
    ChatRequest,
    Message,
    MessagePart,
    Outline,
    PartKind,
    Role,
    Sampling,
)
from lull.core.errors import LullError, RequestError
from lull.core.skills.prompt_block import Injection
from lull.service.process.free_memory import give_back_freed_memory
from lull.service.proxy.long.frames import BodyFrame
from lull.service.proxy.long.reader import LongReader, WatchProcess, long_command
from lull.service.proxy.reading.unpacking import LONG_BYTES, TOO_LONG, decompress_zstd
from lull.store.chat.recording import Prepared

log = logging.getLogger(__name__)
T = TypeVar("T")

MANY_OBJECTS: Final = 1_000
"""Number of JSON objects above which even a shorter body counts as long.

Many small messages are slow to parse.
"""
LEAVES_AFTER_S: Final = 600.0
"""Seconds without use after which the child process stops.

A client with long requests soon sends another.
"""
GROWN_BYTES: Final = 4_000_000
"""Body size in bytes after which the child process holds so much memory that it soon stops."""
GROWN_LEAVES_AFTER_S: Final = 5.0
"""Seconds without use after which the child process stops if it has read a body larger than
`GROWN_BYTES`.
"""
FREED_AFTER_S: Final = 5.0
"""Seconds after a long request until the memory that it took here is given back to the system."""

MOST_RECORDED_BYTES: Final = 100_000_000
"""Most bytes of requests, unpacked, whose record is being made at once; a request beyond them is
stored without its messages, which come with the conversation's next request again.
"""
LINK_WEIGHT: Final = 12
"""How often the links of a request count among those bytes: many small messages take many times
their length of memory, half a kilobyte each.
"""
PACKED_WEIGHT: Final = 4
"""How often the bytes of a compressed request count among those bytes: a few kilobytes that anybody
can send a hundred times make as many bytes, and minutes of work.
"""


def is_long(body: bytes, encoding: str) -> bool:
    """Whether a request's body is so long that parsing it in this process would delay other
    requests.
    """
    if encoding.lower() != "identity":
        try:
            body = decompress_zstd(body, encoding, limit=LONG_BYTES)
        except RequestError as error:
            return error.status == TOO_LONG
    return len(body) > LONG_BYTES or body.count(b"{") > MANY_OBJECTS


class LongBody:
    """One long request body, which the child process holds until it is stored, or until the `with`
    block of `LongBodies.reading` ends.
    """

    def __init__(
        self,
        child: LongReader,
        name: str,
        outline: BodyFrame,
        links: bytes,
        bodies: LongBodies,
        *,
        packed: bool,
    ) -> None:
        self._child = child
        self._name = name
        self._links = links
        weight = int(outline["size_bytes"]) + LINK_WEIGHT * len(links)
        self._weight = weight * PACKED_WEIGHT if packed else weight
        self._tools = str(outline["tools"])
        self._bodies = bodies
        self.chat = _chat(outline)
        self.injectable = bool(outline["injectable"])
        self.idle = bool(outline["idle"])
        self.kept = False

    async def injected(self, injection: Injection) -> bytes:
        """Return the request's body with skills' texts inserted. Raises ValueError if it has no
        place for them.
        """
        fields = {
            "system": injection.system,
            "model_system": injection.model_system,
            "suffixes": injection.suffixes,
            "prefixes": injection.prefixes,
        }
        try:
            _, data = await self._child.ask("inject", self._name, fields)
        except RequestError as error:
            raise ValueError(error.detail) from None
        return data

    async def plain(self) -> bytes:
        """Return the long request's body uncompressed."""
        _, data = await self._child.ask("plain", self._name)
        return data

    def prepare_record(self) -> asyncio.Future[Prepared]:
        """Have the child process make the redacted record of the request that the database stores;
        return it as a future. If that fails or too many long requests are being recorded, the
        record has no messages.
        """
        if not self._bodies.begin_record(self._weight):
            self._links = b""
            nothing = asyncio.get_running_loop().create_future()
            nothing.set_result(Prepared())
            return nothing
        self.kept = True
        record = self._bodies.start_task(self._prepared())
        record.add_done_callback(lambda _: self._bodies.end_record(self._weight))
        return record

    async def _prepared(self) -> Prepared:
        try:
            wanted = await asyncio.to_thread(self._bodies.stored.missing, self._links.decode())
            tools = bool(self._tools) and not await asyncio.to_thread(
                self._bodies.stored.has_tools, self._tools
            )
        except LullError as error:
            log.warning("a long request is stored without its messages: %s", error)
            self._child.send_frame("keep_nothing", self._name)
            return Prepared()
        except asyncio.CancelledError:  # by `close` alone
            log.warning("Lull stops: a long request is stored without its messages")
            return Prepared()
        finally:
            self._links = b""
        pieces: list[bytes] = []
        try:
            async for frame, data in self._child.answers(
                "keep", self._name, {"tools": tools}, wanted.encode()
            ):
                if "kept" in frame:
                    return Prepared(pieces=tuple(pieces), tools=self._tools, tool_set=data)
                pieces.append(data)
        except LullError as error:
            log.warning("a long request is stored without %s: %s", _lacking(pieces), error)
        except asyncio.CancelledError:  # by `close` alone
            log.warning("Lull stops: a long request is stored without %s", _lacking(pieces))
        return Prepared(pieces=tuple(pieces))


def _lacking(pieces: Sequence[bytes]) -> str:
    """Say what is not stored where only these pieces are: the newest messages come first."""
    return "its older messages" if pieces else "its messages"


class StoredRequests(Protocol):
    """Interface that tells which parts of a long request are stored already. Blocking."""

    def missing(self, links: str) -> str:
        """Return those message links (a hash of a message and all before it) whose messages are not
        stored; argument and result are JSON lists as text.
        """

    def has_tools(self, mark: str) -> bool:
        """Return whether a set of tool definitions with this hash is stored."""


class LongBodies:
    """Has long request bodies read in a child process, which it starts and stops.

    Belongs to one event loop.
    """

    def __init__(
        self,
        *,
        key: bytes,
        limit: int,
        stored: StoredRequests,
        watch: WatchProcess,
        command: Sequence[str] | None = None,
        leaves_after_s: float = LEAVES_AFTER_S,
    ) -> None:
        """`watch` tells when the child process hangs."""
        self.stored = stored
        self._watch = watch
        self._key = key
        self._limit = limit
        self._command = tuple(command or long_command())
        self._leaves_after_s = leaves_after_s
        self._child: LongReader | None = None
        self._one = asyncio.Lock()
        self._count = 0
        self._grown = False
        self._under_way: set[asyncio.Future[Any]] = set()
        self._recorded_bytes = 0
        self._leaving: asyncio.TimerHandle | None = None
        self._freeing: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the running child process that reads long bodies; None if it does
        not run.
        """
        return self._child.pid if self._child is not None and self._child.alive else None

    @asynccontextmanager
    async def reading(
        self, body: bytes, *, route: str, encoding: str, client: str
    ) -> AsyncIterator[LongBody]:
        """Context manager that yields one long request body after the child process has read it;
        another body waits until the block ends.

        Raises LongReaderDown if the child fails, and RequestError for a body that cannot be read:
        then the upstream must get the request and judge it.
        """
        async with self._one:
            child = await self._running()
            packed = encoding.lower() != "identity"
            self._grown = self._grown or len(body) > GROWN_BYTES or packed
            self._count += 1
            name = str(self._count)
            told = {"route": route, "encoding": encoding, "limit": self._limit}
            told |= {"key": self._key.hex(), "client": client}
            found: LongBody | None = None
            try:
                frame, links = await child.ask("read", name, told, body)
                found = LongBody(child, name, frame["outline"], links, self, packed=packed)
                yield found
            finally:
                child.send_frame("drop", name, {"kept": found is not None and found.kept})
                self._leave_later()
                self._free_later()

    def begin_record(self, weight: int) -> bool:
        """Return whether another request with a long body, of `weight` bytes, can be recorded now
        without taking too much memory; if so, its bytes are reserved until `end_record`.

        One alone always can.
        """
        if self._recorded_bytes and self._recorded_bytes + weight > MOST_RECORDED_BYTES:
            log.warning("too many long requests at once: one is stored without its messages")
            return False
        self._recorded_bytes += weight
        return True

    def end_record(self, weight: int) -> None:
        """Free the bytes that `begin_record` reserved for recording a request with a long body."""
        self._recorded_bytes -= weight
        self._free_later()

    def start_task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine as a background task, for which `wait_for_tasks` waits: recording a
        request with a long body, or stopping the child process that reads such bodies.
        """
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def wait_for_tasks(self, within_s: float) -> None:
        """Wait until the background tasks that record requests with long bodies have ended, at most
        `within_s` seconds.
        """
        if self._under_way:
            await asyncio.wait(set(self._under_way), timeout=within_s)

    async def close(self) -> None:
        """Cancel the bodies being read and stop the child process."""
        self._stay()
        if self._freeing is not None:
            self._freeing.cancel()
        for task in tuple(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    async def _running(self) -> LongReader:
        self._stay()
        if self._child is None or not self._child.alive:
            self._child = await LongReader.start(self._command, self._watch)
            self._grown = False
        return self._child

    def _stay(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave_later(self) -> None:
        self._stay()
        loop = asyncio.get_running_loop()
        soon_s = GROWN_LEAVES_AFTER_S if self._grown else self._leaves_after_s
        self._leaving = loop.call_later(min(soon_s, self._leaves_after_s), self._leave)

    def _free_later(self) -> None:
        if self._freeing is None:
            loop = asyncio.get_running_loop()
            self._freeing = loop.call_later(FREED_AFTER_S, self._free)

    def _free(self) -> None:
        self._freeing = None
        self.start_task(asyncio.to_thread(give_back_freed_memory))

    def _leave(self) -> None:
        if self._under_way or self._one.locked():
            self._leave_later()
        elif self._child is not None:
            child, self._child = self._child, None
            self.start_task(child.stop())


_ROLES: Final = {str(at): Message(role=role) for at, role in enumerate(Role)}


def _chat(outline: BodyFrame) -> ChatRequest:
    """The request without its texts, except the newest user message."""
    messages = [*map(_ROLES.__getitem__, outline["roles"])]
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role is Role.USER:
            asked = MessagePart(kind=PartKind.TEXT, text=outline["asked"])
            messages[at] = Message(role=Role.USER, parts=(asked,))
            break
    sampling = outline["sampling"]
    return ChatRequest(
        model=outline["model"],
        messages=tuple(messages),
        stream=outline["stream"],
        sampling=Sampling(**{**sampling, "stop": tuple(sampling["stop"])}),
        window_tokens=outline["window_tokens"],
        tools=outline["tools"],
        format=outline["format"],
        outline=Outline(
            plain=outline["plain"],
            others=outline["others"],
            pieces=outline["pieces"],
            images=outline["images"],
            opaque=outline["opaque"],
            links=tuple(outline["links"]),
            values=outline["values"],
        ),
    )
