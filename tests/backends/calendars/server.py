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
    """A request that the test server received, and the socket on which to answer it."""

    socket: socket.socket
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    over: threading.Event
    """Set when the server ends; answers that would never finish wait for it."""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def hang(self) -> None:
        """Send nothing more until the client disconnects or the test ends."""
        self.socket.settimeout(0.1)
        while not self.over.is_set():
            with contextlib.suppress(TimeoutError):
                if not self.socket.recv(4096):
                    return

    def drip(self, data: bytes, *, every_s: float = 0.05) -> None:
        """Send the data one byte at a time, over and over, until the server ends."""
        while True:
            for at in range(len(data)):
                self.send(data[at : at + 1])
                if self.over.wait(every_s):
                    return


Answer = Callable[[Connection], None]


def answer(
    body: bytes = b"", *, status: str = "200 OK", length: int | None = None, **headers: str
) -> Answer:
    """Return a well-formed answer whose `Content-Length` may be wrong.

    Underscores in the names of headers become dashes.
    """

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
    """A running test server on loopback: `answers` maps paths to answers, other paths get a 404."""

    port: int
    scheme: str
    address: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Connection] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    held: threading.Event = field(default_factory=threading.Event)
    """Requests are answered only while this is set, as it is unless a test clears it."""
    connections: int = 0

    def __post_init__(self) -> None:
        self.held.set()

    def url(self, path: str, host: str | None = None) -> str:
        return f"{self.scheme}://{host or self.address}:{self.port}{path}"

    def serve(self, path: str, given: Answer) -> str:
        """Answer this path in the given way from now on, and return its address."""
        self.answers[path] = given
        return self.url(path)


@contextmanager
def calendar_server(
    certificate: Certificate | None, *, address: str = "127.0.0.1"
) -> Iterator[CalendarServer]:
    """Run a calendar server on loopback: HTTPS with a certificate, HTTP without one."""
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
            with contextlib.suppress(OSError):  # ends answers that are still being sent
                connected.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
        listener.close()


def _attend(server: CalendarServer, connected: socket.socket, tls: ssl.SSLContext | None) -> None:
    server.held.wait()
    connected.settimeout(PATIENCE_S)  # the end of the test closes it earlier
    # A client may disconnect early; that the rest cannot be sent is no failure.
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
