"""Sends requests for a model to its version that Lull published in Ollama, which has a LoRA adapter
merged in, and restores the model's name in the answers.

A published version is the model with a LoRA adapter merged in, which Ollama holds under a name of
its own. The answer to the client still names the model that was requested. Which version answers is
fixed when the request arrives. If Ollama no longer has that version, the unchanged request goes to
the base model.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from aiohttp import web

from lull.core.adapters.adapter import BASE, Arm, Shadow
from lull.core.adapters.model_facts import ModelFacts
from lull.core.adapters.published import PublishedStatus, PublishedVersion
from lull.core.chat.json_edit import BodyEdit
from lull.core.chat.model_name import canonical
from lull.core.errors import WeightsError
from lull.service.process.problems import Problems
from lull.service.proxy.forward import Forward, ProxyAnswer
from lull.service.proxy.reading.unpacking import LONG_BYTES
from lull.service.proxy.relay import one_chunk

log = logging.getLogger(__name__)
_PROBLEM = "published model"


class PublishedNames:
    """Knows which models with a merged LoRA adapter are published to Ollama, and which adapter
    answers for each model.
    """

    def __init__(self, problems: Problems | None = None) -> None:
        self._routes: dict[str, tuple[Arm, Shadow | None]] = {}
        self._versions: dict[tuple[str, str], PublishedVersion] = {}
        self._problems = problems

    def set_versions(self, versions: Iterable[PublishedVersion]) -> None:
        """Replace the list of models with a merged LoRA adapter that are published to Ollama; only
        those that passed the test of their outputs are used.
        """
        self._versions = {
            (one.model, one.adapter): one for one in versions if one.status is PublishedStatus.READY
        }

    def route(self, model: str, active: Arm, shadow: Shadow | None) -> None:
        """Set the LoRA adapters that answer new requests to a model: `active`, and `shadow` for a
        share of the conversations.
        """
        self._routes[canonical(model)] = (active, shadow)

    def with_adapter(
        self, model: str, facts: ModelFacts | Awaitable[ModelFacts]
    ) -> ModelFacts | Awaitable[ModelFacts]:
        """Return a model's facts (digest, context window …), completed with the LoRA adapter now in
        use, to be recorded with an answer.
        """
        if canonical(model) not in self._routes:
            return facts
        if isinstance(facts, ModelFacts):
            return self._armed(model, facts)
        return self._awaited(model, facts)

    def version(self, model: str, adapter: str | None) -> PublishedVersion | None:
        """Return the model published to Ollama that has this LoRA adapter merged in.

        None means that the base model answers.
        """
        if adapter is None or not self._versions:
            return None
        return self._versions.get((canonical(model), adapter))

    def has_versions(self, model: str) -> bool:
        """Whether any version of a model with a merged LoRA adapter is published in Ollama."""
        return any(of == canonical(model) for of, _ in self._versions)

    def mark_gone(self, version: PublishedVersion) -> None:
        """Record that Ollama no longer has a published model with a merged LoRA adapter.

        The base model answers until the adapter is published again.
        """
        if self._versions.pop((version.model, version.adapter), None) is None:
            return
        log.warning("%s is not in Ollama any more; the base answers", version.name)
        if self._problems is not None:
            error = WeightsError(
                f"{version.name} is no longer in Ollama; {version.model} answers without its "
                "training.",
                hint="`lull adapters promote ID` publishes it again.",
            )
            self._problems.report(_PROBLEM, error)

    def _armed(self, model: str, facts: ModelFacts) -> ModelFacts:
        active, shadow = self._routes[canonical(model)]
        if active.version is not None and self.version(model, active.version) is None:
            active = BASE
        other = shadow.arm.version if shadow is not None else None
        if other is not None and self.version(model, other) is None:
            shadow = None
        return replace(facts, adapter=active.version, learned=active.learned, shadow=shadow)

    async def _awaited(self, model: str, facts: Awaitable[ModelFacts]) -> ModelFacts:
        return self._armed(model, await facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedModelSender:
    """Sends one request to the published model with a merged LoRA adapter instead of the base
    model.
    """

    names: PublishedNames
    forward: Forward
    version: PublishedVersion
    asked_for: str
    """The model's name as the client typed it."""

    @asynccontextmanager
    async def send(
        self, request: web.BaseRequest, raw_path: str, sent: bytes, base: _Target
    ) -> AsyncIterator[ProxyAnswer]:
        """Send the request to the published model with a merged LoRA adapter, and return its
        answer.

        `sent` is the uncompressed body with skills; `base` sends the original instead if the
        published model is gone.
        """
        async with AsyncExitStack() as stack:
            # A long body is edited in a thread.
            beside = len(sent) > LONG_BYTES
            body = (
                await asyncio.to_thread(with_model_name, sent, self.version.name)
                if beside
                else with_model_name(sent, self.version.name)
            )
            answer = None
            if body is not None:
                there = self.forward.send(request, raw_path, body, readable=True, rewritten=True)
                answer = await stack.enter_async_context(there)
            if answer is None or answer.status == 404:
                if answer is not None:
                    self.names.mark_gone(self.version)
                answer = await stack.enter_async_context(base)
                # The base answers, contrary to the turn's stamp, so it must not be recorded.
                answer.error = True
                yield answer
                return
            yield await with_requested_name(answer, self.version.name, self.asked_for)


