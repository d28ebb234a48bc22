"""Answers requests other than chats for the models that Lull itself serves, as Ollama would: lists
of models, details, refusals.

If an Ollama runs, its answers are kept and Lull's models are merged in. Without one this is the
whole server, and what only Ollama can do (pull, create, copy, blobs) gives a 503.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Final, TypeVar
from urllib.parse import unquote

from lull.core.adapters.adapter import Shadow
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import ChatRequest, PartKind
from lull.core.errors import EngineDown, EngineError, RequestError
from lull.core.models.engine import Engine
from lull.core.models.local_model import LocalModel
from lull.core.ports import Clock
from lull.service.builtin.answer import complete_answer
from lull.service.builtin.listings import merge, openai_model, running, show, tag
from lull.service.builtin.names import name_key, parse_name
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.proxy.dialects.openai_answers import openai_error
from lull.service.proxy.dialects.parts import Fields, KeyCase, bad_request, read_object
from lull.service.proxy.dialects.writing import JSON, JSON_UTF8, go_bytes
from lull.service.proxy.forward import ProxyAnswer
from lull.service.proxy.reading.unpacking import LONG_BYTES

T = TypeVar("T")
OLLAMA_VERSION: Final = "0.24.0"
"""Ollama version that Lull reports to clients, which check it for supported features."""
FOREVER: Final = timedelta(days=292 * 365)
"""Time until a model is unloaded that Ollama reports for a model that is never unloaded; reported
for Lull's own models.
"""
_ONE_MODEL: Final = "/v1/models/"
"""Path prefix of a request for a single model's entry."""
_READ: Final = "HEAD, GET"
"""HTTP methods allowed on read-only paths."""
_METHODS_OF: Final = {
    "/": _READ,
    "/api/version": _READ,
    "/api/tags": _READ,
    "/api/ps": "GET",
    "/api/show": "POST",
    "/api/embed": "POST",
    "/api/embeddings": "POST",
    "/v1/models": "GET",
    "/v1/embeddings": "POST",
    **dict.fromkeys(CHAT_ROUTES, "POST"),
}
"""Allowed HTTP methods by path."""
NEEDS_OLLAMA: Final = frozenset(
    f"/api/{route}" for route in ("pull", "push", "create", "copy", "delete")
)
"""URL paths that only an Ollama can answer."""
_NAMING: Final = frozenset(("/api/show", "/api/embed", "/api/embeddings", "/v1/embeddings"))
"""Paths whose body names a model."""


class AnsweredByEngine(Enum):
    """Which of the requests for a model Lull's own inference engine answers instead of Ollama: all,
    those it can, or none.
    """

    ALL = "all"
    """Lull's engine answers every request: only Lull has the model."""
    WHAT_IT_CAN = "what it can"
    """Lull's engine answers all requests but those with tools, formats and pictures.

    Ollama answers these with its copy of the model.
    """
    NONE = "none"
    """Lull's engine only trains the model; Ollama answers, using the published adapters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model that Lull serves, with the engine and the LoRA adapter that answer for it."""

    model: LocalModel
    engine: Engine
    adapter: str | None = None
    """Version of the LoRA adapter that answers for the model; None: the base model answers."""
    learned: frozenset[str] = frozenset()
    """sha256 of each skill text that the adapter was trained to follow."""
    shadow: Shadow | None = None
    """Second adapter, which answers a share of the conversations: a new one on trial, or the
    previous one after a new one has replaced it.
    """
    reads_suffixes: bool = True
    """Whether the model follows skills that are appended to a user message."""
    answers: AnsweredByEngine = AnsweredByEngine.ALL
    system: str = ""
    """The model's own SYSTEM text, used when a request has no system message."""
    listed: bool = True
    """Whether listings name the model; requests that name it are answered in any case."""


