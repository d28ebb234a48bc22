"""The HTTP server between clients and Ollama, which passes every method and path through unchanged.

The exceptions are chat requests, which `chats` answers, and listings, to which Lull's own models
are added. If anything of Lull's own fails, the client's original bytes are forwarded.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from lull.core.errors import EngineError, RequestError, UpstreamDown
from lull.service.idle.quiet import Activity
from lull.service.proxy.answer_sources import AnswerSources
from lull.service.proxy.auth import AccessRules, origin_form, refusal, split_client
from lull.service.proxy.chats import AnswerChats
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.proxy.forward import ProxyAnswer
from lull.service.proxy.own_errors import OwnFaults, client_text, error_answer
from lull.service.proxy.reading.body import Body, read_body, still_to_send
from lull.service.proxy.relay import one_chunk, relay, runner

MOST_LISTING_BYTES: Final = 2_000_000
"""Longest listing of models to which Lull's own are added; a longer one is passed on as it comes.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRules:
    """The settings that the proxy follows for requests other than chats."""

    body_limit: int
    """Largest request body that is read, in bytes; a longer one is only passed on."""
    list_built_in: bool
    """Whether listings of models include Lull's built-in model even if the upstream Ollama has
    models of its own.
    """


class DataPlane:
    """The HTTP proxy in front of Ollama; handles every request of clients."""

    def __init__(
        self,
        *,
        door: AccessRules,
        chats: AnswerChats,
        sources: AnswerSources,
        rules: ProxyRules,
        faults: OwnFaults,
        activity: Activity,
        monotonic_s: Callable[[], float],
        off: Callable[[], bool] = lambda: False,
    ) -> None:
        """The function `off` tells whether Lull is switched off.

        While it is, the upstream gets every request as it came.
        """
        self._off = off
        self.failed = chats.failed
        self.model_facts = chats.model_facts
        self._door = door
        self._chats = chats
        self._forward = sources.forward
        self._upstream = sources.upstream
        self._local = sources.local
        self._rules = rules
        self._faults = faults
        self._activity = activity
        self._monotonic_s = monotonic_s
        self.in_flight = 0
        self.last_request_s = monotonic_s()

    def runner(self, *, shutdown_timeout_s: float) -> web.AppRunner:
        """Return an aiohttp runner that serves the proxy."""
        return runner(self.handle, shutdown_timeout_s=shutdown_timeout_s)

    async def close(self) -> None:
        """Finish storing chat requests with long bodies, and stop the child process that reads such
        bodies.
        """
        await self._chats.close()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Handle any HTTP request of a client to the proxy: check access, then answer or forward
        it.
        """
        client, raw_path = split_client(origin_form(request.raw_path), request.headers)
        path = raw_path.partition("?")[0]
        dialect = CHAT_ROUTES.get(path) if request.method == "POST" else None
        if why_not := refusal(request.headers, self._door):
            return await self._refuse(request, path, 403, why_not)
        self.in_flight += 1
        self.last_request_s = self._monotonic_s()
        off = self._off()
        try:
            if off and not self._upstream.never_reached:
                # A chat is seen to go on, so that proofs and unloading wait for it; it is not read.
                with self._activity.chat() if dialect is not None else nullcontext():
                    return await self._passed(request, raw_path)
            if dialect is not None:
                with self._activity.chat():
                    return await self._chats.answer(request, dialect, client, raw_path, bare=off)
            return await self._other(request, raw_path, path)
        except UpstreamDown as error:
            self._upstream.probe_soon()
            return await self._fail(request, path, 503, client_text(error))
        except RequestError as error:
            return await self._fail(request, path, error.status, client_text(error))
        except EngineError as error:
            return await self._fail(request, path, 503, client_text(error))
        except Exception as error:  # noqa: BLE001
            # The HTTP edge: whatever breaks here, the client gets an answer in its own format.
            self._faults.report("this request is refused", error)
            return await self._fail(request, path, 500, "Lull failed here; see `lull logs`.")
        finally:
            self.in_flight -= 1
            self.last_request_s = self._monotonic_s()

    async def _passed(self, request: web.Request, raw_path: str) -> web.StreamResponse:
        """Hand a request to the upstream and its answer to the client, both as they are."""
        async with self._forward.send(request, raw_path, _stream_of(request)) as answer:
            return await relay(request, answer)

    async def _refuse(
        self, request: web.Request, path: str, status: int, message: str
    ) -> web.StreamResponse:
        body = request.method != "HEAD"
        return await relay(request, error_answer(path, status, message, body=body))

    async def _fail(
        self, request: web.Request, path: str, status: int, message: str
    ) -> web.StreamResponse:
        """Answer with an error of Lull's own, and remember that of a chat."""
        if path in CHAT_ROUTES:
            self.failed.note(request, status, message)
        return await self._refuse(request, path, status, message)

    # Requests other than chats

    async def _other(self, request: web.Request, raw_path: str, path: str) -> web.StreamResponse:
        body: Body | None = None
        if self._local.needs_body(request.method, path):
            body = await read_body(request, limit=self._rules.body_limit)
            answer = await self._own_answer(request.method, path, body.data)
            if answer is not None:
                return await relay(request, answer)
        if self._upstream.never_reached:
            answer = self._local.unknown_route(request.method, path, self._upstream.how_to_start)
            return await relay(request, answer)
        sent = _stream_of(request) if body is None else still_to_send(body, request)
        try:
            async with self._forward.send(request, raw_path, sent) as answer:
                return await relay(request, await self._with_own_names(request, path, answer))
        except UpstreamDown:
            # Ollama is down: list Lull's own models. A request for one model of Ollama's stays an
            # error, since nothing is known of it, not even that it does not exist.
            if body is None or not self._local.lists(path):
                raise
            answer = await self._local.answer_non_chat(request.method, path, body.data, alone=True)
            if answer is None:
                raise
            self._upstream.probe_soon()
            return await relay(request, answer)

    async def _own_answer(self, method: str, path: str, body: bytes) -> ProxyAnswer | None:
        if self._upstream.never_reached:
            return await self._local.answer_non_chat(method, path, body, alone=True)
        with self._faults.suppress_errors("asking the upstream instead"):
            return await self._local.answer_non_chat(method, path, body, alone=False)
        return None

    async def _with_own_names(
        self, request: web.Request, path: str, answer: ProxyAnswer
    ) -> ProxyAnswer:
        merge = self._local.merger(path) if answer.status == 200 else None
        if merge is None or not (self._rules.list_built_in or self._upstream.has_no_models):
            return answer
        length = answer.headers.popall("Content-Length", None)
        if request.method == "HEAD":
            return answer
        begun = b""
        async for chunk in answer.chunks:
            begun += chunk
            if len(begun) > MOST_LISTING_BYTES:  # too long to be held, or no listing at all
                if length:
                    answer.headers["Content-Length"] = length[0]
                answer.chunks = _before(begun, answer.chunks)
                return answer
        whole = merge(begun)
        answer.headers["Content-Length"] = str(len(whole))
        return ProxyAnswer(answer.status, answer.headers, one_chunk(whole), answer.reason)


async def _before(begun: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield begun
    async for chunk in rest:
        yield chunk


def _stream_of(request: web.Request) -> AsyncIterator[bytes] | None:
    return request.content.iter_any() if request.body_exists else None
