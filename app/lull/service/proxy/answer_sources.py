"""Finds out who answers a chat request: Lull's own engine, or the upstream Ollama with the model or
a published version of it.

A request of which nothing may be known is nobody's here: it is passed on as it came.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import ChatRequest
from lull.core.errors import Conflict, RequestError
from lull.loops.chat.serving import Serving
from lull.service.proxy.dialects.base import Dialect
from lull.service.proxy.forward import Forward, ProxyAnswer
from lull.service.proxy.own_errors import OwnFaults
from lull.service.proxy.published_names import PublishedModelSender, PublishedNames
from lull.service.proxy.reading.read_chat import (
    ArrivedChat,
    BodyToSend,
    ParsedChat,
    without_traceback,
)
from lull.service.proxy.upstream import OwnModels, Upstream


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


class ChatSource(Protocol):
    """Interface of what answers one chat request: Lull's own engine, or the upstream Ollama."""

    def facts(self) -> ModelFacts | Awaitable[ModelFacts]:
        """Return the facts of the model that answers, such as its digest and its adapter."""

    async def target(
        self, arrived: ArrivedChat, sent: BodyToSend, serving: Serving | None
    ) -> AbstractAsyncContextManager[ProxyAnswer]:
        """Return a context manager that sends the body `sent` when it is entered, and yields the
        answer. Of `serving` the adapter answers; without it the one that is in use.
        """


class FindSource:
    """Finds the source of a chat request's answer."""

    def __init__(self, sources: AnswerSources, faults: OwnFaults, *, touch_remote: bool) -> None:
        """With `touch_remote` requests are also read whose models run on another machine."""
        self._sources = sources
        self._local = sources.local
        self._upstream = sources.upstream
        self._faults = faults
        self._touch_remote = touch_remote

    async def source_of(self, parsed: ParsedChat) -> ChatSource | None:
        """Return the source that answers this request; None if the request must go to the upstream
        as it came, because it is unread or may not be read.

        Raises RequestError if nobody here can answer it.
        """
        chat = parsed.body.chat if parsed.body is not None else None
        local = chat is not None and self._local.answers(chat)
        if not local and self._upstream.never_reached:
            # Ollama may have just started; probe it so that the next request finds it.
            self._upstream.probe_soon()
            raise without_traceback(parsed.fault) if parsed.fault else self._unknown_model(chat)
        if chat is None:
            return None
        if local and chat.outline and chat.outline.has_many_values:
            raise RequestError("a request of so many values is not read", status=400)
        if local or await self._may_see(chat.model):
            return self._source(chat, local=local)
        return None

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
        facts = self._source(chat, local=local).facts()
        return facts if isinstance(facts, ModelFacts) else await facts

    def _source(self, chat: ChatRequest, *, local: bool) -> ChatSource:
        if local:
            return _EngineSource(self._local, chat.model)
        return _UpstreamSource(self._sources, chat.model)

    async def _may_see(self, model: str) -> bool:
        if self._touch_remote:
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


@dataclass(frozen=True, slots=True)
class _EngineSource:
    """Lull's own engine, which answers a request; implements `ChatSource`."""

    _local: OwnModels
    _model: str

    def facts(self) -> ModelFacts:
        return self._local.facts(self._model)

    async def target(
        self, arrived: ArrivedChat, sent: BodyToSend, serving: Serving | None
    ) -> AbstractAsyncContextManager[ProxyAnswer]:
        return self._answer(arrived.dialect, await sent.plain(), serving, bare=arrived.bare)

    @asynccontextmanager
    async def _answer(
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


@dataclass(frozen=True, slots=True)
class _UpstreamSource:
    """The upstream Ollama, which answers a request by the model or by its published version;
    implements `ChatSource`.
    """

    _sources: AnswerSources
    _model: str

    def facts(self) -> ModelFacts | Awaitable[ModelFacts]:
        known = self._sources.upstream.facts(self._model)
        return self._sources.published.with_adapter(self._model, known)

    async def target(
        self, arrived: ArrivedChat, sent: BodyToSend, serving: Serving | None
    ) -> AbstractAsyncContextManager[ProxyAnswer]:
        forward, published = self._sources.forward, self._sources.published
        request, raw_path = arrived.request, arrived.raw_path
        target = forward.send(request, raw_path, sent.data, readable=True, rewritten=sent.rewritten)
        adapter = serving.stamp.policy.adapter if serving else None
        version = published.version(self._model, adapter)
        if not version:
            return target
        to_version = PublishedModelSender(
            names=published, forward=forward, version=version, asked_for=self._model
        )
        return to_version.send(request, raw_path, await sent.plain(), target)