_Target = AbstractAsyncContextManager[ProxyAnswer]


def with_model_name(body: bytes, name: str) -> bytes | None:
    """Return a request's body with another model name; None if the body has no model name at the
    top level.
    """
    try:
        draft = BodyEdit(body)
        members = draft.members(draft.root)
        # Go matches keys in any case and takes the last of several.
        spans = [span for key, span in members.items() if key.lower() == "model"]
        for span in spans:
            draft.string(span)
            draft.replace(span, json.dumps(name))
        return draft.edited_body() if spans else None
    except ValueError:
        return None


async def with_requested_name(answer: ProxyAnswer, name: str, asked_for: str) -> ProxyAnswer:
    """Return an answer in which the name of the published model (with a merged LoRA adapter) is
    replaced by the name that the client asked for.
    """
    if answer.status != 200:
        body = b"".join([chunk async for chunk in answer.chunks])
        shown = json.dumps(asked_for, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
        body = body.replace(name.encode(), shown)
        return _whole(answer, body)
    old, new = _field(name), _field(asked_for)
    if "Content-Length" in answer.headers:
        body = b"".join([chunk async for chunk in answer.chunks])
        return _whole(answer, body.replace(old, new))
    return ProxyAnswer(
        answer.status,
        answer.headers,
        replace_in_stream(answer.chunks, old, new),
        answer.reason,
        error=answer.error,
    )


def _whole(answer: ProxyAnswer, body: bytes) -> ProxyAnswer:
    answer.headers["Content-Length"] = str(len(body))
    return ProxyAnswer(
        answer.status,
        answer.headers,
        one_chunk(body),
        answer.reason,
        error=answer.error,
        all_there=answer.all_there,
    )


def _field(name: str) -> bytes:
    """Return the model field as Ollama writes it in every dialect.

    Quotes inside a text are escaped, so a model's words cannot match it.
    """
    return b'"model":' + json.dumps(name, ensure_ascii=False).encode("utf-8", "replace")


async def replace_in_stream(
    chunks: AsyncIterator[bytes], old: bytes, new: bytes
) -> AsyncIterator[bytes]:
    """Yield the chunks of a byte stream with each `old` replaced by `new`, even where it spans two
    chunks.

    Only the end of a chunk that could be the beginning of `old` is held back.
    """
    held = b""
    async for chunk in chunks:
        data = (held + chunk).replace(old, new)
        keep = _beginning(data, old)
        held = data[len(data) - keep :]
        if ready := data[: len(data) - keep]:
            yield ready
    if held:
        yield held


def _beginning(data: bytes, text: bytes) -> int:
    """Length of the longest suffix of `data` that is a proper prefix of `text`."""
    most = min(len(text) - 1, len(data))
    return next((n for n in range(most, 0, -1) if data.endswith(text[:n])), 0)
