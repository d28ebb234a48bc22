"""Connects to an Ollama server through the `ollama` package, exchanging plain JSON.

The package's typed `chat` is not used, because its types drop what a replay needs: tool call ids
and nested tool parameters. The transport ensures what the package does not: no proxy or key from
the environment, no redirects, no unbounded answers. Importing the package is slow: open a
connection in a thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import httpx
import ollama

from lull.backends.chat.endpoint import MOST_ANSWER_BYTES
from lull.backends.ollama.errors import OllamaAway, OllamaRefused, OllamaUnreadable, TooLong

_FAILED: Final = (httpx.HTTPError, httpx.StreamError, ConnectionError, OSError)
_UNREADABLE: Final = (ValueError, TypeError, AttributeError, RecursionError)
"""Exceptions the package raises, besides its own, for an unexpected body."""


class OllamaConnection:
    """A connection to one Ollama server; belongs to the event loop that uses it first."""

    def __init__(self, address: str, *, connect_s: float) -> None:
        self._client = _Client(
            address,
            transport=_Transport(),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(None, connect=connect_s),
        )

    async def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request to Ollama and return the answer as JSON.

        Raises OllamaRefused, OllamaAway, OllamaUnreadable, TooLong.
        """
        try:
            return await self._client.ask(path, body)
        except ollama.ResponseError as error:
            raise OllamaRefused(error.status_code, error.error) from None
        except _FAILED as error:
            raise OllamaAway(error) from error
        except _UNREADABLE as error:
            raise OllamaUnreadable from error

    async def close(self) -> None:
        """Close the HTTP connections to the server."""
        await self._client.close()  # type: ignore[no-untyped-call]


class _Client(ollama.AsyncClient):
    async def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send one request and return the answer's JSON. Raises ResponseError for an unsuccessful
        status.
        """
        answer: dict[str, Any] = await self._request(dict, "POST", path, json=body)
        return answer


class _Transport(httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self._inner = httpx.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # The package sends a cloud API key from the environment; this is not the cloud.
        request.headers.pop("authorization", None)
        # A small compressed answer could unpack to a large one.
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        response.headers.pop("content-encoding", None)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Counted(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Counted(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left_bytes = MOST_ANSWER_BYTES
        async for piece in self._stream:
            left_bytes -= len(piece)
            if left_bytes < 0:
                raise TooLong
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
