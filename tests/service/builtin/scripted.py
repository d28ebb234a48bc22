"""A scripted inference engine for tests: it answers what it was told to and keeps each request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from lull.core.chat.messages import Finish
from lull.core.errors import EngineDown
from lull.core.models.engine import Chunk, EngineStatus, GenerateRequest, Token
from lull.core.models.local_model import LocalModel, Tensor

AT = datetime(2026, 11, 21, 2, 41, 48, 37595, tzinfo=UTC)


class StoppedClock:
    def now(self) -> datetime:
        return AT

    def monotonic_s(self) -> float:
        return 0.0


@dataclass
class ScriptedEngine:
    pieces: tuple[str, ...] = (" apple", " river")
    finish: Finish = Finish.STOP
    down: bool = False
    dies_after: int | None = None
    """Pieces of the answer that are sent before `EngineDown` is raised."""
    endless: bool = False
    prompt_tokens: int = 34
    loaded: bool = True
    asked: list[GenerateRequest] = field(default_factory=list)
    closed: int = 0
    speaking: asyncio.Event = field(default_factory=asyncio.Event)
    streams: list[AsyncIterator[Chunk]] = field(default_factory=list)
    """The answers under way, kept so that only who closes one ends it, and no garbage collector."""

    def generate(self, request: GenerateRequest) -> AsyncIterator[Chunk]:
        self.streams.append(self._answer(request))
        return self.streams[-1]

    async def _answer(self, request: GenerateRequest) -> AsyncIterator[Chunk]:
        self.asked.append(request)
        try:
            if self.down:
                raise EngineDown("It is starting.", hint="Try again soon.")
            async for chunk in self._chunks(request):
                yield chunk
        finally:
            self.closed += 1

    async def _chunks(self, request: GenerateRequest) -> AsyncIterator[Chunk]:
        pieces = self.pieces * (1_000_000 if self.endless else 1)
        for number, piece in enumerate(pieces):
            if number == self.dies_after:
                raise EngineDown("unexpected EOF")
            await asyncio.sleep(0)
            self.speaking.set()
            yield Chunk(text=piece, tokens=self._token(request, number, piece))
        end = Token(id=2, logprob=-0.5, text="")
        yield Chunk(
            text="",
            tokens=(end,) if request.logprobs is not None else (),
            finish=self.finish,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=len(self.pieces) + 1,
            load_s=0.001,
            prompt_s=0.002,
            decode_s=0.003,
        )

    def _token(self, request: GenerateRequest, number: int, piece: str) -> tuple[Token, ...]:
        if request.logprobs is None:
            return ()
        best = ((number, -0.25, piece), (99, -3.5, "<|im_end|>"))[: request.logprobs]
        return (Token(id=number, logprob=-0.25, text=piece, top=best),)

    async def tokenize(self, request: GenerateRequest) -> tuple[int, ...]:
        if self.down:
            raise EngineDown("It is starting.", hint="Try again soon.")
        self.loaded = True
        texts = [request.prompt or "", *(message.text for message in request.messages)]
        return tuple(range(sum(len(text) for text in texts)))

    async def load_adapter(self, version: str, folder: str) -> None: ...

    async def drop_adapter(self, version: str) -> None: ...

    async def status(self) -> EngineStatus:
        if self.down:
            raise EngineDown("It is starting.", hint="Try again soon.")
        return EngineStatus(
            loaded=self.loaded,
            adapters=(),
            in_flight=0,
            window_tokens=512,
            parameters=557_056,
            memory_mb=2.0,
            size_bytes=1_130_000,
        )


def pocket(name: str = "pocket", *, window_tokens: int = 2048) -> LocalModel:
    return LocalModel(
        name=name,
        digest="a" * 64,
        parameters=557_056,
        size_bytes=1_130_481,
        family="llama",
        quantization="F16",
        window_tokens=window_tokens,
        modified_at=AT,
        folder=Path("nowhere"),
        template="{{ messages }}",
        dimensions=(("context_length", window_tokens), ("block_count", 3)),
        tensors=(Tensor(name="model.embed_tokens.weight", dtype="F16", shape=(505, 128)),),
        eos_token_id=2,
    )
