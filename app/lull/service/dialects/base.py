"""What a dialect must be able to do; one module each for native, OpenAI, responses, Anthropic.

A dialect knows the shapes of one chat route and nothing of skills, stores or engines. It reads a
request into our nouns, edits a body in place, reads an answer out of its bytes (for the record),
writes an answer of our own engine in the bytes that Ollama would have sent, and says an error in
its own shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from lull.core.injection import Injection
from lull.core.messages import ChatRequest, Completion
from lull.core.ports import Chunk


class AnswerReader(Protocol):
    """Collects a copy of an answer's bytes as they pass. Never raises on what a server sends."""

    def feed(self, data: bytes) -> None: ...

    def completion(self, *, hung_up: bool = False) -> Completion:
        """What was said so far. Finish.ERROR when the end mark is missing or an error came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFacts:
    """What an answer of our own engine needs besides its text."""

    model: str
    """As typed by the client."""
    at: datetime
    number: int
    """For the ids that the dialects carry; counts answers."""
    prompt_ids: tuple[int, ...] = ()
    """The prompt's tokens, for the one route that hands them back (`/api/generate`)."""


class Idle(StrEnum):
    """A request without anything to answer: it only says what should be in memory."""

    LOAD = "load"
    UNLOAD = "unload"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineAsk:
    """What a request asks beyond its ChatRequest, of an engine of our own."""

    idle: Idle | None = None
    think: bool = False
    raw: bool = False
    """The prompt is the text itself: no template."""
    insert: bool = False
    """Fill-in-the-middle."""
    template: bool = False
    """The request carries a template of its own."""
    truncate: bool = True
    """Old messages may be dropped when the window is full."""
    context: tuple[int, ...] = ()
    """Tokens that stand before the prompt."""
    gives_context: bool = False
    """The answer carries the ids of prompt and answer."""
    logprobs: int | None = None
    """None: not asked. n ≥ 0: each token's and the n best."""


class AnswerWriter(Protocol):
    """Writes one answer of our engine. Chunks come in order; the last has `finish` set."""

    @property
    def content_type(self) -> str: ...

    def write(self, chunk: Chunk) -> Iterable[bytes]:
        """Bytes to send now; for a non-streamed answer nothing until the last chunk."""

    def broke(self, detail: str) -> Iterable[bytes]:
        """The engine failed after bytes were sent: what Ollama would say in mid-stream."""


class Dialect(Protocol):
    @property
    def name(self) -> str:
        """`ollama`, `openai` or `anthropic`."""

    @property
    def route(self) -> str:
        """The path, without a client prefix: `/api/chat`."""

    def read_request(self, body: bytes) -> ChatRequest:
        """Raises RequestError with the status and words Ollama uses."""

    def injectable(self, body: bytes) -> bool:
        """False where a system text must not be added (raw generate, fill-in-the-middle)."""

    def inject(self, body: bytes, injection: Injection) -> bytes:
        """The same bytes with the texts grown; everything else byte for byte as it was.

        Raises ValueError where the place cannot be found; the caller then sends the original.
        """

    def ask(self, body: bytes) -> EngineAsk:
        """The rest of what our own engine must know. Raises RequestError like `read_request`."""

    def reader(self, *, stream: bool) -> AnswerReader: ...

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter: ...

    def error(self, status: int, message: str) -> bytes:
        """The body of an error in this dialect's shape."""
