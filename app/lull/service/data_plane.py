"""The listener in front of Ollama: one catch-all, and the walk of a chat request.

Every method and path passes through untouched except the chat routes, where skills may be put in
and the turn is recorded. The request is sacred: whatever of ours fails, the original bytes go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from lull.core.errors import EngineError, LullError, RequestError, UpstreamDown
from lull.core.events import EventKind
from lull.core.messages import ChatRequest
from lull.core.policy import Client
from lull.loops.serve import Serve, Serving, without_skills
from lull.service.auth import Door, refusal, split_client
from lull.service.body import Body, read_body, rest_of, unpacked
from lull.service.bus import Bus
from lull.service.dialects import CHAT_ROUTES
from lull.service.dialects.base import AnswerReader, Dialect
from lull.service.forward import Answer, Forward
from lull.service.local_model import Adapter, LocalModels
from lull.service.problems import Problems
from lull.service.upstream import Upstream

log = logging.getLogger(__name__)

SESSION_HEADER = "X-Lull-Session"
JSON = "application/json"


class DataPlane:
    def __init__(
        self,
        *,
        door: Door,
        serve: Serve,
        forward: Forward,
        upstream: Upstream,
        local: LocalModels,
        problems: Problems,
        bus: Bus,
        body_limit: int,
        record: bool,
        touch_remote: bool,
        list_built_in: bool,
        monotonic_s: Callable[[], float],
    ) -> None:
        self._door = door
        self._serve = serve
        self._forward = forward
        self._upstream = upstream
        self._local = local
        self._problems = problems
        self._bus = bus
        self._body_limit = body_limit
        self._record = record
        self._touch_remote = touch_remote
        self._list_built_in = list_built_in
        self._monotonic_s = monotonic_s
        self.in_flight = 0
        self.last_request_s = monotonic_s()

    def listen_on(self, door: Door) -> None:
        """The port is known only once the socket is bound."""
        self._door = door

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.handle)
        app.on_response_prepare.append(_as_upstream_said)
        return app

    async def handle(self, request: web.Request) -> web.StreamResponse:
        why_not = refusal(request.headers, self._door)
        client, raw_path = split_client(request.raw_path, request.headers)
        path = raw_path.partition("?")[0]
        dialect = CHAT_ROUTES.get(path) if request.method == "POST" else None
        if why_not:
            return await _send(request, _error(dialect, path, 403, why_not))
        self.in_flight += 1
        self.last_request_s = self._monotonic_s()
        try:
            if dialect is not None:
                return await self._chat(request, dialect, client, raw_path)
            return await self._other(request, raw_path, path)
        except UpstreamDown as error:
            self._upstream.failed()
            return await _send(request, _error(dialect, path, 503, _sentence(error)))
        except RequestError as error:
            return await _send(request, _error(dialect, path, error.status, _sentence(error)))
        except EngineError as error:
            return await _send(request, _error(dialect, path, 503, _sentence(error)))
        finally:
            self.in_flight -= 1
            self.last_request_s = self._monotonic_s()

    # Everything that is no chat

    async def _other(self, request: web.Request, raw_path: str, path: str) -> web.StreamResponse:
        body: Body | None = None
        if self._local.wants(request.method, path):
            body = await read_body(request, limit=self._body_limit)
            answer = await self._local.other(
                request.method, path, body.data, alone=self._upstream.alone
            )
            if answer is not None:
                return await _send(request, answer)
        if self._upstream.alone:
            answer = self._local.unknown_route(request.method, path, self._upstream.how_to_start)
            return await _send(request, answer)
        rest = rest_of(body, request) if body else _stream_of(request)
        sent = body.data if body is not None and body.whole else rest
        async with self._forward.send(request, raw_path, sent) as answer:
            return await self._relay(request, self._with_own_names(path, answer))

    def _with_own_names(self, path: str, answer: Answer) -> Answer:
        merge = self._local.merger(path) if answer.status == 200 else None
        if merge is None or not (self._list_built_in or self._upstream.empty):
            return answer
        answer.headers.popall("Content-Length", None)
        return Answer(answer.status, answer.headers, _merged(answer.chunks, merge), answer.reason)

    # A chat request

    async def _chat(
        self, request: web.Request, dialect: Dialect, client: Client, raw_path: str
    ) -> web.StreamResponse:
        body = await read_body(request, limit=self._body_limit)
        chat, plain, fault = self._read(request, dialect, body)
        local = chat is not None and self._local.serves(chat.model)
        if not local and self._upstream.alone:
            raise fault or self._unknown_model(chat)
        if chat is None or (not local and not self._may_see(chat.model)):
            rest = body.data if body.whole else rest_of(body, request)
            async with self._forward.send(request, raw_path, rest) as answer:
                return await self._relay(request, answer)
        serving = await self._open(request, dialect, client, chat, plain, local=local)
        sent, serving = self._injected(dialect, plain, serving)
        target = self._target(
            request, dialect, raw_path, body.data, plain, sent, serving, local=local
        )
        async with target as answer:
            reader = dialect.reader(stream=chat.stream)
            recorded = self._record and answer.status == 200 and not answer.error
            if not recorded or serving is None:
                return await self._relay(request, answer)
            return await self._relay_recorded(request, answer, reader, serving)

    def _read(
        self, request: web.Request, dialect: Dialect, body: Body
    ) -> tuple[ChatRequest | None, bytes, RequestError | None]:
        """The request in our nouns; what cannot be read is the upstream's to judge."""
        if not body.whole:
            size = f"The request has more than {self._body_limit} bytes."
            return None, b"", RequestError(size, status=413, hint="Send less at once.")
        try:
            plain = body.data
            encoding = request.headers.get("Content-Encoding", "identity")
            if encoding.lower() != "identity":
                plain = unpacked(plain, encoding, limit=self._body_limit)
            return dialect.read_request(plain), plain, None
        except RequestError as error:
            return None, b"", error

    def _may_see(self, model: str) -> bool:
        return self._touch_remote or not self._upstream.remote(model)

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
        chat: ChatRequest,
        plain: bytes,
        *,
        local: bool,
    ) -> Serving | None:
        source = self._local.facts if local else self._upstream.facts
        try:
            serving = await self._serve.open(
                chat,
                client=client,
                route=dialect.route,
                session=request.headers.get(SESSION_HEADER, "")[:200],
                injectable=dialect.injectable(plain),
                facts=lambda: source(chat.model),
            )
        except Exception as error:  # noqa: BLE001  the HTTP edge
            # Whatever this was, it must not cost the user the answer.
            self._broke("serving without skills", error)
            return None
        self._problems.went("serve")
        self._bus.tell(EventKind.TURN_STARTED, turn=serving.stamp.turn, client=client.name)
        return serving

    def _injected(
        self, dialect: Dialect, plain: bytes, serving: Serving | None
    ) -> tuple[bytes, Serving | None]:
        if serving is None or serving.injection.empty:
            return plain, serving
        try:
            return dialect.inject(plain, serving.injection), serving
        except ValueError as error:
            log.info("no skills put in: %s", error)
            return plain, without_skills(serving, "the body has no place for them")
        except Exception as error:  # noqa: BLE001  the HTTP edge
            self._broke("sending the original request", error)
            return plain, without_skills(serving, "Lull failed to put them in")

    def _target(
        self,
        request: web.Request,
        dialect: Dialect,
        raw_path: str,
        original: bytes,
        plain: bytes,
        sent: bytes,
        serving: Serving | None,
        *,
        local: bool,
    ) -> AbstractAsyncContextManager[Answer]:
        if local:
            return self._from_engine(dialect, sent, serving)
        if sent is plain:
            return self._forward.send(request, raw_path, original)
        return self._forward.send(request, raw_path, sent, rewritten=True)

    @asynccontextmanager
    async def _from_engine(
        self, dialect: Dialect, sent: bytes, serving: Serving | None
    ) -> AsyncIterator[Answer]:
        # The adapter is the one the turn was stamped with, whatever was promoted since.
        adapter = serving.stamp.policy.adapter if serving else Adapter.PUBLISHED
        answer = await self._local.answer(dialect, sent, adapter=adapter)
        async with contextlib.aclosing(answer.chunks):  # type: ignore[type-var]
            yield answer

    async def _relay_recorded(
        self, request: web.Request, answer: Answer, reader: AnswerReader, serving: Serving
    ) -> web.StreamResponse:
        hung_up = True
        try:
            response = await self._relay(request, answer, reader)
            hung_up = False
            return response
        except aiohttp.ClientError:
            hung_up = False
            raise
        finally:
            self._close(serving, reader, hung_up=hung_up)

    def _close(self, serving: Serving, reader: AnswerReader, *, hung_up: bool) -> None:
        try:
            self._serve.close(serving, reader.completion(hung_up=hung_up))
        except Exception as error:  # noqa: BLE001  the HTTP edge
            self._broke("this turn is not recorded", error)
        else:
            stamp = serving.stamp
            self._bus.tell(EventKind.TURN_RECORDED, turn=stamp.turn, conversation=stamp.trajectory)

    async def _relay(
        self, request: web.Request, answer: Answer, reader: AnswerReader | None = None
    ) -> web.StreamResponse:
        """Send the answer on as it comes, a copy of it to the reader."""
        response = _response(answer)
        await response.prepare(request)
        try:
            async for chunk in answer.chunks:
                if reader is not None:
                    reader.feed(chunk)
                await response.write(chunk)
        except aiohttp.ClientError as error:
            # The upstream broke off in mid-answer: so must we, or it would look whole.
            log.info("the upstream broke off: %s", error)
            if request.transport is not None:
                request.transport.abort()
            return response
        except ConnectionError as error:
            raise asyncio.CancelledError from error
        await response.write_eof()
        return response

    def _broke(self, what: str, error: Exception) -> None:
        log.error("a fault of Lull's own: %s", what, exc_info=error)
        fault = LullError(f"{type(error).__name__}: {what}.", hint="`lull logs` has the details.")
        self._problems.came("serve", fault)


