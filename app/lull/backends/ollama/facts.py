"""Watches a local Ollama server: whether it runs, its models, their SYSTEM texts and context
windows.

Uses plain HTTP, because the `ollama` package drops needed fields (`system` of /api/show,
`remote_host` of /api/tags). Users' requests never pass through here. Facts are gathered in the
background; a request that needs a fact not gathered yet waits only briefly.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from lull.backends.ollama.bounded import read_bounded
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.context_window import DEFAULT_WINDOW
from lull.core.chat.model_name import canonical, runs_elsewhere
from lull.core.errors import UpstreamDown

log = logging.getLogger(__name__)

ASK_TIMEOUT = aiohttp.ClientTimeout(total=10, sock_connect=2)
PS_MAX_AGE_S = 2.0
"""Seconds after which Ollama is asked again which models are in memory."""
REMOTE_WITHIN_S = 0.05
"""Most seconds that a request waits to learn whether an unlisted model is remote."""


@dataclass(slots=True)
class _Show:
    system: str
    template_sha256: str
    context_tokens: int | None
    num_ctx: int | None
    remote: bool


@dataclass(slots=True)
class _Listed:
    digest: str
    remote: bool


@dataclass(slots=True)
class OllamaState:
    """The last known state of an Ollama server: whether it answers, its version and its models."""

    ok: bool = False
    version: str = ""
    models: dict[str, _Listed] = field(default_factory=dict)


_NO_ANSWER = (aiohttp.ClientError, TimeoutError, OSError, ValueError, RecursionError)
"""Exceptions that mean there was no answer, or one that is not Ollama's."""
MOST_MODELS = 2000
"""Most models of a listing that are known; a further one is asked for when it is used."""
_LONGEST_NAME = 500
_ASKED_AT_ONCE = 8
"""Most models whose properties Ollama is asked for at the same time."""
_MOST_TOKENS = 1 << 40
"""Largest context length that is accepted as valid."""