class EngineModelList:
    """The models that Lull's own engine serves, by name, with their listings and details."""

    def __init__(self, *, clock: Clock, on_gpu: bool) -> None:
        self._clock = clock
        self._on_gpu = on_gpu
        self._by_key: dict[str, ServedModel] = {}

    def publish(self, served: ServedModel) -> None:
        """Start serving a model from Lull's engine, replacing any of the same name."""
        self._by_key[name_key(served.model.name)] = served

    def withdraw(self, name: str) -> None:
        """Stop serving a model from Lull's engine."""
        self._by_key.pop(name_key(name), None)

    def serves(self, name: str) -> bool:
        """Whether Lull's own engine serves a model of this name."""
        return name_key(name) in self._by_key

    def answers(self, chat: ChatRequest) -> bool:
        """Whether Lull's own engine answers this chat request."""
        if not self.serves(chat.model):
            return False
        how = self.served(chat.model).answers
        return how is AnsweredByEngine.ALL or (
            how is AnsweredByEngine.WHAT_IT_CAN and _is_plain(chat)
        )

    def only_lull_serves(self, name: str) -> bool:
        """Whether Lull alone serves a model of this name, and Ollama has none of that name."""
        served = self._by_key.get(name_key(name))
        return served is not None and served.answers is AnsweredByEngine.ALL

    def _public(self) -> list[ServedModel]:
        return [one for one in self._answering() if one.listed]

    def _answering(self) -> list[ServedModel]:
        return [one for one in self._by_key.values() if one.answers is not AnsweredByEngine.NONE]

    def names_own_model(self, path: str, body: bytes) -> bool:
        """Whether a request that is not a chat names a model that Lull serves and Ollama does not
        have.
        """
        if path.startswith(_ONE_MODEL):
            return self.only_lull_serves(unquote(path[len(_ONE_MODEL) :]))
        if path not in _NAMING:
            return False
        try:
            return self.only_lull_serves(_name(_body(body)))
        except RequestError:
            return False

    def facts(self, name: str) -> ModelFacts:
        """Return a model's facts (digest, context window, adapter …), to be recorded with each
        answer.

        Raises RequestError (404) for a model that is not served.
        """
        served = self.served(name)
        return ModelFacts(
            digest=served.model.digest,
            window_tokens=served.model.window_tokens,
            longest_tokens=served.model.window_tokens,
            system=served.system,
            template_sha256=hashlib.sha256(served.model.template.encode()).hexdigest(),
            adapter=served.adapter,
            learned=served.learned,
            shadow=served.shadow,
            reads_suffixes=served.reads_suffixes,
        )

    def merger(self, path: str) -> Callable[[bytes], bytes] | None:
        """Return the function that adds the models that Lull itself serves to the upstream server's
        (Ollama's) list of models at this URL path.

        None for other paths.
        """
        return {"/api/tags": self.merge_tags, "/v1/models": self.merge_models}.get(path)

    def merge_tags(self, upstream: bytes) -> bytes:
        """Add the models that Lull itself serves to the body of Ollama's `/api/tags`."""
        entries = [tag(served.model) for served in self._public()]
        return merge(upstream, "models", entries, name="name")

    def merge_models(self, upstream: bytes) -> bytes:
        """Add the models that Lull itself serves to the body of the upstream server's
        `/v1/models`.
        """
        entries = [openai_model(served.model) for served in self._public()]
        return merge(upstream, "data", entries, name="id")

    def needs_body(self, method: str, path: str) -> bool:
        """Whether a request to this URL path may concern the models that Lull itself serves, so
        that its body must be read to find out.
        """
        return path.startswith(_ONE_MODEL) or path in _METHODS_OF

    async def answer_non_chat(
        self, method: str, path: str, body: bytes, *, alone: bool
    ) -> ProxyAnswer | None:
        """Answer a request that is not a chat, as Ollama would if it had the models that Lull
        itself serves.

        Returns None if the upstream should answer. With `alone` there is no upstream, and every
        known path is answered here.
        """
        if not alone and not await in_thread_if_long(
            body, lambda: self.names_own_model(path, body)
        ):
            return None
        allowed = "GET" if path.startswith(_ONE_MODEL) else _METHODS_OF.get(path, "")
        if not allowed:
            return None
        if method not in allowed.split(", "):
            return _without_body(method, _plain(405, "405 method not allowed", Allow=allowed))
        if path in CHAT_ROUTES:
            return None
        try:
            return _without_body(method, await self._listing(path, body))
        except RequestError as error:
            return _refusal(path, error.status, error.detail)

    def lists(self, path: str) -> bool:
        """Whether requests to this path concern all models rather than one named in the body."""
        return path in _METHODS_OF and path not in _NAMING

    def unknown_route(self, method: str, path: str, how_to_start: str) -> ProxyAnswer:
        """Build the answer for an unknown path when there is no Ollama.

        The status is 503 if Ollama could answer the path, with `how_to_start` as the error text;
        else 404.
        """
        if path in NEEDS_OLLAMA or path.startswith("/api/blobs/"):
            return _without_body(method, _refusal(path, 503, how_to_start))
        return _without_body(method, _plain(404, "404 page not found"))

    async def _listing(self, path: str, body: bytes) -> ProxyAnswer:
        if path == "/":
            return _plain(200, "Ollama is running", kind="text/plain; charset=utf-8")
        if path.startswith(_ONE_MODEL):
            return self._one_model(unquote(path[len(_ONE_MODEL) :]))
        tellers: dict[str, Callable[[bytes], Awaitable[bytes]]] = {
            "/api/version": self._version,
            "/api/tags": self._tags,
            "/api/ps": self._ps,
            "/api/show": self._show,
            "/v1/models": self._models,
        }
        teller = tellers.get(path)
        if teller is None:
            return self._no_embeddings(path, body)
        kind = JSON if path.startswith("/v1/") else JSON_UTF8
        return complete_answer(200, {"Content-Type": kind}, await teller(body))

    async def _version(self, _body: bytes) -> bytes:
        return go_bytes({"version": OLLAMA_VERSION})

    async def _tags(self, _body: bytes) -> bytes:
        return go_bytes({"models": [tag(served.model) for served in self._public()]})

    async def _ps(self, _body: bytes) -> bytes:
        return go_bytes({"models": await self._running()})

    async def _models(self, _body: bytes) -> bytes:
        data = [openai_model(served.model) for served in self._public()]
        return go_bytes({"object": "list", "data": data or None}) + b"\n"

    async def _show(self, body: bytes) -> bytes:
        fields = _body(body)
        name = _name(fields)
        if not name:
            raise bad_request("model is required")
        if parse_name(name) is None:
            raise bad_request("invalid model name")
        return show(self.served(name).model, verbose=fields.flag("verbose"))

    def _one_model(self, name: str) -> ProxyAnswer:
        body = go_bytes(openai_model(self.served(name).model, name)) + b"\n"
        return complete_answer(200, {"Content-Type": JSON}, body)

    def _no_embeddings(self, path: str, body: bytes) -> ProxyAnswer:
        name = _name(_body(body))
        if not name:
            raise bad_request("model is required")
        if not self.serves(name):
            detail = f'model "{name}" not found, try pulling it first'
            raise RequestError(detail, status=404)
        return _refusal(path, 501, f'"{name}" does not support embeddings')

    def served(self, name: str) -> ServedModel:
        """Return the model of this name that Lull itself serves. Raises RequestError (404) in
        Ollama's wording.
        """
        served = self._by_key.get(name_key(name))
        if served is None:
            raise RequestError(f"model '{name}' not found", status=404)
        return served

    async def _running(self) -> list[dict[str, object]]:
        found = [await self._loaded(served) for served in self._answering()]
        return [entry for entry in found if entry is not None]

    async def _loaded(self, served: ServedModel) -> dict[str, object] | None:
        size_bytes = await _size_in_memory(served.engine, served.model)
        if size_bytes is None:
            return None
        expires_at = self._clock.now() + FOREVER
        return running(
            served.model, size_bytes=size_bytes, expires_at=expires_at, on_gpu=self._on_gpu
        )