async def _send(request: web.Request, answer: Answer) -> web.StreamResponse:
    response = _response(answer)
    await response.prepare(request)
    if request.method != "HEAD":
        async for chunk in answer.chunks:
            await response.write(chunk)
    await response.write_eof()
    return response


def _response(answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, reason=answer.reason)
    response.headers.extend(answer.headers)
    response["said"] = frozenset(key.lower() for key in answer.headers)
    return response


async def _as_upstream_said(_: web.Request, response: web.StreamResponse) -> None:
    """No header of the library's own: the answer is the upstream's."""
    said = response.get("said", frozenset())
    for name in ("Server", "Content-Type"):
        if name.lower() not in said:
            response.headers.popall(name, None)


def _sentence(error: LullError) -> str:
    if not error.hint:
        return error.detail
    stop = "" if error.detail.endswith((".", "!", "?")) else "."
    return f"{error.detail}{stop} {error.hint}"


def _error(dialect: Dialect | None, path: str, status: int, message: str) -> Answer:
    shape = dialect or next(
        (d for route, d in CHAT_ROUTES.items() if path.startswith(_family(route))), None
    )
    shape = shape or CHAT_ROUTES["/api/chat"]
    data = shape.error(status, message)
    headers = CIMultiDict({"Content-Type": JSON, "Content-Length": str(len(data))})
    return Answer(status, headers, _once(data), error=True)


def _family(route: str) -> str:
    return "/v1/messages" if route == "/v1/messages" else route[: route.index("/", 1) + 1]


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


def _stream_of(request: web.Request) -> AsyncIterator[bytes] | None:
    return request.content.iter_any() if request.body_exists else None


async def _merged(
    chunks: AsyncIterator[bytes], merge: Callable[[bytes], bytes]
) -> AsyncIterator[bytes]:
    data = b"".join([chunk async for chunk in chunks])
    yield merge(data)
