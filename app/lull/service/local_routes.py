"""Everything but the chats, for models of our own: listings, descriptions, and plain refusals.

With an Ollama behind Lull its answers stand and our names are merged into them; without one this
is the whole server, and what only an Ollama can do (pull, create, copy, blobs) is a 503.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Final
from urllib.parse import unquote

from lull.core.adapter import Shadow
from lull.core.errors import EngineDown, EngineError, RequestError
from lull.core.messages import ChatRequest, PartKind
from lull.core.policy import ModelFacts
from lull.core.ports import Clock, Engine
from lull.service.dialects import CHAT_ROUTES
from lull.service.dialects.names import name_key, parse_name
from lull.service.dialects.openai_answers import openai_error
from lull.service.dialects.parts import Case, Fields, bad_request, read_object
from lull.service.dialects.writing import JSON, JSON_UTF8, go_bytes
from lull.service.forward import Answer
from lull.service.local_answer import one_piece
from lull.service.local_facts import LocalModel
from lull.service.local_listings import merge, openai_model, running, show, tag

OLLAMA_VERSION: Final = "0.24.0"
"""Whose shapes are spoken here; clients compare it with what they need."""
FOREVER: Final = timedelta(days=292 * 365)
"""Ollama's own "never": our engine does not unload by the clock."""
_ONE_MODEL: Final = "/v1/models/"
_READ: Final = "HEAD, GET"
_ALLOWED: Final = {
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
NEEDS_OLLAMA: Final = frozenset(
    f"/api/{route}" for route in ("pull", "push", "create", "copy", "delete")
)
_NAMING: Final = frozenset(("/api/show", "/api/embed", "/api/embeddings", "/v1/embeddings"))


class Answers(Enum):
    """Which requests for a model our engine answers."""

    ALL = "all"
    """It is nobody else's."""
    WHAT_IT_CAN = "what it can"
    """Ollama has it too, and answers what our engine cannot: tools, formats, pictures."""
    NONE = "none"
    """It only learns here; Ollama answers, with what was learned published there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    model: LocalModel
    engine: Engine
    adapter: str | None = None
    """Version of the adapter that answers under this name; None: the base."""
    learned: frozenset[str] = frozenset()
    shadow: Shadow | None = None
    reads_suffixes: bool = True
    """See ModelFacts."""
    answers: Answers = Answers.ALL
    system: str = ""
    """The model's own SYSTEM text, in front where a request has none."""


class ListedModels:
    """The models served here, by name, and what is told of them."""

    def __init__(self, *, clock: Clock, on_gpu: bool) -> None:
        self._clock = clock
        self._on_gpu = on_gpu
        self._by_key: dict[str, Served] = {}

    def publish(self, served: Served) -> None:
        """Serve a model, or put another in place of the one of that name."""
        self._by_key[name_key(served.model.name)] = served

    def withdraw(self, name: str) -> None:
        self._by_key.pop(name_key(name), None)

    def serves(self, name: str) -> bool:
        return name_key(name) in self._by_key

    def answers(self, chat: ChatRequest) -> bool:
        """Whether our engine answers this one."""
        if not self.serves(chat.model):
            return False
        how = self.served(chat.model).answers
        return how is Answers.ALL or (how is Answers.WHAT_IT_CAN and _is_plain(chat))

    def is_alone_with(self, name: str) -> bool:
        """A model that nobody else has."""
        served = self._by_key.get(name_key(name))
        return served is not None and served.answers is Answers.ALL

    def _public(self) -> list[Served]:
        return [one for one in self._by_key.values() if one.answers is not Answers.NONE]

    def names_ours(self, path: str, body: bytes) -> bool:
        """Whether a request outside the chat routes is about a model of ours."""
        if path.startswith(_ONE_MODEL):
            return self.is_alone_with(unquote(path[len(_ONE_MODEL) :]))
        if path not in _NAMING:
            return False
        try:
            return self.is_alone_with(_name(_body(body)))
        except RequestError:
            return False

    def facts(self, name: str) -> ModelFacts:
        """For the stamp of a turn. Raises RequestError (404) for a name that is not served."""
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
        """How to put our names into an upstream's listing; None where there is none to put in."""
        return {"/api/tags": self.merge_tags, "/v1/models": self.merge_models}.get(path)

    def merge_tags(self, upstream: bytes) -> bytes:
        entries = [tag(served.model) for served in self._public()]
        return merge(upstream, "models", entries, name="name")

    def merge_models(self, upstream: bytes) -> bytes:
        entries = [openai_model(served.model) for served in self._public()]
        return merge(upstream, "data", entries, name="id")

    def wants(self, method: str, path: str) -> bool:
        """Whether `other` may have an answer, so that the body is worth reading."""
        return path.startswith(_ONE_MODEL) or path in _ALLOWED

    async def other(self, method: str, path: str, body: bytes, *, alone: bool) -> Answer | None:
        """The answer to a request outside the chats, as an Ollama with our models would give it.

        None: let the upstream answer. Alone, everything on a known path is ours.
        """
        if not alone and not self.names_ours(path, body):
            return None
        allowed = "GET" if path.startswith(_ONE_MODEL) else _ALLOWED.get(path, "")
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
        """Whether what is asked there is about every model, and not about one by its name."""
        return path in _ALLOWED and path not in _NAMING

    def unknown_route(self, method: str, path: str, how_to_start: str) -> Answer:
        """Without an Ollama: what only it can do is 503, anything else does not exist."""
        if path in NEEDS_OLLAMA or path.startswith("/api/blobs/"):
            return _without_body(method, _refusal(path, 503, how_to_start))
        return _without_body(method, _plain(404, "404 page not found"))

    async def _listing(self, path: str, body: bytes) -> Answer:
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
        return one_piece(200, {"Content-Type": kind}, await teller(body))

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

    def _one_model(self, name: str) -> Answer:
        body = go_bytes(openai_model(self.served(name).model, name)) + b"\n"
        return one_piece(200, {"Content-Type": JSON}, body)

    def _no_embeddings(self, path: str, body: bytes) -> Answer:
        name = _name(_body(body))
        if not name:
            raise bad_request("model is required")
        if not self.serves(name):
            detail = f'model "{name}" not found, try pulling it first'
            raise RequestError(detail, status=404)
        return _refusal(path, 501, f'"{name}" does not support embeddings')

    def served(self, name: str) -> Served:
        """Raises RequestError (404) in the words of Ollama."""
        served = self._by_key.get(name_key(name))
        if served is None:
            raise RequestError(f"model '{name}' not found", status=404)
        return served

    async def _running(self) -> list[dict[str, object]]:
        found = [await self._loaded(served) for served in self._public()]
        return [entry for entry in found if entry is not None]

    async def _loaded(self, served: Served) -> dict[str, object] | None:
        size_bytes = await _size_in_memory(served.engine, served.model)
        if size_bytes is None:
            return None
        expires_at = self._clock.now() + FOREVER
        return running(
            served.model, size_bytes=size_bytes, expires_at=expires_at, on_gpu=self._on_gpu
        )


async def _size_in_memory(engine: Engine, model: LocalModel) -> int | None:
    """None while the model is not loaded."""
    try:
        status = await engine.status()
    except (EngineDown, EngineError):
        return None
    if not status.loaded:
        return None
    return int(status.memory_mb * 1024 * 1024) or model.size_bytes


def _is_plain(chat: ChatRequest) -> bool:
    kinds = {part.kind for message in chat.messages for part in message.parts}
    return not (chat.tools or chat.format or kinds & {PartKind.IMAGE, PartKind.OPAQUE})


def _body(body: bytes) -> Fields:
    empty = "missing request body"
    return read_object(body, go_type="api.ShowRequest", when_empty=empty, case=Case.TAKEN)


def _name(fields: Fields) -> str:
    return fields.text("model") or fields.text("name")


def _plain(status: int, text: str, *, kind: str = "text/plain", **headers: str) -> Answer:
    return one_piece(status, {**headers, "Content-Type": kind}, text.encode())


def _refusal(path: str, status: int, message: str) -> Answer:
    if path.startswith("/v1/"):
        return one_piece(status, {"Content-Type": JSON}, openai_error(status, message), error=True)
    return one_piece(status, {"Content-Type": JSON_UTF8}, go_bytes({"error": message}), error=True)


def _without_body(method: str, answer: Answer) -> Answer:
    """A HEAD answer has the headers of the GET, its length included, and nothing else."""
    if method != "HEAD":
        return answer
    empty = one_piece(answer.status, {}, b"")
    return Answer(answer.status, answer.headers, empty.chunks, error=answer.error)
