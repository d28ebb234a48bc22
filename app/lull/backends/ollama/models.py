"""Lists, uploads, creates, tests and deletes models of a local Ollama server.

Implements the `ModelStore` port over plain HTTP. Models made by others are never changed:
Lull creates models only under names of its own, and deletes only models that the caller names.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

from lull.backends.ollama.bounded import read_bounded
from lull.contract.json_object import Json
from lull.core.chat.model_name import runs_elsewhere
from lull.core.errors import NotFound, UpstreamDown, WeightsError
from lull.core.models.ollama_model import ListedModel, ShownModel, shown_model
from lull.core.models.weight_work import NextToken, Report

SHORT_TIMEOUT: Final = aiohttp.ClientTimeout(total=30, sock_connect=5)
"""Timeout for short requests to Ollama."""
LONG_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=900)
"""Timeout for uploading, creating or loading a large model, which takes minutes."""
_UNREADABLE: Final = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""Exceptions of reading an answer that is not in the form that Ollama sends."""
_PIECE_BYTES: Final = 4 * 1024 * 1024
"""Bytes read at a time while uploading."""


class OllamaModels:
    """Manages the models of an Ollama server; implements the `ModelStore` port."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self.address = address.rstrip("/")
        self._session = session

    async def listed(self) -> tuple[ListedModel, ...]:
        answer = await self._ask("GET", "/api/tags", None)
        with self._read():
            return tuple(
                ListedModel(
                    name=str(one.get("name", "")),
                    digest=str(one.get("digest", "")),
                    size_bytes=int(one.get("size") or 0),
                    remote=bool(one.get("remote_host")) or runs_elsewhere(str(one.get("name", ""))),
                )
                for one in answer.get("models") or ()
            )

    async def show(self, name: str) -> ShownModel:
        answer = await self._ask("POST", "/api/show", {"model": name})
        with self._read():
            return shown_model(name, answer)

    async def has_blob(self, digest: str) -> bool:
        async with self._sending("HEAD", f"/api/blobs/{digest}", None, SHORT_TIMEOUT) as answer:
            return answer.status == 200

    async def upload(self, digest: str, path: str, report: Report) -> None:
        size = Path(path).stat().st_size
        headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
        body = _pieces(Path(path), size, report)
        async with self._sending(
            "POST", f"/api/blobs/{digest}", body, LONG_TIMEOUT, headers
        ) as answer:
            if answer.status not in (200, 201):
                raise _refused(answer.status, await read_bounded(answer), "the merged weights")

    async def create(self, body: Mapping[str, object]) -> None:
        """Create a model in Ollama; the last line of Ollama's answer tells whether that
        succeeded.
        """
        last = b"{}"
        async with self._sending("POST", "/api/create", body, LONG_TIMEOUT) as answer:
            if answer.status != 200:
                raise _refused(answer.status, await read_bounded(answer), str(body.get("model")))
            lines = (await read_bounded(answer)).split(b"\n")
            last = next((line for line in reversed(lines) if line.strip()), last)
        with self._read():
            if json.loads(last).get("status") == "success":
                return
        raise _refused(200, last, str(body.get("model")))

    async def delete(self, name: str) -> None:
        async with self._sending("DELETE", "/api/delete", {"model": name}, SHORT_TIMEOUT) as answer:
            if answer.status not in (200, 404):
                raise _refused(answer.status, await read_bounded(answer), name)

    async def next_token(self, name: str, prompt: str, *, most: int) -> NextToken | None:
        options = {"temperature": 0, "num_predict": 1, "seed": 1}
        wanted = {"model": name, "prompt": prompt, "raw": True, "stream": False}
        wanted |= {"logprobs": True, "top_logprobs": most, "options": options}
        answer = await self._ask("POST", "/api/generate", wanted, LONG_TIMEOUT)
        with self._read():
            said = answer.get("logprobs")
            if not isinstance(said, list) or not said:
                return None
            top = said[0].get("top_logprobs") or [said[0]]
            return NextToken(
                text=str(said[0].get("token", "")),
                logprobs=tuple(sorted((float(one["logprob"]) for one in top), reverse=True)),
                prompt_tokens=int(answer.get("prompt_eval_count") or 0),
            )

    async def _ask(
        self, method: str, path: str, body: object, timeout: aiohttp.ClientTimeout = SHORT_TIMEOUT
    ) -> Json:
        async with self._sending(method, path, body, timeout) as answer:
            data = await read_bounded(answer)
            if answer.status != 200:
                name = body.get("model", "") if isinstance(body, dict) else ""
                raise _refused(answer.status, data, str(name))
        with self._read():
            value = json.loads(data)
            if isinstance(value, dict):
                return value
        raise self._unreadable()

    @contextmanager
    def _read(self) -> Iterator[None]:
        """Convert what reading an answer of another form raises to WeightsError."""
        try:
            yield
        except _UNREADABLE as error:
            raise self._unreadable() from error

    def _unreadable(self) -> WeightsError:
        return WeightsError(f"What {self.address} sent is not an answer from Ollama.")

    def _sending(
        self,
        method: str,
        path: str,
        body: object,
        timeout: aiohttp.ClientTimeout,
        headers: Mapping[str, str] | None = None,
    ) -> _Sending:
        plain = body is None or hasattr(body, "__aiter__")
        sent: Any = body if plain else json.dumps(body).encode()
        told = dict(headers or ({} if plain else {"Content-Type": "application/json"}))
        asked = self._session.request(
            method, self.address + path, data=sent, headers=told, timeout=timeout
        )
        return _Sending(asked, self.address)


class _Sending:
    """A request whose connection errors become UpstreamDown."""

    def __init__(self, asked: Any, address: str) -> None:
        self._asked = asked
        self._address = address

    async def __aenter__(self) -> aiohttp.ClientResponse:
        try:
            answer: aiohttp.ClientResponse = await self._asked.__aenter__()
            return answer
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._down() from error

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> None:
        await self._asked.__aexit__(kind, error, trace)
        if isinstance(error, aiohttp.ClientError | TimeoutError | ValueError):
            raise self._down() from error

    def _down(self) -> UpstreamDown:
        return UpstreamDown(
            f"Ollama at {self._address} does not answer.",
            hint="Start it with `ollama serve`, or open the Ollama app.",
        )


def _refused(status: int, body: bytes, what: str) -> NotFound | WeightsError:
    try:
        said = json.loads(body).get("error", "")
    except _UNREADABLE:
        said = ""
    words = " ".join(str(said).split())[:300]
    if status == 404:
        return NotFound(
            f"Ollama has no model {what[:100]}.", hint="`lull model list` shows what it has."
        )
    return WeightsError(f"Ollama refuses {what[:100]} (HTTP {status}): {words or 'no reason'}.")


async def _pieces(path: Path, size: int, report: Report) -> AsyncIterator[bytes]:
    done = 0
    with path.open("rb") as stream:
        while piece := await asyncio.to_thread(stream.read, _PIECE_BYTES):
            yield piece
            done += len(piece)
            report(done, size)
