"""Has aiohttp send the bytes of HTTP headers exactly as it received them."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import http_writer
from multidict import CIMultiDict

# aiohttp reads header bytes that are not UTF-8 as lone surrogates ("surrogateescape") and drops
# them when it writes a message head, so an old server's Latin-1 value would arrive truncated. It
# serializes heads with one function, for clients and servers; that function is wrapped here.

_Head = Callable[[str, "CIMultiDict[str]"], bytes]
"""Type of aiohttp's function that serializes a status line and headers."""


def _byte_exact(written: _Head) -> _Head:
    """Return a function that serializes HTTP headers without losing bytes that are not UTF-8.

    It wraps `written`, aiohttp's serializer, which still validates the headers.
    """

    def head(status_line: str, headers: CIMultiDict[str]) -> bytes:
        plain = written(status_line, headers)  # raises on header injection
        lines = [status_line, *(f"{name}: {value}" for name, value in headers.items())]
        text = "\r\n".join([*lines, "", ""])
        return plain if text.isascii() else text.encode("utf-8", "surrogateescape")

    return head


def send_headers_unchanged() -> None:
    """Make aiohttp send HTTP header bytes exactly as it received them, by replacing its header
    serializer; safe to call twice.
    """
    if not getattr(http_writer, "_lull_exact", False):
        http_writer._serialize_headers = _byte_exact(http_writer._serialize_headers)  # type: ignore[assignment]
        http_writer._lull_exact = True  # type: ignore[attr-defined]
