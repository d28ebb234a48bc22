"""Relays an answer to the client exactly as the upstream sent it.

Suppresses aiohttp's defaults: added headers, a regular end for an answer that broke off, lost
header bytes, and tracebacks in the log that contain a client's bytes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection

import aiohttp
from aiohttp import HttpVersion11, web
from aiohttp.http import HttpProcessingError

from lull.service.proxy.forward import ProxyAnswer, send_headers_unchanged

log = logging.getLogger(__name__)

MAX_HEADER_BYTES = 64 * 1024
"""Longest request header line in bytes; some sign-on services send long tokens."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def runner(handle: Handler, *, shutdown_timeout_s: float) -> web.AppRunner:
    """Return an aiohttp server (AppRunner) that passes every HTTP request to `handle`."""
    send_headers_unchanged()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    app.on_response_prepare.append(_drop_added_headers)
    http = logging.getLogger("lull.service.http")
    http.addFilter(_without_bytes_of_clients)
    return web.AppRunner(
        app,
        # When a client disconnects, the model stops at once.
        handler_cancellation=True,
        # Forward compressed bodies unchanged.
        auto_decompress=False,
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
        access_log=None,
        logger=http,
        shutdown_timeout=shutdown_timeout_s,
    )


class _StreamedResponse(web.StreamResponse):
    """A streamed answer with the upstream's headers."""

    def __init__(self, answer: ProxyAnswer) -> None:
        super().__init__(status=answer.status, reason=answer.reason)
        self.headers.extend(answer.headers)
        self.said = answer.headers.keys()


class _WholeResponse(web.Response):
    """An answer whose head and body are sent in one packet."""

    def __init__(self, answer: ProxyAnswer, body: bytes) -> None:
        super().__init__(
            body=body, status=answer.status, reason=answer.reason, headers=answer.headers.copy()
        )
        self.said = answer.headers.keys()


async def relay(
    request: web.Request, answer: ProxyAnswer, hear: Callable[[bytes], None] | None = None
) -> web.StreamResponse:
    """Send an answer chunk by chunk to the client, and pass a copy of each chunk to the function
    `hear`.

    Raises CancelledError when the client has disconnected, as aiohttp does when it notices first.
    After the answer has begun nothing else is raised: on an error the connection is closed.
    """
    if answer.all_there:
        return await _relay_whole(request, answer, hear)
    response = _StreamedResponse(answer)
    await _to_client(response.prepare(request))
    try:
        async for chunk in answer.chunks:
            if hear is not None:
                hear(chunk)
            await _to_client(response.write(chunk))
    except aiohttp.ClientError as error:
        # The upstream broke off in mid-answer: break off too, or the answer would look complete.
        log.info("the upstream broke off: %s", error)
        _break_off(request)
        return response
    except Exception:
        # The HTTP edge: a half answer must not look complete, whatever broke.
        log.exception("a fault of Lull's own: an answer breaks off")
        _break_off(request)
        return response
    await _to_client(response.write_eof())
    return response


async def _relay_whole(
    request: web.Request, answer: ProxyAnswer, hear: Callable[[bytes], None] | None
) -> web.StreamResponse:
    body = b"".join([chunk async for chunk in answer.chunks])
    if hear is not None:
        hear(body)
    response = _WholeResponse(answer, body)
    await _to_client(response.prepare(request))
    await _to_client(response.write_eof())
    return response


async def one_chunk(data: bytes) -> AsyncIterator[bytes]:
    """Yield the data as the only chunk of an async stream."""
    yield data


async def _to_client(sending: Awaitable[object]) -> None:
    # aiohttp's error for a disconnected client is a ClientError too; keep it apart from one of
    # the upstream.
    try:
        await sending
    except ConnectionError as error:
        raise asyncio.CancelledError from error


def _break_off(request: web.Request) -> None:
    """Close the connection after sending what is buffered, without a regular end."""
    transport = request.transport
    if transport is None:
        return
    if request.version >= HttpVersion11:
        transport.close()
    else:  # an HTTP/1.0 client takes a clean close for the end
        transport.abort()


async def _drop_added_headers(_: web.Request, response: web.StreamResponse) -> None:
    said: Collection[str] = ()
    if isinstance(response, _StreamedResponse | _WholeResponse):
        said = response.said
    for name in ("Server", "Content-Type"):
        if name not in said:
            response.headers.popall(name, None)


def _without_bytes_of_clients(record: logging.LogRecord) -> bool:
    """Log filter: removes a client's bytes from errors about invalid HTTP."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError):
        record.exc_info = None
        record.levelno, record.levelname = logging.INFO, "INFO"
        record.msg, record.args = "a client spoke no HTTP: %s", (type(error).__name__,)
    return True
