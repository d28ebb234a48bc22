"""Passes a request on to Ollama, byte for byte, and its answer back as it comes.

No total time-out: a cold load takes minutes. Only silence ends a wait. Whoever stops reading
closes the upstream connection at once, which stops the model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
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
OWN_HEADERS = frozenset({"x-lull-token", "x-lull-session"})
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


class Forward:
    def __init__(self, session: aiohttp.ClientSession, address: str, *, idle_s: float) -> None:
        self._session = session
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
    ) -> AsyncIterator[Answer]:
        """The upstream's answer. Raises UpstreamDown before its first byte; a break after it
        raises aiohttp.ClientPayloadError from the chunks."""
        answer = await self._ask(request, raw_path, body, rewritten=rewritten)
        try:
            headers = CIMultiDict(
                (k, v) for k, v in answer.headers.items() if k.lower() not in HOP_BY_HOP
            )
            yield Answer(answer.status, headers, answer.content.iter_any(), answer.reason)
        finally:
            # Closing an unfinished answer drops the connection: the model stops. A finished one
            # has gone back to the pool already.
            answer.close()

    async def _ask(
        self,
        request: web.BaseRequest,
        raw_path: str,
        body: bytes | AsyncIterator[bytes] | None,
        *,
        rewritten: bool,
    ) -> aiohttp.ClientResponse:
        headers = self._headers(request, rewritten=rewritten, body=body)
        url = URL(self._address + raw_path, encoded=True)
        # A pooled connection may have been closed by a restarted Ollama; bytes can be sent again.
        for again in (True, False):
            try:
                return await self._session.request(
                    request.method,
                    url,
                    headers=headers,
                    data=body,
                    allow_redirects=False,
                    skip_auto_headers=NOT_ADDED,
                    timeout=self._timeout,
                )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
                connecting = isinstance(error, aiohttp.ClientConnectorError)
                if connecting or not again or not isinstance(body, bytes | None):
                    raise self._down() from error
            except (aiohttp.ClientError, TimeoutError) as error:
                raise self._down() from error
        raise self._down()

    def _headers(
        self, request: web.BaseRequest, *, rewritten: bool, body: object
    ) -> CIMultiDict[str]:
        gone = {"host", "expect"} | ({"content-length", "content-encoding"} if rewritten else set())
        headers = CIMultiDict(
            (key, value)
            for key, value in request.headers.items()
            if key.lower() not in HOP_BY_HOP | OWN_HEADERS | gone
        )
        if isinstance(body, bytes):
            headers["Content-Length"] = str(len(body))
        return headers

    def _down(self) -> UpstreamDown:
        return UpstreamDown(
            f"Ollama at {self._address} does not answer.",
            hint="Start it with `ollama serve`, or open the Ollama app.",
        )
