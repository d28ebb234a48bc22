"""Hostile calendar servers: they would hang, exhaust or mislead a program that asks them.

Nothing they send can be used; each lists what the error message must say.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tests.backends.calendars.server import (
    END,
    Answer,
    CalendarServer,
    Connection,
    answer,
    raw,
    redirect,
)
from tests.backends.calendars.texts import MEETING, calendar

PATH = "/private-4711abcdef/basic.ics"
"""Path of the calendar; it is secret like a password, so no message or log may contain it."""


@dataclass(frozen=True, slots=True)
class Server:
    name: str
    install: Callable[[CalendarServer], str]
    """Sets the server up and returns the address to ask."""
    says: str
    """Part of the one-line error message that must be shown."""
    slow: bool = False
    """Whether the server keeps the connection open until it is cut off."""

    def __str__(self) -> str:
        return self.name


@cache
def _bomb() -> bytes:
    """Return three gigabytes of zeros, compressed with gzip."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    once = packer.compress(b"\0" * 50_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush nothing refers back, so the same compressed block can be repeated.
    return b"\x1f\x8b\x08" + b"\0" * 7 + once * 60


def _at(path: str, given: Answer) -> Callable[[CalendarServer], str]:
    return lambda server: server.serve(path, given)


def _says(name: str, given: Answer, says: str, *, slow: bool = False) -> Server:
    return Server(name, _at(PATH, given), says, slow)


def _install_bomb(server: CalendarServer) -> str:
    return server.serve(PATH, answer(_bomb(), Content_Encoding="gzip"))


def _status(status: str, says: str, **headers: str) -> Server:
    return _says(status, answer(b"<h1>No</h1>", status=status, **headers), says)


def _to(name: str, where: str, says: str) -> Server:
    return _says(name, redirect(where), says)


def _chain(server: CalendarServer) -> str:
    for n in range(9):
        server.serve(f"/{n}", redirect(f"/{n + 1}"))
    server.serve("/9", answer(calendar(MEETING)))
    return server.url("/0")


def _hang_after(head: bytes) -> Answer:
    def give(connection: Connection) -> None:
        connection.send(head)
        connection.hang()

    return give


def _for_ever(head: bytes, piece: bytes) -> Answer:
    def give(connection: Connection) -> None:
        connection.send(head)
        while not connection.over.is_set():
            connection.send(piece)

    return give


def _drip(head: bytes, piece: bytes) -> Answer:
    def give(connection: Connection) -> None:
        connection.send(head)
        connection.drip(piece)

    return give


def _before_tls(given: Answer) -> Callable[[CalendarServer], str]:
    return lambda server: server.serve("before TLS", given).replace("before TLS", PATH)


OK = b"HTTP/1.1 200 OK\r\n"
GOOD = calendar(MEETING)
PACKED = gzip.compress(GOOD)
CHUNKED = OK + b"Transfer-Encoding: chunked" + END
TIME, BROKE, NO_HTTP = "did not send it within", "stopped sending halfway", "not valid HTTP"
BIG = "larger than 10 MB"

