"""An HTTPS server that does exactly what a test tells it to, byte by byte, over real TLS."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.backends.calendars.certificates import Certificate
from tests.eventually import PATIENCE_S

END = b"\r\n\r\n"


@dataclass(slots=True)
class Connection:
    """One request that came, and the way back."""

    socket: socket.socket
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    over: threading.Event
    """Set when the server ends: whoever waits for ever waits for this."""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def hang(self) -> None:
        """Say nothing more until the other side leaves, or the test."""
        self.socket.settimeout(0.1)
        while not self.over.is_set():
            with contextlib.suppress(TimeoutError):
                if not self.socket.recv(4096):
                    return

    def drip(self, data: bytes, *, every_s: float = 0.05) -> None:
        """One byte after the other, for ever."""
        while True:
            for at in range(len(data)):
                self.send(data[at : at + 1])
                if self.over.wait(every_s):
                    return


Answer = Callable[[Connection], None]


def answer(
    body: bytes = b"", *, status: str = "200 OK", length: int | None = None, **headers: str
) -> Answer:
    """An orderly answer, with a `Content-Length` that may lie. Underscores in names are dashes."""

    def give(connection: Connection) -> None:
        lines = [f"HTTP/1.1 {status}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        lines.append(f"Content-Length: {len(body) if length is None else length}")
        connection.send("\r\n".join(lines).encode("latin-1") + END + body)

    return give


def redirect(to: str, status: str = "302 Found") -> Answer:
    return answer(status=status, Location=to)


def raw(data: bytes) -> Answer:
    return lambda connection: connection.send(data)


@dataclass
class CalendarServer:
    """Answers on loopback. `answers` is by path; what is not there is a 404."""

    port: int
    scheme: str
    address: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Connection] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    held: threading.Event = field(default_factory=threading.Event)
    """Nobody is attended to before it is set; it is, unless a test clears it."""
    connections: int = 0

    def __post_init__(self) -> None:
        self.held.set()

    def url(self, path: str, host: str | None = None) -> str:
        return f"{self.scheme}://{host or self.address}:{self.port}{path}"

    def serve(self, path: str, given: Answer) -> str:
        """The address at which this is answered."""
        self.answers[path] = given
        return self.url(path)


@contextmanager
def calendar_server(
    certificate: Certificate | None, *, address: str = "127.0.0.1"
) -> Iterator[CalendarServer]:
    """HTTPS with a certificate, HTTP without."""
    listener = socket.create_server((address, 0))
    listener.settimeout(0.1)
    server = CalendarServer(
        listener.getsockname()[1], "http" if certificate is None else "https", address
    )
    tls = None if certificate is None else certificate.server()
    threads: list[threading.Thread] = []
    open_: list[socket.socket] = []

    def accept() -> None:
        while not server.over.is_set():
            try:
                connected, _ = listener.accept()
            except TimeoutError:
                continue
            server.connections += 1
            open_.append(connected)
            thread = threading.Thread(target=_attend, args=(server, connected, tls))
            threads.append(thread)
            thread.start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        server.over.set()
        server.held.set()
        accepting.join()
        for connected in open_:
            with contextlib.suppress(OSError):  # who still sends to nobody is let go
                connected.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
        listener.close()


def _attend(server: CalendarServer, connected: socket.socket, tls: ssl.SSLContext | None) -> None:
    server.held.wait()
    connected.settimeout(PATIENCE_S)  # the end of the test breaks it off
    # A client that has heard enough hangs up; what the server still had to say is its own affair.
    with connected, contextlib.suppress(OSError):
        plain = server.answers.get("before TLS")
        if plain is not None:
            plain(Connection(connected, "", {}, server.over))
            return
        stream = connected if tls is None else tls.wrap_socket(connected, server_side=True)
        with stream:
            connection = _request(server, stream)
            if connection is not None:
                server.asked.append(connection)
                given = server.answers.get(connection.path, answer(status="404 Not Found"))
                given(connection)


def _request(server: CalendarServer, stream: socket.socket) -> Connection | None:
    head = b""
    while END not in head:
        piece = stream.recv(65536)
        if not piece:
            return None
        head += piece
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    path = first.split(" ")[1]
    return Connection(
        stream, path, {name.lower(): value for name, value in headers.items()}, server.over
    )
