"""A raw HTTP client that sends exactly the bytes it is told to, and returns every byte it gets."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import Any

Headers = Sequence[tuple[str, str]] | Mapping[str, str]
PATIENCE_S = 900.0


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    reason: str = ""

    def header(self, name: str) -> str | None:
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Call:
    """One request on a connection of its own, whose answer is under way."""

    socket: socket.socket
    answer: HTTPResponse | None = None
    method: str = "GET"

    def begin(self) -> HTTPResponse:
        """Wait for the status and the headers."""
        if self.answer is None:
            self.answer = HTTPResponse(self.socket, method=self.method)
            self.answer.begin()
        return self.answer

    def read(self) -> Reply:
        """Read the whole answer. Raises IncompleteRead where it breaks off."""
        answer = self.begin()
        return Reply(answer.status, tuple(answer.getheaders()), answer.read(), answer.reason)

    def read_some(self) -> bytes:
        """Read what comes next of the body; b"" at the end."""
        return self.begin().read1(65536)

    def hang_up(self) -> None:
        if self.answer is not None:
            self.answer.close()
        self.socket.close()


@contextmanager
def calling(
    address: str,
    method: str,
    path: str,
    body: bytes | object | None = None,
    headers: Headers = (),
) -> Iterator[Call]:
    call = Call(connected(address), method=method)
    try:
        call.socket.sendall(written(address, method, path, as_bytes(body), headers))
        yield call
    finally:
        call.hang_up()


def ask(
    address: str,
    method: str,
    path: str,
    body: bytes | object | None = None,
    headers: Headers = (),
) -> Reply:
    with calling(address, method, path, body, headers) as call:
        return call.read()


def broken_off(call: Call) -> bytes | None:
    """Return the body of an answer that broke off; None when it ended well."""
    said = b""
    try:
        while piece := call.read_some():
            said += piece
        # Python's client says nothing of a length that was not reached.
        return said if call.begin().length else None
    except (HTTPException, ConnectionError):
        return said


def as_bytes(body: bytes | object | None) -> bytes | None:
    return body if body is None or isinstance(body, bytes) else json.dumps(body).encode()


def connected(address: str) -> socket.socket:
    host, port = host_and_port(address)
    return socket.create_connection((host, port), timeout=PATIENCE_S)


def host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.removeprefix("http://").rpartition(":")
    return host.strip("[]"), int(port)


def written(address: str, method: str, path: str, body: bytes | None, headers: Headers) -> bytes:
    """Return a request's bytes; Host, Content-Type and Content-Length are added unless given."""
    given = list(headers.items()) if isinstance(headers, Mapping) else list(headers)
    names = {name.lower() for name, _ in given}
    lines = [f"{method} {path} HTTP/1.1"]
    if "host" not in names:
        lines.append(f"Host: {address.removeprefix('http://')}")
    if body is not None and "content-type" not in names:
        lines.append("Content-Type: application/json")
    if body is not None and not names & {"content-length", "transfer-encoding"}:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name}: {value}" for name, value in given]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + (body or b"")


@dataclass(slots=True)
class Chunked:
    """A body in HTTP chunks, for requests that do not know their length."""

    pieces: Sequence[bytes]
    headers: tuple[tuple[str, str], ...] = field(
        default=(("Transfer-Encoding", "chunked"), ("Content-Type", "application/json"))
    )

    @property
    def data(self) -> bytes:
        framed = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in self.pieces)
        return framed + b"0\r\n\r\n"
