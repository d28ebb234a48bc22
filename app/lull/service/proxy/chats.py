"""Answers chat requests in the proxy: skills (instruction texts) may be added to the prompt, and
request and answer are recorded.

Each request is parsed, matched to its conversation, rewritten and sent on; if any of these steps
fails, the client's original request is sent on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from lull.contract.chat_headers import (
    RECORD_HEADER,
    SESSION_HEADER,
    SKILLS_HEADER,
    WINDOW_CLIENT,
)
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.messages import ChatRequest
from lull.core.errors import Conflict, LullError, RequestError
from lull.core.skills.prompt_block import Injection
from lull.loops.chat.serve import Serve, Serving
from lull.service.proxy.dialects.base import AnswerReader, Dialect
from lull.service.proxy.forward import Forward, ProxyAnswer
from lull.service.proxy.long.bodies import LongBodies, is_long
from lull.service.proxy.own_errors import OwnFaults
from lull.service.proxy.published_names import PublishedModelSender, PublishedNames
from lull.service.proxy.reading.body import Body, model_named_in, read_body, still_to_send
from lull.service.proxy.reading.read_chat import (
    BodyToSend,
    InProcessBody,
    ReadableBody,
    without_traceback,
)
from lull.service.proxy.reading.unpacking import TOO_LONG, decompress_zstd
from lull.service.proxy.recorded import RecordedRelay
from lull.service.proxy.upstream import OwnModels, Upstream
from lull.store.chat.recording import Prepared

log = logging.getLogger(__name__)

SETTLE_S = 3.0
"""Most seconds that a shutdown waits until long requests are ready to be stored; then only those of
their messages are stored that are ready. These are the newest ones, or none.
"""
UNREAD = RequestError(
    "The request is long and cannot be read now.", status=503, hint="Try again in a moment."
)
"""Error answer for a long request when the process that reads long requests has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRules:
    """The settings that the proxy follows for chat requests, such as the size limit and whether to
    record them.
    """

    body_limit: int
    """Largest request body that is read, in bytes; a longer one is only passed on."""
    record: bool
    """Whether chats are recorded."""
    touch_remote: bool
    """Whether skills and recording also apply to models that do not run on this machine."""
    list_built_in: bool
    """Whether listings of models include Lull's built-in model even if the upstream Ollama has
    models of its own.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSources:
    """The sources from which the proxy gets answers: the upstream Ollama, and the models that Lull
    serves itself.
    """

    forward: Forward
    upstream: Upstream
    local: OwnModels
    published: PublishedNames = field(default_factory=PublishedNames)
    """Names under which trained versions of models are published to the upstream Ollama."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """A chat request that is about to be answered."""

    target: AbstractAsyncContextManager[ProxyAnswer]
    """Where the answer comes from, once it is entered."""
    reader: AnswerReader
    keeps: Serving | None
    """What of the request is recorded with its answer; None where nothing is."""
    kept: asyncio.Future[Prepared] | None
    """The request as it will be stored, where a child process prepares that."""


class AnswerChats:
    """Answers clients' chat requests from Ollama or Lull's own engine: adds skills (instruction
    texts) to the prompt and records request and answer.
    """

    def __init__(
        self,
        *,
        serve: Serve,
        sources: AnswerSources,
        rules: ProxyRules,
        recording: RecordedRelay,
        faults: OwnFaults,
        long: LongBodies | None = None,
    ) -> None:
        """The argument `long` reads long request bodies in a child process.

        Without it all bodies are read in this process.
        """
        self._serve = serve
        self._forward = sources.forward
        self._upstream = sources.upstream
        self._local = sources.local
        self._published = sources.published
        self._rules = rules
        self._recording = recording
        self.failed = recording.failed
        self._faults = faults
        self._long = long

    async def close(self) -> None:
        """Finish storing chat requests with long bodies, and stop the child process that reads such
        bodies.
        """
        if self._long is not None:
            await self._long.wait_for_tasks(SETTLE_S)
            await self._long.close()

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
        body = await read_body(request, limit=self._rules.body_limit)
        begun: _Begun | None = None
        async with self._reading(request, dialect, client, body) as (read, fault):
            chat = read.chat if read is not None else None
            local = chat is not None and self._local.answers(chat)
            if not local and self._upstream.never_reached:
                # Ollama may have just started; probe it so that the next request finds it.
                self._upstream.probe_soon()
                raise without_traceback(fault) if fault else self._unknown_model(chat)
            if local and chat is not None and chat.outline and chat.outline.has_many_values:
                raise RequestError("a request of so many values is not read", status=400)
            if read is not None and (local or await self._may_see(read.chat.model)):
                unchanged = BodyToSend(body.data, read)
                begun = await self._begin(
                    request, dialect, client, raw_path, unchanged, local=local, bare=bare
                )
        if begun is None:
            async with self._forward.send(
                request, raw_path, still_to_send(body, request)
            ) as answer:
                return await self._recording.failed.relay(request, answer)
        return await self._recording.relay(
            request, begun.target, begun.reader, begun.keeps, begun.kept
        )

    async def _begin(
        self,
        request: web.Request,
        dialect: Dialect,
        client: Client,
        raw_path: str,
        unchanged: BodyToSend,
        *,
        local: bool,
        bare: bool,
    ) -> _Begun:
        """Put skills into a chat request, and find who answers it and what is kept of it."""
        read, sent, serving = unchanged.read, unchanged, None
        if not bare:
            sent, serving = await self._open(request, dialect, client, unchanged, local=local)
        wanted = request.headers.get(RECORD_HEADER, "").lower() != "no"
        keeps = serving if self._rules.record and wanted and not read.idle else None
        kept = read.prepare_record() if keeps is not None else None
        target: AbstractAsyncContextManager[ProxyAnswer]
        if local:
            target = self._from_engine(dialect, await sent.plain(), serving, bare=bare)
        else:
            target = await self._from_upstream(request, raw_path, sent, serving)
        reader = dialect.reader(stream=read.chat.stream)
        return _Begun(target=target, reader=reader, keeps=keeps, kept=kept)

    @asynccontextmanager
    async def _reading(
        self, request: web.Request, dialect: Dialect, client: Client, body: Body
    ) -> AsyncIterator[tuple[ReadableBody | None, RequestError | None]]:
        """Return the parsed request, or None and the fault, which is left to the upstream to
        judge."""
        async with contextlib.AsyncExitStack() as stack:
            read: ReadableBody | None = None
            fault: RequestError | None = None
            try:
                read = await self._read(request, dialect, client, body, stack)
            except RequestError as error:
                fault = without_traceback(error)
            except LullError as error:
                self._faults.report_known(error)
                fault = UNREAD
            except Exception as error:  # noqa: BLE001
                # Parsing meets whatever clients send; a fault of it may not cost them the answer.
                self._faults.report("passing a request on unread", error)
            unread = fault is not None and fault.status in (TOO_LONG, UNREAD.status)
            if fault and unread and self._local.only_lull_serves(model_named_in(body.data)):
                # Only Lull has the model, so no upstream can report the error.
                raise without_traceback(fault)
            yield read, fault

    async def _read(
        self,
        request: web.Request,
        dialect: Dialect,
        client: Client,
        body: Body,
        stack: contextlib.AsyncExitStack,
    ) -> ReadableBody:
        """Parse a request's body. Raises RequestError."""
        if not body.whole:
            size = f"The request has more than {self._rules.body_limit} bytes."
            raise RequestError(size, status=TOO_LONG, hint="Send less at once.")
        encoding = request.headers.get("Content-Encoding", "identity")
        if self._long is not None and is_long(body.data, encoding):
            reading = self._long.reading(
                body.data, route=dialect.route, encoding=encoding, client=client.identity
            )
            return await stack.enter_async_context(reading)
        plain = body.data
        if encoding.lower() != "identity":
            plain = decompress_zstd(plain, encoding, limit=self._rules.body_limit)
        return InProcessBody(dialect, plain)

    async def _may_see(self, model: str) -> bool:
        if self._rules.touch_remote:
            return True
        with self._faults.suppress_errors("passing a request on unread"):
            remote = self._upstream.remote(model)
            return not (remote if isinstance(remote, bool) else await remote)
        return False

    def _unknown_model(self, chat: ChatRequest | None) -> RequestError:
        name = chat.model if chat else ""
        return RequestError(
            f"model '{name}' not found", status=404, hint=self._upstream.how_to_start
        )

    async def _open(
        self,
        request: web.Request,
        dialect: Dialect,
        client: Client,
        unchanged: BodyToSend,
        *,
        local: bool,
    ) -> tuple[BodyToSend, Serving | None]:
        """Return the body with skills put in, or as it came, and the request's state."""
        chat, sent = unchanged.read.chat, unchanged
        # Only the window is asked for its wish, so that no other chat pays for it.
        bare = client.name == WINDOW_CLIENT and request.headers.get(SKILLS_HEADER, "") == "no"

        async def put_in(injection: Injection) -> str:
            nonlocal sent
            self._faults.clear()
            if bare:
                return "the window asked for none"
            sent, why = await self._injected(unchanged, injection)
            return why

        with self._faults.suppress_errors("serving without skills"):
            serving = await self._serve.open(
                chat,
                client=client,
                route=dialect.route,
                session=request.headers.get(SESSION_HEADER, "")[:200],
                injectable=unchanged.read.injectable and not bare,
                facts=lambda: self._facts(chat.model, local=local),
                on_trial=not bare,
                put_in=put_in,
            )
            return sent, serving
        return unchanged, None

    async def model_facts(self, chat: ChatRequest) -> ModelFacts:
        """Return the facts of the model that would answer this request: its digest, context window,
        system text and LoRA adapter.

        Raises LullError if there is no such model, or if Lull may not add skills to requests to it
        because it runs on another machine.
        """
        local = self._local.answers(chat)
        if not local and self._upstream.never_reached:
            raise self._unknown_model(chat)
        if not local and not await self._may_see(chat.model):
            raise Conflict(
                f"Lull adds no skills to requests to {chat.model}, which runs on another machine.",
                hint="Choose a model that runs here.",
            )
        facts = self._facts(chat.model, local=local)
        return facts if isinstance(facts, ModelFacts) else await facts

    def _facts(self, model: str, *, local: bool) -> ModelFacts | Awaitable[ModelFacts]:
        if local:
            return self._local.facts(model)
        return self._published.with_adapter(model, self._upstream.facts(model))

    async def _injected(
        self, unchanged: BodyToSend, injection: Injection
    ) -> tuple[BodyToSend, str]:
        """Return the body with skills put in, and ""; or as it came, and why."""
        if injection.empty:
            return unchanged, ""
        with self._faults.suppress_errors("sending the original request"):
            try:
                return await unchanged.with_skills(injection), ""
            except ValueError as error:
                log.info("no skills put in: %s", error)
                return unchanged, "the body has no place for them"
        return unchanged, "Lull failed to put them in"

    async def _from_upstream(
        self, request: web.Request, raw_path: str, sent: BodyToSend, serving: Serving | None
    ) -> AbstractAsyncContextManager[ProxyAnswer]:
        """Answer by the upstream, or by the version of the model that is published there."""
        target = self._forward.send(
            request, raw_path, sent.data, readable=True, rewritten=sent.rewritten
        )
        adapter = serving.stamp.policy.adapter if serving else None
        version = self._published.version(sent.read.chat.model, adapter)
        if not version:
            return target
        to_version = PublishedModelSender(
            names=self._published,
            forward=self._forward,
            version=version,
            asked_for=sent.read.chat.model,
        )
        return to_version.send(request, raw_path, await sent.plain(), target)

    @asynccontextmanager
    async def _from_engine(
        self, dialect: Dialect, sent: bytes, serving: Serving | None, *, bare: bool
    ) -> AsyncIterator[ProxyAnswer]:
        if bare:
            answer = await self._local.answer(dialect, sent, adapter=None)
        elif serving is None:
            answer = await self._local.answer(dialect, sent)
        else:
            # Use the adapter that the turn was stamped with, even if another was promoted since.
            adapter = serving.stamp.policy.adapter
            answer = await self._local.answer(dialect, sent, adapter=adapter)
        async with contextlib.aclosing(answer.chunks):  # type: ignore[type-var]
            yield answer
