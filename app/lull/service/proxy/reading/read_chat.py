"""Holds a parsed chat request; its body is parsed in this process or, if it is long, in a child
process.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Protocol

from aiohttp import web

from lull.core.chat.client import Client
from lull.core.chat.messages import ChatRequest
from lull.core.errors import RequestError
from lull.core.skills.prompt_block import Injection
from lull.service.proxy.dialects.base import Dialect
from lull.service.proxy.reading.body import Body
from lull.store.chat.recording import Prepared

FORMAT_CHARACTERS: Final = 32_000
"""Most characters read of a request's output format."""
STOP_CHARACTERS: Final = 8_000
"""Most characters read of the texts at which an answer is to stop, together."""
NAME_CHARACTERS: Final = 1_000
"""Most characters read of a model's name."""


class ReadableBody(Protocol):
    """Interface of a chat request's parsed body, which may be held in this process or, if long, in
    a child process.
    """

    @property
    def chat(self) -> ChatRequest:
        """The chat request that the body contains."""

    @property
    def injectable(self) -> bool:
        """Whether skills' texts may be added to the prompt of this request."""

    @property
    def idle(self) -> bool:
        """Whether the request has no message and only loads or unloads a model."""

    async def injected(self, injection: Injection) -> bytes:
        """Return the request's body with skills' texts inserted. Raises ValueError if it has no
        place for them.
        """

    async def plain(self) -> bytes:
        """Return the request's body uncompressed."""

    def prepare_record(self) -> asyncio.Future[Prepared] | None:
        """Have the child process make the record of a long chat request that the database stores;
        return it as a future.

        For other requests return None: the caller must make the record itself.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedChat:
    """A client's chat request as it arrived."""

    request: web.Request
    dialect: Dialect
    client: Client
    raw_path: str
    """The path to send it to, without the prefix `/c/NAME` that may name the client."""
    body: Body
    bare: bool
    """Whether Lull is switched off: no skill is added, and nothing is recorded or learned."""


@dataclass(frozen=True, slots=True)
class ParsedChat:
    """What is known of a chat request after the attempt to parse its body."""

    body: ReadableBody | None
    """The parsed body; None if it could not be parsed."""
    fault: RequestError | None = None
    """Why it could not be parsed, which is left to the upstream to judge."""


@dataclass(frozen=True, slots=True)
class BodyToSend:
    """A chat request's body as it is sent to the model: the client's own bytes, or the body with
    skills inserted.
    """

    data: bytes
    """The bytes to send; if they are the client's own, they may be compressed."""
    read: ReadableBody
    """The client's body, parsed."""
    rewritten: bool = False
    """Whether skills were put in."""

    async def with_skills(self, injection: Injection) -> BodyToSend:
        """Return the body with skills' texts put in. Raises ValueError if it has no place for
        them.
        """
        return BodyToSend(await self.read.injected(injection), self.read, rewritten=True)

    async def plain(self) -> bytes:
        """Return the bytes to send to the model, decompressed."""
        return self.data if self.rewritten else await self.read.plain()


class InProcessBody:
    """A chat request's body that is parsed in this process; only long bodies are parsed in a child
    process. Implements `ReadableBody`.
    """

    def __init__(self, dialect: Dialect, plain: bytes) -> None:
        """Parse a request's body. Raises RequestError."""
        self.chat = dialect.read_request(plain)
        refuse_endless_settings(self.chat)
        self._dialect = dialect
        self._plain = plain

    @property
    def injectable(self) -> bool:
        return self._dialect.injectable(self._plain)

    @property
    def idle(self) -> bool:
        if self.chat.newest_user_text:
            return False
        try:
            return self._dialect.read_engine_options(self._plain).idle is not None
        except RequestError:
            return False

    async def injected(self, injection: Injection) -> bytes:
        return self._dialect.inject(self._plain, injection)

    async def plain(self) -> bytes:
        return self._plain

    def prepare_record(self) -> None:
        return None


def refuse_endless_settings(chat: ChatRequest) -> None:
    """Raise RequestError if a request's model name, output format or stop texts are so long that
    storing them would hold up the database. The request then goes to the upstream without being
    read.
    """
    stops = sum(map(len, chat.sampling.stop))
    if (
        len(chat.model) > NAME_CHARACTERS
        or len(chat.format) > FORMAT_CHARACTERS
        or stops > STOP_CHARACTERS
    ):
        detail = "the name, format or stop texts are too long"
        raise RequestError(detail, status=400)


def without_traceback(error: RequestError) -> RequestError:
    """Return a copy of an error without its traceback, whose frames would keep the request's body
    in memory.
    """
    return RequestError(error.detail, status=error.status, hint=error.hint)