class OllamaFacts:
    """Watches one Ollama server: whether it answers, and the properties of its models, such as
    context windows.

    `on_change(ok)` is called when the server appears or disappears.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        address: str,
        *,
        on_change: Callable[[bool], None],
    ) -> None:
        self.address = address.rstrip("/")
        self.state = OllamaState()
        self.ever_seen = False
        self._session = session
        self._on_change = on_change
        self._shown: dict[str, _Show] = {}
        self._showing: dict[str, asyncio.Task[_Show]] = {}
        self._few = asyncio.Semaphore(_ASKED_AT_ONCE)
        self._windows: dict[str, int] = {}
        self._asked_ps_s = float("-inf")

    async def probe(self) -> bool:
        """Ask Ollama for its list of models, store it in `state`, and return whether Ollama
        answered.
        """
        try:
            tags = await self._get("/api/tags")
            if not self.state.version:
                self.state.version = _text((await self._get("/api/version")).get("version"))
            models = {
                canonical(name): _Listed(
                    digest=_text(m.get("digest")),
                    remote=bool(m.get("remote_host")) or runs_elsewhere(name),
                )
                for name, m in _models(tags)
            }
            ok = True
        except _NO_ANSWER:
            ok, models = False, {}
        was, self.state.ok = self.state.ok, ok
        self.state.models = models if ok else self.state.models
        self.ever_seen = self.ever_seen or ok
        if not ok:
            self.state.version = ""
        if was != ok:
            self._on_change(ok)
        if ok:
            digests = {one.digest for one in models.values()}
            self._shown = {mark: show for mark, show in self._shown.items() if mark in digests}
        for name in models:
            self._show_soon(name)
        if models:
            await self.read_windows()
        return ok

    @property
    def has_models(self) -> bool:
        """Whether Ollama had any models in its last listing, without a request."""
        return bool(self.state.models)

    def digests(self) -> dict[str, str]:
        """Return the digests of the local models in Ollama's last listing by canonical name,
        without a request.
        """
        models = self.state.models
        return {name: one.digest for name, one in models.items() if not one.remote}

    def remote(self, name: str) -> bool | Awaitable[bool]:
        """Return whether Ollama runs a model on another machine: at once if known, else an
        awaitable.

        An unlisted model is looked up, and counts as remote if that takes too long.
        """
        if runs_elsewhere(name):
            return True
        listed = self.state.models.get(canonical(name))
        return listed.remote if listed is not None else self._asked_remote(canonical(name))

    async def _asked_remote(self, key: str) -> bool:
        try:
            async with asyncio.timeout(REMOTE_WITHIN_S):
                return (await asyncio.shield(self._show_soon(key))).remote
        except (TimeoutError, UpstreamDown):
            return True

    def known(self, name: str) -> ModelFacts | None:
        """Return an Ollama model's properties, such as its context window, without a request; None
        if they are not known yet.

        May be called from any thread.
        """
        key = canonical(name)
        listed = self.state.models.get(key)
        digest = listed.digest if listed else ""
        show = self._shown.get(digest or key)
        return self._facts(key, digest, show) if show else None

    def facts(self, name: str) -> ModelFacts | Awaitable[ModelFacts]:
        """Return an Ollama model's properties, such as its context window: at once if known, else
        an awaitable.

        The awaitable may raise UpstreamDown.
        """
        key = canonical(name)
        listed = self.state.models.get(key)
        digest = listed.digest if listed else ""
        if key not in self._windows:
            self._read_windows_soon()
        show = self._shown.get(digest or key)
        return self._facts(key, digest, show) if show else self._asked_facts(key, digest)

    async def _asked_facts(self, key: str, digest: str) -> ModelFacts:
        return self._facts(key, digest, await asyncio.shield(self._show_soon(key)))

    def _facts(self, key: str, digest: str, show: _Show) -> ModelFacts:
        return ModelFacts(
            digest=digest or key,
            window_tokens=self._window(key, show),
            longest_tokens=show.context_tokens,
            system=show.system,
            template_sha256=show.template_sha256,
        )

    def _window(self, key: str, show: _Show) -> int:
        """Return a model's context window: the allocated one, else the model's setting, else
        Ollama's default.
        """
        most = show.context_tokens or DEFAULT_WINDOW
        return self._windows.get(key) or min(show.num_ctx or DEFAULT_WINDOW, most)

    def _show_soon(self, key: str) -> asyncio.Task[_Show]:
        listed = self.state.models.get(key)
        mark = listed.digest if listed and listed.digest else key
        if mark in self._shown:
            return asyncio.ensure_future(_ready(self._shown[mark]))
        if mark not in self._showing:
            task = asyncio.create_task(self._show(key, mark), name=f"show {key}")
            task.add_done_callback(lambda done: self._showing.pop(mark, None) and None)
            task.add_done_callback(_seen)
            self._showing[mark] = task
        return self._showing[mark]

    async def _show(self, key: str, mark: str) -> _Show:
        try:
            async with self._few:
                answer = await self._post("/api/show", {"model": key})
        except _NO_ANSWER as error:
            raise UpstreamDown(f"{self.address} gives no information about {key}.") from error
        show = _read_show(answer)
        if mark != key:  # a name without a digest may mean another model later
            self._shown[mark] = show
        return show

    def _read_windows_soon(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._asked_ps_s > PS_MAX_AGE_S:
            self._asked_ps_s = now
            task = asyncio.create_task(self.read_windows(), name="ollama ps")
            task.add_done_callback(_seen)

    async def read_windows(self) -> None:
        """Ask Ollama for the actual context window of each loaded model."""
        with contextlib.suppress(*_NO_ANSWER):
            found = {name: _whole(m.get("context_length")) for name, m in await self._running()}
            self._windows = {canonical(name): tokens for name, tokens in found.items() if tokens}

    async def loaded(self) -> frozenset[str] | None:
        """Return the names of the models in Ollama's memory; None if Ollama does not answer."""
        try:
            return frozenset(canonical(name) for name, _ in await self._running())
        except _NO_ANSWER:
            return None

    async def _running(self) -> list[tuple[str, dict[str, Any]]]:
        return _models(await self._get("/api/ps"))

    async def unload(self, name: str) -> None:
        """Have Ollama free a model's memory once it is unused. Failures are ignored."""
        with contextlib.suppress(*_NO_ANSWER):
            await self._post("/api/generate", {"model": name, "keep_alive": 0, "stream": False})

    async def _get(self, path: str) -> dict[str, Any]:
        async with self._session.get(self.address + path, timeout=ASK_TIMEOUT) as answer:
            return _object(await read_bounded(answer), answer.status)

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self._session.post(
            self.address + path, json=body, timeout=ASK_TIMEOUT
        ) as answer:
            return _object(await read_bounded(answer), answer.status)


def _object(data: bytes, status: int) -> dict[str, Any]:
    value = json.loads(data)
    if status != 200 or not isinstance(value, dict):
        raise ValueError(f"HTTP {status}")
    return value


def _models(answer: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the entries of Ollama's model list by name. Raises ValueError for any other answer."""
    listed = answer.get("models") or []
    if not isinstance(listed, list):
        raise ValueError("models is no list")
    entries = [one for one in listed if isinstance(one, dict)]
    named = [
        (one["name"], one) for one in entries if 0 < len(_text(one.get("name"))) <= _LONGEST_NAME
    ]
    return named[:MOST_MODELS]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object) -> int | None:
    """Return the value as a number of tokens; None if it is not a valid one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 < value < _MOST_TOKENS else None


def _read_show(answer: dict[str, Any]) -> _Show:
    template = _text(answer.get("template"))
    info = answer.get("model_info")
    lengths = [
        tokens
        for key, value in (info.items() if isinstance(info, dict) else ())
        if str(key).endswith(".context_length") and (tokens := _whole(value))
    ]
    asked = re.search(r"^num_ctx\s+(\d{1,9})\b", _text(answer.get("parameters")), re.MULTILINE)
    return _Show(
        system=_text(answer.get("system")),
        template_sha256=hashlib.sha256(template.encode()).hexdigest(),
        context_tokens=lengths[0] if lengths else None,
        num_ctx=int(asked.group(1)) if asked else None,
        remote=bool(answer.get("remote_host")),
    )


async def _ready(show: _Show) -> _Show:
    return show


def _seen(task: asyncio.Task[Any]) -> None:
    """Retrieve the task's exception, so that asyncio does not log it as unhandled."""
    if not task.cancelled():
        task.exception()
