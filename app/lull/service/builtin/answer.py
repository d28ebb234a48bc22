"""Turns an answer of Lull's own inference engine into the bytes of the HTTP answer that the proxy
sends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping

from multidict import CIMultiDict

from lull.core.errors import LullError
from lull.core.models.engine import Chunk
from lull.service.proxy.dialects.base import AnswerWriter
from lull.service.proxy.forward import ProxyAnswer


class AnswerBytes:
    """Streams the bytes of an engine's answer as an async iterator; closing it stops the generation
    at once.
    """

    def __init__(
        self, chunks: AsyncIterator[Chunk], first: Chunk | None, writer: AnswerWriter | None
    ) -> None:
        self._chunks = chunks
        self._writer = writer
        self._ready: deque[bytes] = deque()
        self._ended = writer is None
        if first is not None:
            self._take(first)

    def __aiter__(self) -> AnswerBytes:
        return self

    async def __anext__(self) -> bytes:
        while not self._ready:
            if self._ended:
                await self.aclose()
                raise StopAsyncIteration
            await self._next_chunk()
        return self._ready.popleft()

    async def aclose(self) -> None:
        """End the answer and stop the generation."""
        self._ended = True
        self._ready.clear()
        await close(self._chunks)

    def add(self, data: bytes) -> None:
        """Append bytes to the answer that is being sent to the client."""
        self._ready.append(data)

    async def _next_chunk(self) -> None:
        try:
            self._take(await anext(self._chunks))
        except StopAsyncIteration:
            self._break("unexpected EOF")
        except LullError as error:
            self._break(error.detail)

    def _take(self, chunk: Chunk) -> None:
        if self._writer is not None:
            self._ready += self._writer.write(chunk)
            self._ended = chunk.finish is not None

    def _break(self, detail: str) -> None:
        if self._writer is not None:
            self._ready += self._writer.mid_stream_error(detail)
        self._ended = True


def complete_answer(
    status: int, headers: Mapping[str, str], body: bytes, *, error: bool = False
) -> ProxyAnswer:
    """Return an HTTP answer with this complete body and its Content-Length. `error` marks an error
    answer, which is not recorded in the conversation.
    """
    pieces = AnswerBytes(_no_chunks(), None, None)
    if body:
        pieces.add(body)
    counted = CIMultiDict({**headers, "Content-Length": str(len(body))})
    return ProxyAnswer(status, counted, pieces, error=error)


async def close(chunks: AsyncIterator[Chunk]) -> None:
    """Close the engine's stream of answer chunks early, which stops the generation."""
    closing = getattr(chunks, "aclose", None)
    if closing is not None:
        await closing()


async def _no_chunks() -> AsyncIterator[Chunk]:
    return
    yield
