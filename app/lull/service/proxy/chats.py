"""Answers chat requests in the proxy: skills (instruction texts) may be added to the prompt, and
request and answer are recorded.

Each request goes through five stages: it arrives whole (`ArrivedChat`), is parsed (`ParsedChat`),
gets a source that will answer it (`ChatSource`), is opened as a turn with its skills
(`OpenedChat`), and is relayed and recorded. Where a stage has nothing to say, the client's original
request is sent on.
"""

from __future__ import annotations

from typing import Final

from aiohttp import web

from lull.core.chat.client import Client
from lull.service.proxy.answer_sources import FindSource
from lull.service.proxy.dialects.base import Dialect
from lull.service.proxy.forward import Forward
from lull.service.proxy.opened_chats import OpenChats
from lull.service.proxy.parsed_chats import ParseChats
from lull.service.proxy.reading.body import read_body, still_to_send
from lull.service.proxy.reading.read_chat import ArrivedChat
from lull.service.proxy.recorded import RecordedRelay


class AnswerChats:
    """Answers clients' chat requests from Ollama or Lull's own engine: adds skills (instruction
    texts) to the prompt and records request and answer.
    """

    def __init__(
        self,
        *,
        parsing: ParseChats,
        sources: FindSource,
        opening: OpenChats,
        forward: Forward,
        recording: RecordedRelay,
        body_limit: int,
    ) -> None:
        """The arguments are the stages, in their order; `body_limit` is the largest body that is
        read, in bytes.
        """
        self._parsing = parsing
        self._sources = sources
        self._opening = opening
        self._forward = forward
        self._recording = recording
        self._limit: Final = body_limit
        self.failed = recording.failed
        self.model_facts = sources.model_facts

    async def close(self) -> None:
        """Finish storing chat requests with long bodies, and stop the child process that reads such
        bodies.
        """
        await self._parsing.close()

    async def answer(
        self,
        request: web.Request,
        dialect: Dialect,
        client: Client,
        raw_path: str,
        *,
        bare: bool = False,
    ) -> web.StreamResponse:
        """Answer a client's chat request. Raises LullError with the error to send to the client.

        With `bare`, because Lull is switched off, no skill is added and nothing is recorded or
        learned.
        """
        arrived = ArrivedChat(
            request=request,
            dialect=dialect,
            client=client,
            raw_path=raw_path,
            body=await read_body(request, limit=self._limit),
            bare=bare,
        )
        async with self._parsing.parsed(arrived) as parsed:
            source = await self._sources.source_of(parsed)
            opened = target = None
            if source is not None and parsed.body is not None:
                opened = await self._opening.opened(arrived, parsed.body, source)
                target = await source.target(arrived, opened.sent, opened.serving)
        if opened is None or target is None:
            return await self._passed_on(arrived)
        return await self._recording.relay(arrived, opened, target)

    async def _passed_on(self, arrived: ArrivedChat) -> web.StreamResponse:
        """Send the client's original request to the upstream, and relay the answer."""
        sent = still_to_send(arrived.body, arrived.request)
        async with self._forward.send(arrived.request, arrived.raw_path, sent) as answer:
            return await self._recording.failed.relay(arrived.request, answer)
