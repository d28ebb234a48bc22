"""A request's body, read up to a limit: a chat is read whole, a blob of gigabytes never is."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import zstandard
from aiohttp import web

from lull.core.errors import RequestError


@dataclass(slots=True)
class Body:
    """The bytes that came, and the rest of the stream where they were too many."""

    data: bytes
    whole: bool


async def read_body(request: web.BaseRequest, *, limit: int) -> Body:
    """Up to `limit` bytes. Raises RequestError 400 for a body that ends too early."""
    parts: list[bytes] = []
    size = 0
    try:
        async for chunk in request.content.iter_any():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                return Body(b"".join(parts), whole=False)
    except web.RequestPayloadError as error:
        raise RequestError(
            "The request's body is broken off or badly encoded.", status=400
        ) from error
    return Body(b"".join(parts), whole=True)


async def rest_of(body: Body, request: web.BaseRequest) -> AsyncIterator[bytes]:
    """What was read, then what is still to come."""
    yield body.data
    if not body.whole:
        async for chunk in request.content.iter_any():
            yield chunk


def model_named_in(beginning: bytes) -> str:
    """The model in a body that was too long to read; "" where it stands further behind."""
    # A quote inside a text has a backslash before it: what others said of models does not count.
    found = re.search(rb'"model"\s*:\s*"([^"\\]{1,512})"', beginning)
    return found.group(1).decode("utf-8", "replace") if found else ""


def unpacked(data: bytes, encoding: str, *, limit: int) -> bytes:
    """A zstd body in the clear, at most `limit` bytes. Raises RequestError."""
    if encoding.strip().lower() not in ("zstd", "zst"):
        raise RequestError(f"Content-Encoding {encoding[:40]!r} is not read here.", status=415)
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data)
    try:
        plain = reader.read(limit + 1)
    except zstandard.ZstdError as error:
        raise RequestError("The body is not valid zstd.", status=400) from error
    if len(plain) > limit:
        raise RequestError(f"The body unpacks to more than {limit} bytes.", status=413)
    return bytes(plain)
