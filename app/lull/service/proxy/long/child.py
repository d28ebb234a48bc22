"""Child process of the service that reads long request bodies.

Run as `python -m lull.service.proxy.long.child`, in a frozen app as `lull read-long`. Parsing 60 MB
or redacting its secrets holds the interpreter lock, which would delay every other client of the
service. The child returns an outline of the request, the body with skills inserted, and pieces
ready for the database. Reading a body goes before preparing another for the database. The child
writes no files, logs nothing, and stops with its parent.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import re
import select
import signal
import socket
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple

from lull.config.dies_first import die_first
from lull.core.chat.message_chain import links
from lull.core.chat.messages import ChatRequest, PartKind, Role
from lull.core.errors import RequestError
from lull.core.skills.prompt_block import Injection
from lull.service.process.free_memory import give_back_freed_memory, give_back_large_blocks
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.proxy.dialects.base import Dialect
from lull.service.proxy.long.frames import LENGTHS, BodyFrame, head
from lull.service.proxy.long.memory import memory_within
from lull.service.proxy.reading.read_chat import refuse_endless_settings
from lull.service.proxy.reading.unpacking import TOO_LONG, decompress_zstd
from lull.store.chat.long_turns import (
    KEPT_CHARACTERS,
    UnstoredParts,
    pair_with_links,
    shortened,
    truncate_message,
)
from lull.store.chat.recording import tools_mark
from lull.store.chat.trajectories import SEARCHED_LINKS
from lull.store.chat.turn_rows import without_surrogates as storable

ASKED_CHARACTERS: Final = 8_000
"""Most characters of the newest message that the child sends back to the service, which selects
skills by them.
"""
MOST_OBJECTS: Final = 300_000
"""Most objects (messages, parts, tools) in a request that is read. A compressed body of some
kilobytes may hold millions of objects; each costs half a kilobyte of memory here, and work in the
service.
"""
MOST_VALUES: Final = 1_200_000
"""Most JSON values in a request that is read: a few for each of `MOST_OBJECTS`. An object of three
million members in 55 MB takes a gigabyte of memory, and 20 seconds.
"""
FEW_VALUES: Final = 100_000
"""The number of JSON values in a body is counted if it has at least as many commas."""
PACKED_PART: Final = 4
"""A compressed body may unpack to at most the size limit for bodies divided by this number, so that
a few compressed bytes cost no more memory than a client can send uncompressed.
"""
_NICE: Final = 5
"""Niceness of the child process."""


@dataclass(frozen=True, slots=True)
class HeldBody:
    """A request body that the child process for long bodies keeps in memory until the service has
    stored or dropped it.
    """

    dialect: Dialect
    body: bytes
    encoding: str
    limit: int
    key: bytes
    chat: ChatRequest
    chain: Sequence[str]
    values: int
    """Number of JSON values; 0 if there are certainly few."""

    @property
    def plain(self) -> bytes:
        """Return the held request body uncompressed."""
        return decompressed(self.body, self.encoding, limit=self.limit)


def decompressed(body: bytes, encoding: str, *, limit: int) -> bytes:
    """Decompress a request's body, if it is compressed. Raises RequestError if that fails or it is
    too long.
    """
    return body if encoding.lower() == "identity" else decompress_zstd(body, encoding, limit=limit)


class PreparingFork(NamedTuple):
    """A fork of the child process that turns one long request into the form stored in the
    database: its process id and the pipe that it writes to.
    """

    name: str
    pid: int
    pipe: BinaryIO


class LongBodyReader:
    """Receives and answers the service's requests in the child process that reads long request
    bodies.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._held: dict[str, HeldBody] = {}
        self._released: set[str] = set()
        self._waiting: deque[tuple[str, UnstoredParts]] = deque()
        self._preparing: PreparingFork | None = None
        self._has_read = False
        """Whether a body was read whose memory was not given back to the system yet."""

    def run(self) -> None:
        """Handle the service's requests to the child process until it closes the connection."""
        try:
            while True:
                if self._preparing is None and self._waiting:
                    self._prepare(*self._waiting.popleft())
                if self._connection in self._ready():
                    if (frame := self._receive()) is None:
                        return
                    self._handle(*frame)
                    del frame
                else:
                    self._pass_on()
                if self._has_read and not (self._held or self._waiting or self._preparing):
                    self._has_read = False
                    give_back_freed_memory()
        finally:
            if self._preparing is not None:
                os.kill(self._preparing.pid, signal.SIGKILL)

    def _ready(self) -> Sequence[object]:
        ends: list[socket.socket | BinaryIO] = [self._connection]
        if self._preparing is not None:
            ends.append(self._preparing.pipe)
        return select.select(ends, [], [])[0]

    def _prepare(self, name: str, wanted: UnstoredParts) -> None:
        """Prepare in a fork, which already has the data, so that the next body need not wait."""
        ours, theirs = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            os.close(ours)
            os.close(theirs)
            self._send({"id": name, "fault": "there is too little memory"})
            return
        if pid == 0:
            try:
                self._connection.close()
                os.close(ours)
                self._forget_all()
                with os.fdopen(theirs, "wb") as pipe:
                    for frame, data in _frames(wanted):
                        pipe.write(head({"id": name, **frame}, data) + data)
                        pipe.flush()
            finally:
                os._exit(0)
        os.close(theirs)
        self._preparing = PreparingFork(name, pid, os.fdopen(ours, "rb", buffering=0))

    def _forget_all(self) -> None:
        """Free the bodies here in the fork, which would keep them for as long as it works."""
        self._held.clear()
        self._waiting.clear()
        give_back_freed_memory()

    def _pass_on(self) -> None:
        """Forward one frame of the fork, or report that it died."""
        if (preparing := self._preparing) is None:
            return
        whole = _frame_from(preparing.pipe)
        if whole is not None:
            self._send(*whole)
        if whole is None or "kept" in whole[0]:
            self._preparing = None
            preparing.pipe.close()
            os.waitpid(preparing.pid, 0)
        if whole is None:
            self._send({"id": preparing.name, "fault": "it stopped"})

    def _handle(self, frame: BodyFrame, data: bytes) -> None:
        name = frame["id"]
        to = f"{name}:{frame['op']}"
        held = self._held.get(name)
        try:
            match frame["op"]:
                case "read":
                    self._has_read = True
                    self._held[name], outline, chain = _read(to, frame, data)
                    self._send(outline, chain)
                case "inject" if held:
                    self._send({"id": to}, _inject(held, frame))
                case "plain" if held:
                    self._send({"id": to}, held.plain)
                case "keep" if held:
                    links_wanted = frozenset(json.loads(data))
                    self._waiting.append((to, _wanted(held, links_wanted, frame["tools"])))
                    self._release(name)
                case "keep_nothing":
                    self._release(name)
                case "drop":
                    if frame["kept"]:
                        self._release(name)
                    else:
                        self._held.pop(name, None)
                case op:
                    self._send({"id": to, "fault": f"there is nothing to {op}"})
        except RequestError as error:
            self._send({"id": to, "refused": [error.status, error.detail]})
        except Exception as error:  # noqa: BLE001  the service is told and goes on without
            self._send({"id": to, "fault": type(error).__name__})

    def _release(self, name: str) -> None:
        """Forget a kept body at the second call: the one who stores it and the one who answers it
        each call once, in any order."""
        if name in self._released:
            self._released.remove(name)
            self._held.pop(name, None)
        else:
            self._released.add(name)

    def _send(self, frame: BodyFrame, data: bytes = b"") -> None:
        self._connection.sendall(head(frame, data))
        self._connection.sendall(data)

    def _receive(self) -> tuple[BodyFrame, bytes] | None:
        lengths = self._exactly(LENGTHS.size)
        if lengths is None:
            return None
        frame_bytes, data_bytes = LENGTHS.unpack(lengths)
        frame, data = self._exactly(frame_bytes), self._exactly(data_bytes)
        if frame is None or data is None:
            return None
        return json.loads(frame), data

    def _exactly(self, size: int) -> bytes | None:
        got = bytearray(size)
        view, at = memoryview(got), 0
        while at < size:
            count = self._connection.recv_into(view[at:])
            if count == 0:
                return None
            at += count
        return bytes(got)


