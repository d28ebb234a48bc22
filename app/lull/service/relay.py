"""An answer on its way to the client, as it comes and as the upstream said it.

The library's own habits are kept out: no header of its own, no end to an answer that broke off,
no traceback in the log with what a client sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection

import aiohttp
from aiohttp import HttpVersion11, web
from aiohttp.http import HttpProcessingError

from lull.service.forward import Answer

log = logging.getLogger(__name__)

HEADER_BYTES = 64 * 1024
"""Of one header line: tokens of some sign-on services are long."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def runner(handle: Handler, *, shutdown_timeout_s: float) -> web.AppRunner:
    """A server that hands every request to one function."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    app.on_response_prepare.append(_as_it_was_said)
    http = logging.getLogger("lull.service.http")
    http.addFilter(_without_bytes_of_clients)
    return web.AppRunner(
        app,
        # A client that leaves stops the model at once.
        handler_cancellation=True,
        # A packed body goes on packed.
        auto_decompress=False,
        max_line_size=HEADER_BYTES,
        max_field_size=HEADER_BYTES,
        access_log=None,
        logger=http,
        shutdown_timeout=shutdown_timeout_s,
    )


class _AsSaid(web.StreamResponse):
    def __init__(self, answer: Answer) -> None:
        super().__init__(status=answer.status, reason=answer.reason)
        self.headers.extend(answer.headers)
        self.said = answer.headers.keys()


class _AllSaid(web.Response):
    """Head and body in one packet."""

    def __init__(self, answer: Answer, body: bytes) -> None:
        super().__init__(
            body=body, status=answer.status, reason=answer.reason, headers=answer.headers.copy()
        )
        self.said = answer.headers.keys()


async def relay(
    request: web.Request, answer: Answer, hear: Callable[[bytes], None] | None = None
) -> web.StreamResponse:
    """Send an answer, each piece as it comes, to the client and to `hear`.

    Raises CancelledError when the client has gone, as aiohttp does when it notices first. Once the
    answer has begun nothing else is raised: it can only be broken off.
    """
    if answer.all_there:
        return await _relay_whole(request, answer, hear)
    response = _AsSaid(answer)
    await _to_client(response.prepare(request))
    try:
        async for chunk in answer.chunks:
            if hear is not None:
                hear(chunk)
            await _to_client(response.write(chunk))
    except aiohttp.ClientError as error:
        # The upstream broke off in mid-answer: so must we, or it would look whole.
        log.info("the upstream broke off: %s", error)
        _break_off(request)
        return response
    except Exception:
        log.exception("a fault of Lull's own: an answer breaks off")
        _break_off(request)
        return response
    await _to_client(response.write_eof())
    return response


async def _relay_whole(
    request: web.Request, answer: Answer, hear: Callable[[bytes], None] | None
) -> web.StreamResponse:
    body = b"".join([chunk async for chunk in answer.chunks])
    if hear is not None:
        hear(body)
    response = _AllSaid(answer, body)
    await _to_client(response.prepare(request))
    await _to_client(response.write_eof())
    return response


async def once(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def _to_client(sending: Awaitable[object]) -> None:
    # aiohttp's error for a client that has gone is a ClientError too: it must not look like one
    # of the upstream.
    try:
        await sending
    except ConnectionError as error:
        raise asyncio.CancelledError from error


def _break_off(request: web.Request) -> None:
    """What was said is still sent, but no end."""
    transport = request.transport
    if transport is None:
        return
    if request.version >= HttpVersion11:
        transport.close()
    else:  # an old client takes a clean close for the end
        transport.abort()


async def _as_it_was_said(_: web.Request, response: web.StreamResponse) -> None:
    said: Collection[str] = ()
    if isinstance(response, _AsSaid | _AllSaid):
        said = response.said
    for name in ("Server", "Content-Type"):
        if name not in said:
            response.headers.popall(name, None)


def _without_bytes_of_clients(record: logging.LogRecord) -> bool:
    """What is no HTTP is the client's fault, and its bytes may hold anything."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError):
        record.exc_info = None
        record.levelno, record.levelname = logging.INFO, "INFO"
        record.msg, record.args = "a client spoke no HTTP: %s", (type(error).__name__,)
    return True
