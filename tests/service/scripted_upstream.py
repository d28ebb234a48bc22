"""A fake upstream that does what a test says, keeps the bytes it got, and notices hang-ups."""

from __future__ import annotations

import contextlib
import hashlib
import json
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from tests.eventually import eventually
from tests.running import free_port

PATIENCE_S = 900.0


@dataclass(slots=True)
class Asked:
    """One request as it came over the wire."""

    method: str
    path: str
    head: bytes
    body: bytes
    """As sent: chunks are joined, an encoding is left alone. Of a blob only its SHA-256."""
    connection: socket.socket
    left: threading.Event = field(default_factory=threading.Event)
    """Set once the other side has closed while this was being answered."""

    def header(self, name: str) -> str | None:
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.decode().lower() == name.lower():
                return value.strip().decode("utf-8", "surrogateescape")
        return None

    @property
    def names(self) -> list[str]:
        lines = self.head.split(b"\r\n")[1:]
        return [line.partition(b":")[0].decode().lower() for line in lines if line]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    # Answering

    def answer(
        self,
        status: int = 200,
        body: bytes | object = b"",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"Content-Type": "application/json; charset=utf-8"}
        lines = {"Content-Length": str(len(data)), **kind, **(headers or {})}
        self.send(head(status, lines) + (b"" if self.method == "HEAD" else data))

    def begin(self, status: int = 200, kind: str = "application/x-ndjson") -> None:
        """Begin a chunked answer; `say` goes on with it, `end` ends it."""
        self.send(head(status, {"Content-Type": kind, "Transfer-Encoding": "chunked"}))

    def say(self, data: bytes) -> None:
        self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        self.send(b"0\r\n\r\n")

    def send(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError:
            self.left.set()

    def drop(self) -> None:
        """Break the connection off."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def wait_until_left(self, within_s: float = PATIENCE_S) -> bool:
        """Return whether the other side closes the connection within the time."""
        until = time.monotonic() + within_s
        while time.monotonic() < until and not self.left.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.05)
            if readable and not self._peek():
                self.left.set()
        return self.left.is_set()

    def _peek(self) -> bytes:
        try:
            return self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return b""


def head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", *(f"{key}: {value}" for key, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


Script = Callable[[Asked], None]
DONE = {
    "model": "any",
    "created_at": "2026-11-21T02:41:30Z",
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 5,
    "eval_count": 2,
}


def line(text: str) -> bytes:
    """Return one piece of a streamed answer in Ollama's own protocol."""
    said = {"model": "any", "message": {"role": "assistant", "content": text}, "done": False}
    return json.dumps(said).encode() + b"\n"


def last_line(text: str = "") -> bytes:
    return json.dumps({**DONE, "message": {"role": "assistant", "content": text}}).encode() + b"\n"


def reply_natively(asked: Asked) -> None:
    """Give a whole answer in Ollama's own protocol, streamed or not as was asked for."""
    if asked.json.get("stream", True) is False:
        asked.answer(200, last_line("well said")[:-1])
        return
    asked.begin()
    for piece in (line("well"), line(" said"), last_line()):
        asked.say(piece)
    asked.end()


class ScriptedUpstream:
    """A fake upstream: it answers listings and facts; every other request goes to `script`."""

    def __init__(self) -> None:
        self.models: list[dict[str, Any]] = [{"name": "any:latest", "digest": "d1"}]
        self.show: dict[str, Any] = {"template": "T", "system": ""}
        self.shows: dict[str, dict[str, Any]] = {}
        """Facts about single models; those of all others are in `show`."""
        self.script: Script = reply_natively
        self.asked: list[Asked] = []
        self._listener = socket.create_server(("127.0.0.1", free_port()))
        self.port = self._listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._connections: set[socket.socket] = set()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._accept, args=(self._listener,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening and break every connection, as when the process is killed."""
        # shutdown wakes the accepting thread; close alone would leave it waiting.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        if self._thread is not None:
            self._thread.join(PATIENCE_S)

    def restart(self) -> None:
        """Listen again on the same port."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._start()

    def last(self, path: str) -> Asked:
        return [asked for asked in self.asked if asked.path.partition("?")[0] == path][-1]

    def count(self, path: str) -> int:
        return sum(asked.path.partition("?")[0] == path for asked in self.asked)

    def wait_for(self, path: str, count: int = 1) -> Asked:
        """Wait until `path` was asked `count` times, and return the last of these requests."""
        eventually(lambda: self.count(path), lambda times: times >= count)
        return self.last(path)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self._connections.add(connection)
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        stream = connection.makefile("rb")
        try:
            while (asked := _read(stream, connection)) is not None:
                self._answer(asked)
        except (OSError, ValueError):
            pass
        finally:
            stream.close()
            connection.close()
            self._connections.discard(connection)

    def _answer(self, asked: Asked) -> None:
        path = asked.path
        known: dict[tuple[str, str], Any] = {
            ("GET", "/api/tags"): {"models": self.models},
            ("GET", "/api/version"): {"version": "0.24.0"},
            ("GET", "/api/ps"): {"models": []},
            ("POST", "/api/show"): self.show,
        }
        self.asked.append(asked)
        if asked.path == "/api/show":
            known["POST", path] = self.shows.get(asked.json.get("model"), self.show)
        if (asked.method, path) in known:
            asked.answer(200, known[asked.method, path])
        else:
            self.script(asked)


def _digest(stream: Any, left: int) -> bytes:
    """Return the SHA-256 of a body that is too large to keep."""
    digest = hashlib.sha256()
    while left:
        data = stream.read(min(left, 1 << 20))
        if not data:
            raise ValueError("the body broke off")
        digest.update(data)
        left -= len(data)
    return digest.digest()


def _read(stream: Any, connection: socket.socket) -> Asked | None:
    lines = b""
    while not lines.endswith(b"\r\n\r\n"):
        got = stream.readline()
        if not got:
            return None
        lines += got
    method, path, _ = lines.split(b"\r\n", 1)[0].decode("utf-8", "surrogateescape").split(" ")
    asked = Asked(method, path, lines[:-4], b"", connection)
    asked.body = _body(stream, asked)
    return asked


def _body(stream: Any, asked: Asked) -> bytes:
    if asked.path.startswith("/api/blobs/"):
        return _digest(stream, int(asked.header("Content-Length") or 0))
    if asked.header("Transfer-Encoding") == "chunked":
        pieces = b""
        while size := int(stream.readline(), 16):
            pieces += stream.read(size)
            stream.readline()
        stream.readline()
        return pieces
    wanted = int(asked.header("Content-Length") or 0)
    data: bytes = stream.read(wanted)
    if len(data) < wanted:
        raise ValueError("the body broke off")
    return data
