"""Passes a request on to Ollama, byte for byte, and its answer back as it comes.

No total time-out: a cold load takes minutes. Only silence ends a wait. Whoever stops reading
closes the upstream connection at once, which stops the model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from lull.core.errors import UpstreamDown

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
OWN_HEADERS = frozenset({"X-Lull-Token", "X-Lull-Session"})
NOT_ADDED = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")


@dataclass(slots=True)
class Answer:
    """What goes back to a client: from Ollama or from our own engine, told apart by nobody."""

    status: int
    headers: CIMultiDict[str]
    chunks: AsyncIterator[bytes]
    reason: str | None = None
    error: bool = field(default=False)
    """Made by Lull itself: never recorded as a turn."""
    all_there: bool = False
    """No chunk is still to come from the upstream: the body came with the head."""


class Forward:
    def __init__(
        self, session: aiohttp.ClientSession, address: str, *, idle_s: float, token: str = ""
    ) -> None:
        """`token` is Lull's own, which must not reach the upstream."""
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
    ) -> AsyncIterator[Answer]:
        """The upstream's answer. Raises UpstreamDown before its first byte; a break after it
        raises aiohttp.ClientError from the chunks.

        `rewritten`: the body is ours, so its length and packing are no longer what was said.
        `readable`: the answer is to be recorded, so nobody on the way may pack it.
        """
        headers = _headers(request, body, rewritten=rewritten, readable=readable)
        if self._token and self._token in headers.get("Authorization", ""):
            headers.popall("Authorization")
        answer = await self._ask(request.method, raw_path, body, headers)
        try:
            kept = end_to_end(answer.headers)
            all_there = answer.status == 200 and request.method != "HEAD" and _all_there(answer)
            chunks = answer.content.iter_any()
            yield Answer(answer.status, kept, chunks, answer.reason, all_there=all_there)
        finally:
            # Closing an unfinished answer drops the connection: the model stops. A finished one
            # has gone back to the pool already.
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
                    data=body,
                    allow_redirects=False,
                    skip_auto_headers=NOT_ADDED,
                    timeout=self._timeout,
                    trace_request_ctx=attempt,
                )
            except (aiohttp.ClientError, TimeoutError) as error:
                # A restarted Ollama has closed the connections that we kept: that is no answer.
                # On a fresh one it was asked already, and asking twice is not ours to decide.
                stale = isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError)
                if not (stale and attempt.on_kept_connection and isinstance(body, bytes | None)):
                    raise self._down() from error

    def _down(self) -> UpstreamDown:
        return UpstreamDown(
            f"Ollama at {self._address} does not answer.",
            hint="Start it with `ollama serve`, or open the Ollama app.",
        )


@dataclass(slots=True)
class Attempt:
    on_kept_connection: bool = False


def notes_kept_connections() -> aiohttp.TraceConfig:
    """For the session that `Forward` is given."""
    trace = aiohttp.TraceConfig()

    async def note(_: object, context: SimpleNamespace, __: object) -> None:
        if isinstance(context.trace_request_ctx, Attempt):
            context.trace_request_ctx.on_kept_connection = True

    trace.on_connection_reuseconn.append(note)
    return trace


def _all_there(answer: aiohttp.ClientResponse) -> bool:
    """Whether a body of a length that was said has come to its end already."""
    content = answer.content
    return "Content-Length" in answer.headers and content.is_eof() and not content.exception()


def end_to_end(
    headers: CIMultiDictProxy[str], without: frozenset[str] = HOP_BY_HOP
) -> CIMultiDict[str]:
    """Without what is said between two neighbours only. `without` is that and more, in small
    letters."""
    if "Connection" in headers:
        without |= {name.strip().lower() for name in headers["Connection"].split(",")}
    return CIMultiDict([(k, v) for k, v in headers.items() if k.lower() not in without])


_NOT_ON = HOP_BY_HOP | {"host", "expect", *(name.lower() for name in OWN_HEADERS)}
_OF_THE_BODY = frozenset({"content-length", "content-encoding"})
_PACKING = frozenset({"accept-encoding"})
_ORIGIN = frozenset({"origin"})


def _headers(
    request: web.BaseRequest, body: object, *, rewritten: bool, readable: bool
) -> CIMultiDict[str]:
    said, gone = request.headers, _NOT_ON
    if rewritten:
        gone |= _OF_THE_BODY
    if readable:
        gone |= _PACKING
    # A page of our own address is of the same site; beside the upstream's Host it would not be.
    if "Origin" in said and said["Origin"].partition("://")[2] == said.get("Host"):
        gone |= _ORIGIN
    headers = end_to_end(said, gone)
    if isinstance(body, bytes):
        headers["Content-Length"] = str(len(body))
    return headers