def _frame_from(pipe: BinaryIO) -> tuple[BodyFrame, bytes] | None:
    """Read a frame; None if the process that writes died before it had written the whole frame."""
    with contextlib.suppress(EOFError):
        frame_bytes, data_bytes = LENGTHS.unpack(_exactly(pipe, LENGTHS.size))
        frame = json.loads(_exactly(pipe, frame_bytes))
        return frame, _exactly(pipe, data_bytes)
    return None


def _exactly(pipe: BinaryIO, size: int) -> bytes:
    """Read `size` bytes. Raises EOFError if the pipe ends before."""
    got = bytearray()
    while len(got) < size:
        some = pipe.read(size - len(got))
        if not some:
            raise EOFError
        got += some
    return bytes(got)


def _read(to: str, frame: BodyFrame, body: bytes) -> tuple[HeldBody, BodyFrame, bytes]:
    """Parse a body, and outline it. Raises RequestError for one that the upstream must judge.

    A packed one gets as much memory as the longest body has bytes, and so does the fork that
    prepares what is stored of it.
    """
    limit = frame["limit"]
    if frame["encoding"].lower() == "identity":
        held = _parsed(frame, body, limit)
        return held, *_outline(to, held)
    try:
        with memory_within(limit):
            held = _parsed(frame, body, limit // PACKED_PART)
            return held, *_outline(to, held)
    except MemoryError:
        raise RequestError("the body unpacks to too much", status=TOO_LONG) from None


def _parsed(frame: BodyFrame, body: bytes, limit: int) -> HeldBody:
    dialect = CHAT_ROUTES[frame["route"]]
    plain = decompressed(body, frame["encoding"], limit=limit)
    values = many_values(plain)
    if plain.count(b"{") > MOST_OBJECTS or values > MOST_VALUES:
        raise RequestError("a request of so many messages is not read", status=400)
    chat = dialect.read_request(plain)
    refuse_endless_settings(chat)
    key = bytes.fromhex(frame["key"])
    chain = links(key, frame["client"], chat.messages)
    return HeldBody(dialect, body, frame["encoding"], limit, key, chat, chain, values)


_ROLES: Final = {role: str(at) for at, role in enumerate(Role)}


def _outline(name: str, held: HeldBody) -> tuple[BodyFrame, bytes]:
    chat, plain = held.chat, held.plain
    texts = [
        part.text for m in chat.messages for part in m.parts if part.kind is not PartKind.IMAGE
    ]
    texts += [call.name + call.arguments for m in chat.messages for call in m.tool_calls]
    texts.append(chat.tools)
    ascii_ones = sum(map(_ascii_characters, texts))
    outline = {
        "model": chat.model,
        "stream": chat.stream,
        "sampling": {name: getattr(chat.sampling, name) for name in chat.sampling.__slots__},
        "window_tokens": chat.window_tokens,
        "format": chat.format,
        "tools": tools_mark(storable(chat.tools)) if chat.tools else "",
        "roles": "".join(_ROLES[message.role] for message in chat.messages),
        "asked": chat.newest_user_text[:ASKED_CHARACTERS],
        "plain": ascii_ones,
        "others": sum(map(len, texts)) - ascii_ones,
        "pieces": len(texts),
        "images": sum(p.kind is PartKind.IMAGE for m in chat.messages for p in m.parts),
        "opaque": sum(p.kind is PartKind.OPAQUE for m in chat.messages for p in m.parts),
        "links": held.chain[-SEARCHED_LINKS - 1 :],
        "size_bytes": len(plain),
        "injectable": held.dialect.injectable(plain),
        "values": held.values,
        "idle": not chat.newest_user_text
        and held.dialect.read_engine_options(plain).idle is not None,
    }
    return {"id": name, "outline": outline}, json.dumps(held.chain).encode()


_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def many_values(body: bytes) -> int:
    """Return the number of JSON values in a request's body, by the commas outside of its strings; 0
    if there are certainly few.
    """
    if body.count(b",") < FEW_VALUES:
        return 0
    return _STRING.sub(b"", body).count(b",")


def _ascii_characters(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("ascii", "ignore"))


def _inject(held: HeldBody, frame: BodyFrame) -> bytes:
    """The body with skills. Raises RequestError (409) if it has no place for them."""
    injection = Injection(
        system=frame["system"],
        model_system=frame["model_system"],
        suffixes=tuple((index, text) for index, text in frame["suffixes"]),
        prefixes=tuple((index, text) for index, text in frame["prefixes"]),
    )
    try:
        return held.dialect.inject(held.plain, injection)
    except ValueError as error:
        raise RequestError(str(error), status=409) from None


def _wanted(held: HeldBody, missing: frozenset[str], tools: bool) -> UnstoredParts:
    found = [
        (link, parent, truncate_message(message))
        for link, parent, message in reversed(pair_with_links(held.chain, held.chat.messages))
        if link in missing
    ]
    offered = shortened(storable(held.chat.tools), KEPT_CHARACTERS) if tools else ""
    return UnstoredParts(held.key, found, offered)


def _frames(wanted: UnstoredParts) -> Iterator[tuple[BodyFrame, bytes]]:
    """Yield frames with the redacted messages, then one with the tools."""
    for piece in wanted.pieces():
        yield {"piece": True}, piece
    yield {"kept": True}, wanted.tool_set()


def main(argv: Sequence[str] | None = None) -> int:
    """Read long request bodies that come over an inherited socket; the program of a
    child process.
    """
    parser = argparse.ArgumentParser(prog="lull read-long", description="Read long bodies.")
    parser.add_argument("--socket", type=int, required=True, help="inherited file descriptor")
    arguments = parser.parse_args(argv)
    die_first()
    give_back_large_blocks()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    gc.freeze()
    gc.set_threshold(200_000, 20, 1000)
    connection = socket.socket(fileno=arguments.socket)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the parent has gone
        LongBodyReader(connection).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
