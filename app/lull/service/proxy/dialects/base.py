"""Defines the interface Dialect: how to read requests and write answers in the format of one chat
route of Ollama's, OpenAI's or Anthropic's API.

A dialect knows one route's formats and nothing of skills, stores or engines. It parses a request,
edits a body in place, reads an answer from its bytes (for the record), writes an answer of Lull's
own engine as the bytes Ollama would send, and formats errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from lull.core.chat.messages import ChatRequest, Completion
from lull.core.models.engine import Chunk
from lull.core.skills.prompt_block import Injection


class AnswerReader(Protocol):
    """Interface that collects a copy of an answer's bytes as they pass the proxy, and reads the
    model's answer from them.

    It never raises, whatever a server sends.
    """

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the answer, split anywhere."""

    def completion(self, *, hung_up: bool = False) -> Completion:
        """Return the model's answer as far as received; `hung_up` says that the client
        disconnected.

        The answer has Finish.ERROR if its end mark is missing or an error came.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFacts:
    """The data that a formatted answer of Lull's own engine shows besides its text, such as the
    model's name and the time.
    """

    model: str
    """The model's name as the client typed it."""
    at: datetime
    number: int
    """Number of the answer, counted from the start of the service; used for ids in the answer."""
    prompt_ids: tuple[int, ...] = ()
    """The prompt's token ids, which only `/api/generate` returns."""


class LoadRequest(StrEnum):
    """What a request without any message asks for: that the model is loaded, or unloaded."""

    LOAD = "load"
    UNLOAD = "unload"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequestOptions:
    """The options of a chat request that only Lull's own engine needs, such as whether to think."""

    idle: LoadRequest | None = None
    think: bool = False
    raw: bool = False
    """Whether the prompt is used as it is, without the model's template."""
    insert: bool = False
    """Whether the request asks to fill in text between a prefix and a suffix."""
    template: bool = False
    """Whether the request brings its own prompt template."""
    truncate: bool = True
    """Whether the oldest messages may be dropped when the context window is full."""
    context: tuple[int, ...] = ()
    """Token ids of an earlier conversation, to be put before the prompt."""
    gives_context: bool = False
    """Whether the answer contains the token ids of prompt and answer."""
    logprobs: int | None = None
    """How many top log-probabilities are wanted per token; None for no log-probabilities."""


class AnswerWriter(Protocol):
    """Interface that formats one answer of Lull's own engine as the bytes to send to the client.

    It gets the answer's chunks in order; the last has `finish` set.
    """

    @property
    def content_type(self) -> str:
        """The answer's Content-Type header."""

    def write(self, chunk: Chunk) -> Iterable[bytes]:
        """Return the bytes to send for one chunk of the answer. If the answer is not streamed,
        return none until the last chunk.
        """

    def mid_stream_error(self, detail: str) -> Iterable[bytes]:
        """Return the bytes to send when the engine fails in the middle of a streamed answer."""


class Dialect(Protocol):
    """Interface that reads requests and writes answers in one chat route's formats."""

    @property
    def name(self) -> str:
        """Name of the API dialect: `ollama`, `openai` or `anthropic`."""

    @property
    def route(self) -> str:
        """Path of the chat route, such as `/api/chat`, without the prefix `/c/NAME` that may name
        the client.
        """

    def read_request(self, body: bytes) -> ChatRequest:
        """Parse the body of a chat request.

        Raises RequestError with Ollama's status and wording.
        """

    def injectable(self, body: bytes) -> bool:
        """Whether Lull may add skills (instruction texts) to the prompt of this request.

        Not for raw prompts and fill-in-the-middle.
        """

    def inject(self, body: bytes, injection: Injection) -> bytes:
        """Return a chat request's body with the texts of skills inserted; all other bytes are
        unchanged.

        Raises ValueError if there is no place for them; the caller then sends the original.
        """

    def read_engine_options(self, body: bytes) -> EngineRequestOptions:
        """Parse the options of a request that Lull's own engine needs besides the messages, such as
        its own prompt template.

        Raises RequestError like `read_request`.
        """

    def reader(self, *, stream: bool) -> AnswerReader:
        """Return a reader for one answer of this route; `stream` says that it comes in pieces."""

    def writer(self, body: bytes, request: ChatRequest, facts: AnswerFacts) -> AnswerWriter:
        """Return a writer for the engine's answer to this request, parsed as `request`."""

    def error(self, status: int, message: str) -> bytes:
        """Build the body of an error answer in this route's format."""
