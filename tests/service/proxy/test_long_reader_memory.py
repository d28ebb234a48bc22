"""Tests that the process that reads long bodies gives back the memory that they took."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest
import zstandard

from lull.service.proxy.long.frames import LENGTHS, BodyFrame, head
from lull.service.proxy.long.reader import long_command
from lull.service.proxy.reading.unpacking import LONG_BYTES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system decides"),
]

MIB = 1 << 20
LIMIT = 64 * MIB
TOLD: BodyFrame = {"route": "/api/chat", "limit": LIMIT, "key": "00" * 32, "client": "tests"}


def chat(messages: object) -> bytes:
    return json.dumps({"model": "any", "messages": messages}).encode()


SMALL = chat([{"role": "user", "content": "hi"}]) + b" " * LONG_BYTES
MANY = [{"role": "user", "content": f"number {n}"} for n in range(200_000)]
GREAT = {
    "a long text": chat([{"role": "user", "content": "word and more " * 1_100_000}]),
    "very many messages": chat(MANY),
    "very many values": chat([{"role": "user", "content": "hi", "n": [*range(1_100_000)]}]),
    "too many values": chat([{"role": "user", "content": "hi", "n": [*range(2_000_000)]}]),
}


@pytest.mark.parametrize("packed", [False, True])
def test_what_a_long_body_took_is_given_back_before_the_next(packed: bool) -> None:
    with started() as (process, connection):
        reads(connection, SMALL, "identity")
        before = psutil.Process(process.pid).memory_info().rss
        for name, body in GREAT.items():
            data = zstandard.compress(body) if packed else body
            reads(connection, data, "zstd" if packed else "identity")
            reads(connection, SMALL, "identity")  # it has dropped the one before by now
            more = psutil.Process(process.pid).memory_info().rss - before
            assert more < 8 * MIB, (name, more / MIB)


@contextlib.contextmanager
def started() -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Start the process as the service does, without the service's limits of time."""
    ours, theirs = socket.socketpair()
    words = (*long_command(), "--socket", str(theirs.fileno()))
    with ours, theirs, subprocess.Popen(words, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        yield process, ours
        ours.close()


def reads(connection: socket.socket, body: bytes, encoding: str) -> None:
    """Have a body read and dropped again."""
    frame = {"op": "read", "id": "one", **TOLD, "encoding": encoding}
    connection.sendall(head(frame, body) + body)
    frame_bytes, data_bytes = LENGTHS.unpack(exactly(connection, LENGTHS.size))
    exactly(connection, frame_bytes + data_bytes)
    connection.sendall(head({"op": "drop", "id": "one", "kept": False}, b""))


def exactly(connection: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        part = connection.recv(size - len(got))
        assert part, "the reader has ended"
        got += part
    return got
