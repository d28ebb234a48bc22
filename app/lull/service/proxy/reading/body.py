"""Reads a request's body up to a size limit; a longer body is forwarded as a stream."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from lull.core.errors import RequestError
from lull.service.proxy.reading.unpacking import LONG_BYTES


@dataclass(slots=True)
class Body:
    """The part of a request's body read so far; `whole` is False if more follows."""

    data: bytes
    whole: bool


async def read_body(request: web.BaseRequest, *, limit: int) -> Body:
    """Read a request's body until it ends or exceeds `limit` bytes; the result's `whole` says
    which, so that the rest of a long body can be forwarded as a stream.

    Raises RequestError (400) for a body that ends too early.
    """
    parts: list[bytes] = []
    size = 0
    try:
        async for chunk in request.content.iter_any():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                return Body(await joined(parts, size), whole=False)
    except web.RequestPayloadError as error:
        raise RequestError("The request's body is cut off or badly encoded.", status=400) from error
    return Body(await joined(parts, size), whole=True)


async def joined(parts: list[bytes], size: int) -> bytes:
    """Concatenate the parts of a request's body; in a thread if it is long, so that other requests
    are not held up.
    """
    return await asyncio.to_thread(b"".join, parts) if size > LONG_BYTES else b"".join(parts)


async def stream_body(body: Body, request: web.BaseRequest) -> AsyncIterator[bytes]:
    """Yield a request's whole body: the part already read, then what still arrives."""
    yield body.data
    if not body.whole:
        async for chunk in request.content.iter_any():
            yield chunk


NAMED_WITHIN: Final = 1 << 20
"""Number of bytes at a long body's start that are searched for the model's name."""


def model_named_in(beginning: bytes) -> str:
    """Return the model named at the start of a body too long to parse.

    "" if none is found there.
    """
    # Quotes inside a JSON string are escaped, so a "model" quoted in a message does not match.
    found = re.search(rb'"model"\s*:\s*"([^"\\]{1,512})"', beginning[:NAMED_WITHIN])
    return found.group(1).decode("utf-8", "replace") if found else ""


def still_to_send(body: Body, request: web.Request) -> bytes | AsyncIterator[bytes] | None:
    """Return the whole body of a request, to be forwarded to Ollama: bytes if all of it was read,
    else a stream.

    None if the request has no body.
    """
    if not body.whole:
        return stream_body(body, request)
    return body.data if body.data or request.body_exists else None
