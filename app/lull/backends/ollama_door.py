"""A connection to an Ollama, by the `ollama` package: questions and answers as plain JSON.

The package's typed `chat` is passed by, because its types drop what a replay needs: ids of tool
calls, and whatever a tool's parameters say beyond one level. The transport below it sees to what
the package leaves to its user: no proxy and no key from the environment, no redirect, no answer
without an end. Loading it takes a while: open one in a thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import httpx
import ollama

from lull.backends.endpoint import MOST_ANSWER_BYTES
from lull.backends.ollama_says import Away, Refused, TooLong, Unreadable

_FAILED: Final = (httpx.HTTPError, httpx.StreamError, ConnectionError, OSError)
_UNREADABLE: Final = (ValueError, TypeError, AttributeError, RecursionError)
"""What the package raises, beside its own error, for a body that is not what it expects."""


class OllamaDoor:
    """Belongs to the event loop that asks first."""

    def __init__(self, address: str, *, connect_s: float) -> None:
        self._client = _Client(
            address,
            transport=_Transport(),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(None, connect=connect_s),
        )

    async def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer as it came. Raises Refused, Away, Unreadable, TooLong."""
        try:
            return await self._client.ask(path, body)
        except ollama.ResponseError as error:
            raise Refused(error.status_code, error.error) from None
        except _FAILED as error:
            raise Away(error) from error
        except _UNREADABLE as error:
            raise Unreadable from error

    async def close(self) -> None:
        await self._client.close()  # type: ignore[no-untyped-call]


class _Client(ollama.AsyncClient):
    async def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer as it came. Raises ResponseError for a status that is no success."""
        answer: dict[str, Any] = await self._request(dict, "POST", path, json=body)
        return answer


class _Transport(httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self._inner = httpx.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # The package takes a key for Ollama's cloud from the environment; this is no cloud.
        request.headers.pop("authorization", None)
        # Compressed, a small answer could be a large one.
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
        room = MOST_ANSWER_BYTES
        async for piece in self._stream:
            room -= len(piece)
            if room < 0:
                raise TooLong
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