async def _size_in_memory(engine: Engine, model: LocalModel) -> int | None:
    """Bytes in memory, None while the model is not loaded."""
    try:
        status = await engine.status()
    except (EngineDown, EngineError):
        return None
    if not status.loaded:
        return None
    return int(status.memory_mb * 1024 * 1024) or model.size_bytes


async def in_thread_if_long(body: bytes, work: Callable[[], T]) -> T:
    """Run `work`, a function that processes a request's body, without holding up other requests: in
    a thread if `body` has very many bytes, else directly.
    """
    return await asyncio.to_thread(work) if len(body) > LONG_BYTES else work()


def _is_plain(chat: ChatRequest) -> bool:
    if (long := chat.outline) is not None:
        unable = chat.tools or chat.format or long.images or long.opaque or long.has_many_values
        return not unable
    kinds = {part.kind for message in chat.messages for part in message.parts}
    return not (chat.tools or chat.format or kinds & {PartKind.IMAGE, PartKind.OPAQUE})


def _body(body: bytes) -> Fields:
    empty = "missing request body"
    return read_object(body, go_type="api.ShowRequest", when_empty=empty, case=KeyCase.TAKEN)


def _name(fields: Fields) -> str:
    return fields.text("model") or fields.text("name")


def _plain(status: int, text: str, *, kind: str = "text/plain", **headers: str) -> ProxyAnswer:
    return complete_answer(status, {**headers, "Content-Type": kind}, text.encode())


def _refusal(path: str, status: int, message: str) -> ProxyAnswer:
    if path.startswith("/v1/"):
        return complete_answer(
            status, {"Content-Type": JSON}, openai_error(status, message), error=True
        )
    return complete_answer(
        status, {"Content-Type": JSON_UTF8}, go_bytes({"error": message}), error=True
    )


def _without_body(method: str, answer: ProxyAnswer) -> ProxyAnswer:
    """Drop the body for a HEAD request; the headers stay, Content-Length included."""
    if method != "HEAD":
        return answer
    empty = complete_answer(answer.status, {}, b"")
    return ProxyAnswer(answer.status, answer.headers, empty.chunks, error=answer.error)