SERVERS = (
    # Time
    Server("it lets one in and says nothing", _before_tls(_hang_after(b"")), TIME, slow=True),
    Server("it speaks no TLS", _before_tls(raw(b"HTTP/1.1 200 OK\r\n\r\nhello")), "onnect"),
    _says("it hears the question and says nothing", _hang_after(b""), TIME, slow=True),
    _says(
        "it stops after the headers",
        _hang_after(OK + b"Content-Length: 100" + END),
        TIME,
        slow=True,
    ),
    _says("the body drips", _drip(OK + b"Content-Length: 9000000" + END, GOOD), TIME, slow=True),
    _says("the headers drip", _drip(OK, b"X-A: b\r\n"), TIME, slow=True),
    _says("chunks for ever, slowly", _drip(CHUNKED, b"1\r\nx\r\n"), TIME, slow=True),
    _says("not yet, for ever", _drip(b"", b"HTTP/1.1 102 Processing\r\n\r\n"), TIME, slow=True),
    # Size
    _says("chunks for ever, fast", _for_ever(CHUNKED, b"4000\r\n" + b"x" * 0x4000 + b"\r\n"), BIG),
    _says("a body for ever", _for_ever(OK + END[2:], b"x" * 65536), BIG),
    _says("eleven megabytes said before", answer(b"x" * 11_000_000), BIG),
    _says("a terabyte promised", answer(b"x", length=10**12), BIG),
    Server("a bomb of three gigabytes", _install_bomb, BIG),
    _says("a header of a megabyte", raw(OK + b"X-A: " + b"y" * 1_000_000 + END + GOOD), NO_HTTP),
    _says("a million headers", _for_ever(OK, b"X-A: b\r\n" * 1000), NO_HTTP),
    _says("a status line of a megabyte", raw(b"HTTP/1.1 200 " + b"O" * 1_000_000 + END), NO_HTTP),
    # Lies
    _says("it promises more than it gives", answer(GOOD, length=len(GOOD) + 500), BROKE),
    _says("a length of less than nothing", raw(OK + b"Content-Length: -5" + END + GOOD), NO_HTTP),
    _says("two lengths", raw(OK + b"Content-Length: 5\r\nContent-Length: 9" + END + GOOD), NO_HTTP),
    _says("a length that is a fruit", raw(OK + b"Content-Length: banana" + END + GOOD), NO_HTTP),
    _says("a chunk of no size", raw(CHUNKED + b"banana\r\n"), "HTTP"),
    _says("chunks that stop", raw(CHUNKED + b"5\r\nhello\r\n"), BROKE),
    _says("it hangs up at once", lambda _: None, BROKE),
    _says("it speaks gibberish", raw(b"\x00\xff\x13gibberish\r\n\r\n"), NO_HTTP),
    _says("packed garbage", answer(b"garbage", Content_Encoding="gzip"), "damaged"),
    _says("packed and cut off", answer(PACKED[:-20], Content_Encoding="gzip"), BROKE),
    _says("packed twice", answer(gzip.compress(PACKED), Content_Encoding="gzip"), "not a calendar"),
    _says(
        "packed twice, and says so",
        answer(gzip.compress(PACKED), Content_Encoding="gzip, gzip"),
        "did not ask for",
    ),
    _says(
        "something behind the packed",
        answer(PACKED + PACKED, Content_Encoding="gzip"),
        "extra data",
    ),
    _says(
        "packed in another way",
        answer(zlib.compress(GOOD), Content_Encoding="br"),
        "did not ask for",
    ),
    # Wrong things
    _says(
        "a page to log in",
        answer(b"<!DOCTYPE html><html><form>Password", Content_Type="text/html"),
        "web page",
    ),
    _says(
        "a page that says it is a calendar",
        answer(b"\n\n<HTML><body>", Content_Type="text/calendar"),
        "web page",
    ),
    _says("nothing", answer(b""), "nothing in it"),
    _says(
        "a picture",
        answer(b"\x89PNG\r\n\x1a\n" + b"\0" * 500_000, Content_Type="image/png"),
        "not a calendar",
    ),
    _says("JSON", answer(b'{"BEGIN": "VCALENDAR"}'), "not a calendar"),
    _says("eight megabytes of noise", answer(bytes(range(256)) * 31_250), "not a calendar"),
    # Refusals
    _status("401 Unauthorized", "asks for a password", WWW_Authenticate="Basic"),
    _status("403 Forbidden", "refuses to show it"),
    _status("404 Not Found", "no calendar at this address"),
    _status("410 Gone", "no longer at this address"),
    _status("418 I'm a teapot", "something else"),
    _status("429 Too Many Requests", "asked too often", Retry_After="99999999999999999999"),
    _status("500 Internal Server Error", "Its server failed"),
    _status("503 Service Unavailable", "Its server failed", Retry_After="banana"),
    _status("206 Partial Content", "something else"),
    _says("304 Not Modified", answer(status="304 Not Modified"), "something else"),
    # Redirects
    Server("a loop", _at(PATH, redirect(PATH)), "redirects more than 3 times"),
    Server("nine redirects", _chain, "redirects more than 3 times"),
    _to("to a file", "file:///etc/passwd", "Only https"),
    _to("to a script", "javascript:alert(1)", "It redirects"),
    _to("to FTP", "ftp://127.0.0.1/x.ics", "Only https"),
    _to("to the unencrypted", "http://127.0.0.1:1/x.ics", "not encrypted"),
    _to("with a name and a password", "https://root:toor@127.0.0.1/", "before its @"),
    _to(
        "to a machine's metadata",
        "https://169.254.169.254/latest/meta-data/",
        "reads no calendars",
    ),
    _to("to metadata in disguise", "https://[::ffff:a9fe:a9fe]/", "reads no calendars"),
    _to("to everybody", "https://0.0.0.0/", "reads no calendars"),
    _to("to a number", "https://2130706433/", "names no server"),
    _to("to an octal number", "https://0177.0.0.1/", "names no server"),
    _to("does not say where to", "", "does not say where to"),
    _to("to what is no address", "https://[::::]/", "It redirects"),
    _to("to a port that is none", "https://localhost:99999/", "It redirects"),
)
