"""The public name of a model in front, the published version behind it.

A request for a model that has a published version goes to Ollama with that version's name in it,
and the answer comes back under the name that was asked for. Which version is fixed when the request
arrives. Where Ollama has lost the version, the request goes to the base as it came: what was
learned must never cost an answer.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from aiohttp import web

from lull.core.adapter import BASE, Arm, Shadow
from lull.core.errors import WeightsError
from lull.core.json_edit import Draft
from lull.core.model_name import canonical
from lull.core.policy import ModelFacts
from lull.core.published import PublishedStatus, PublishedVersion
from lull.service.forward import Answer, Forward
from lull.service.problems import Problems
from lull.service.relay import once

log = logging.getLogger(__name__)
_PROBLEM = "published model"


class PublishedNames:
    """Which adapter is in force for which name, and the versions that carry one, as it stands."""

    def __init__(self, problems: Problems | None = None) -> None:
        self._routes: dict[str, tuple[Arm, Shadow | None]] = {}
        self._versions: dict[tuple[str, str], PublishedVersion] = {}
        self._problems = problems

    def follow(self, versions: Iterable[PublishedVersion]) -> None:
        self._versions = {
            (one.model, one.adapter): one for one in versions if one.status is PublishedStatus.READY
        }

    def route(self, model: str, active: Arm, shadow: Shadow | None) -> None:
        """From now on new requests go this way."""
        self._routes[canonical(model)] = (active, shadow)

    def stamped(
        self, model: str, facts: ModelFacts | Awaitable[ModelFacts]
    ) -> ModelFacts | Awaitable[ModelFacts]:
        """What the turn's stamp says of the model: the base's facts, and what was learned."""
        if canonical(model) not in self._routes:
            return facts
        if isinstance(facts, ModelFacts):
            return self._armed(model, facts)
        return self._awaited(model, facts)

    def version(self, model: str, adapter: str | None) -> PublishedVersion | None:
        """What carries this adapter; None: the base answers."""
        if adapter is None or not self._versions:
            return None
        return self._versions.get((canonical(model), adapter))

    def carries(self, model: str) -> bool:
        """Whether anything of what this model has learned stands in Ollama."""
        return any(of == canonical(model) for of, _ in self._versions)

    def lost(self, version: PublishedVersion) -> None:
        """Ollama does not have it any more: the base answers until it is published again."""
        if self._versions.pop((version.model, version.adapter), None) is None:
            return
        log.warning("%s is not in Ollama any more; the base answers", version.name)
        if self._problems is not None:
            error = WeightsError(
                f"Ollama has no {version.name} any more; {version.model} answers without what was"
                " learned.",
                hint="`lull adapters promote ID` publishes it again.",
            )
            self._problems.came(_PROBLEM, error)

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
class ToVersion:
    """One request on its way to a published version."""

    names: PublishedNames
    forward: Forward
    version: PublishedVersion
    asked_for: str
    """The name as the client typed it."""

    @asynccontextmanager
    async def send(
        self, request: web.BaseRequest, raw_path: str, sent: bytes, base: _Target
    ) -> AsyncIterator[Answer]:
        """`sent`: the body, unpacked, skills and all; `base`: what to do where the version has
        gone."""
        async with AsyncExitStack() as stack:
            body = renamed(sent, self.version.name)
            answer = None
            if body is not None:
                there = self.forward.send(request, raw_path, body, readable=True, rewritten=True)
                answer = await stack.enter_async_context(there)
            if answer is None or answer.status == 404:
                if answer is not None:
                    self.names.lost(self.version)
                answer = await stack.enter_async_context(base)
                # It is not what the stamp says that answers now.
                answer.error = True
                yield answer
                return
            yield await under(answer, self.version.name, self.asked_for)


_Target = AbstractAsyncContextManager[Answer]


def renamed(body: bytes, name: str) -> bytes | None:
    """The request for another model; None where it names none in the usual place."""
    try:
        draft = Draft(body)
        members = draft.members(draft.root)
        # Go takes a key in any case, and the last one of several.
        spans = [span for key, span in members.items() if key.lower() == "model"]
        for span in spans:
            draft.string(span)
            draft.replace(span, json.dumps(name))
        return draft.done() if spans else None
    except ValueError:
        return None


async def under(answer: Answer, name: str, asked_for: str) -> Answer:
    """The answer under the name that was asked for."""
    if answer.status != 200:
        body = b"".join([chunk async for chunk in answer.chunks])
        shown = json.dumps(asked_for, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
        body = body.replace(name.encode(), shown)
        return _whole(answer, body)
    old, new = _field(name), _field(asked_for)
    if "Content-Length" in answer.headers:
        body = b"".join([chunk async for chunk in answer.chunks])
        return _whole(answer, body.replace(old, new))
    return Answer(
        answer.status,
        answer.headers,
        replaced(answer.chunks, old, new),
        answer.reason,
        error=answer.error,
    )


def _whole(answer: Answer, body: bytes) -> Answer:
    answer.headers["Content-Length"] = str(len(body))
    return Answer(
        answer.status,
        answer.headers,
        once(body),
        answer.reason,
        error=answer.error,
        all_there=answer.all_there,
    )


def _field(name: str) -> bytes:
    """As Ollama writes the model's name in every dialect. Inside a text its quotes would be
    escaped, so nothing that a model says looks like it."""
    return b'"model":' + json.dumps(name, ensure_ascii=False).encode("utf-8", "replace")


async def replaced(chunks: AsyncIterator[bytes], old: bytes, new: bytes) -> AsyncIterator[bytes]:
    """A stream with one text for another, also where it stands across two pieces. Nothing is held
    back but what may be its beginning."""
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
    """How many bytes at the end may be the beginning of the text."""
    most = min(len(text) - 1, len(data))
    return next((n for n in range(most, 0, -1) if data.endswith(text[:n])), 0)
