"""Forwards a request to Ollama byte for byte and streams the answer back.

There is no total timeout, because a cold load takes minutes; only an idle timeout. When the client
stops reading, the upstream connection is closed at once, which stops the model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TypeGuard

import aiohttp
from aiohttp import http_writer, web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from lull.contract.chat_headers import RECORD_HEADER, SESSION_HEADER, SKILLS_HEADER
from lull.core.errors import UpstreamDown
from lull.service.proxy.reading.unpacking import LONG_BYTES

HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""HTTP headers that apply to one connection only and must not be forwarded."""
OWN_HEADERS = frozenset({"X-Lull-Token", SESSION_HEADER, RECORD_HEADER, SKILLS_HEADER})
"""Lull's own HTTP headers, which are not forwarded."""
SKIPPED_AUTO_HEADERS = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")
"""HTTP headers that aiohttp must not add by itself."""


@dataclass(slots=True)
class ProxyAnswer:
    """An answer to a client, from Ollama or from Lull's own engine."""

    status: int
    headers: CIMultiDict[str]
    chunks: AsyncIterator[bytes]
    reason: str | None = None
    error: bool = field(default=False)
    """Whether this answer must not be recorded as a turn: it is an error made by Lull, or comes
    from another model than the record would name.
    """
    all_there: bool = False
    """Whether the whole body of the answer has already been received."""


class Forward:
    """Sends requests to the upstream Ollama."""

    def __init__(
        self, session: aiohttp.ClientSession, address: str, *, idle_s: float, token: str = ""
    ) -> None:
        """The argument `token` is Lull's own secret, which must not reach the upstream.

        `idle_s` is the idle timeout.
        """
        self._session = session
        self._token = token
        self._address = address.rstrip("/")
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=idle_s)

    @asynccontextmanager
    async def send(
        self,
        request: web.BaseRequest,
        raw_path: str,
        body: bytes | AsyncIterator[bytes] | None,
        *,
        rewritten: bool = False,
        readable: bool = False,
    ) -> AsyncIterator[ProxyAnswer]:
        """Send a request to the upstream Ollama and return its answer.

        `rewritten`: the body was changed, so the client's length and encoding headers no longer
        apply. `readable`: the answer will be recorded, so it must not be compressed.

        Raises UpstreamDown if Ollama sends no answer. If it fails after its answer has begun,
        reading the answer's `chunks` raises aiohttp.ClientError.
        """
        headers = _headers(request, body, rewritten=rewritten, readable=readable)
        if self._token and self._token in headers.get("Authorization", ""):
            headers.popall("Authorization")
        answer = await self._ask(request.method, raw_path, body, headers)
        try:
            kept = end_to_end(answer.headers)
            all_there = answer.status == 200 and request.method != "HEAD" and _all_there(answer)
            chunks = answer.content.iter_any()
            yield ProxyAnswer(answer.status, kept, chunks, answer.reason, all_there=all_there)
        finally:
            # Closing an unfinished answer drops the connection, which stops the model. The
            # connection of a finished one is already back in the pool.
            answer.close()

    async def _ask(
        self,
        method: str,
        raw_path: str,
        body: bytes | AsyncIterator[bytes] | None,
        headers: CIMultiDict[str],
    ) -> aiohttp.ClientResponse:
        url = URL(self._address + raw_path, encoded=True)
        while True:
            attempt = Attempt()
            try:
                return await self._session.request(
                    method,
                    url,
                    headers=headers,
                    data=_in_slices(body) if _is_much(body) else body,
                    allow_redirects=False,
                    skip_auto_headers=SKIPPED_AUTO_HEADERS,
                    timeout=self._timeout,
                    trace_request_ctx=attempt,
                )
            except (aiohttp.ClientError, TimeoutError) as error:
                # A restarted Ollama has closed our kept-alive connections, so retry. On a fresh
                # connection the request may have been processed, so do not repeat it.
                stale = isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError)
                if not (stale and attempt.on_kept_connection and isinstance(body, bytes | None)):
                    raise self._down() from error

    def _down(self) -> UpstreamDown:
        return UpstreamDown(
            f"Ollama at {self._address} does not answer.",
            hint="Start it with `ollama serve`, or open the Ollama app.",
        )


def _is_much(body: object) -> TypeGuard[bytes]:
    return isinstance(body, bytes) and len(body) > LONG_BYTES


async def _in_slices(body: bytes) -> AsyncIterator[memoryview]:
    """The body in slices; aiohttp would copy a long one whole into its buffer."""
    view = memoryview(body)
    for at in range(0, len(view), LONG_BYTES):
        yield view[at : at + LONG_BYTES]


@dataclass(slots=True)
class Attempt:
    """One attempt to send a request to Ollama; it records whether a kept-alive connection was
    reused.
    """

    on_kept_connection: bool = False


def forwarding_session() -> aiohttp.ClientSession:
    """Open the HTTP session with which the proxy forwards requests; the caller closes it."""
    return aiohttp.ClientSession(
        # No connection limit: requests may wait for the model, but not for a free connection.
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30),
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        trace_configs=[reuse_trace_config()],
    )


def reuse_trace_config() -> aiohttp.TraceConfig:
    """Return an aiohttp trace config that marks in an `Attempt` that a kept-alive connection was
    reused.
    """
    trace = aiohttp.TraceConfig()

    async def note(_: object, context: SimpleNamespace, __: object) -> None:
        if isinstance(context.trace_request_ctx, Attempt):
            context.trace_request_ctx.on_kept_connection = True

    trace.on_connection_reuseconn.append(note)
    return trace


def _all_there(answer: aiohttp.ClientResponse) -> bool:
    """Whether a body of declared length has been received completely."""
    content = answer.content
    return "Content-Length" in answer.headers and content.is_eof() and not content.exception()


def end_to_end(
    headers: CIMultiDictProxy[str], without: frozenset[str] = HOP_BY_HOP
) -> CIMultiDict[str]:
    """Return the headers that a proxy forwards: all but those in `without` (in lower case) and
    those that the Connection header names.
    """
    if "Connection" in headers:
        without |= {name.strip().lower() for name in headers["Connection"].split(",")}
    return CIMultiDict([(k, v) for k, v in headers.items() if k.lower() not in without])


_NOT_FORWARDED = HOP_BY_HOP | {"host", "expect", *(name.lower() for name in OWN_HEADERS)}
"""Request headers that are never forwarded."""
_BODY_HEADERS = frozenset({"content-length", "content-encoding"})
"""Headers that describe the body, dropped when it was changed."""
_COMPRESSION_HEADERS = frozenset({"accept-encoding"})
"""Headers dropped when the answer must not be compressed."""
_ORIGIN_HEADERS = frozenset({"origin"})


def _headers(
    request: web.BaseRequest, body: object, *, rewritten: bool, readable: bool
) -> CIMultiDict[str]:
    said, gone = request.headers, _NOT_FORWARDED
    if rewritten:
        gone |= _BODY_HEADERS
    if readable:
        gone |= _COMPRESSION_HEADERS
    # A same-origin page would look cross-origin next to the upstream's Host.
    if "Origin" in said and said["Origin"].partition("://")[2] == said.get("Host"):
        gone |= _ORIGIN_HEADERS
    headers = end_to_end(said, gone)
    if isinstance(body, bytes):
        headers["Content-Length"] = str(len(body))
    return headers


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
