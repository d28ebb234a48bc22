"""The listener in front of Ollama: one catch-all, and the walk of a chat request.

Every method and path passes through untouched except the chat routes, where skills may be put in
and the turn is recorded. The request is sacred: whatever of ours fails, the original bytes go on.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from aiohttp import web

from lull.core.errors import EngineError, LullError, RequestError, UpstreamDown
from lull.core.events import EventKind
from lull.core.messages import ChatRequest
from lull.core.policy import Client, ModelFacts
from lull.loops.serve import Serve, Serving, without_skills
from lull.service.auth import Door, origin_form, refusal, split_client
from lull.service.body import Body, model_named_in, read_body, rest_of, unpacked
from lull.service.bus import Bus
from lull.service.dialects import CHAT_ROUTES
from lull.service.dialects.base import AnswerReader, Dialect
from lull.service.forward import Answer, Forward
from lull.service.local_model import Adapter, LocalModels
from lull.service.own_errors import error_answer, sentence
from lull.service.problems import Problems
from lull.service.published_names import PublishedNames, ToVersion
from lull.service.quiet import Activity
from lull.service.relay import once, relay, runner
from lull.service.upstream import Upstream

log = logging.getLogger(__name__)

SESSION_HEADER = "X-Lull-Session"


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
        activity: Activity,
        body_limit: int,
        record: bool,
        touch_remote: bool,
        list_built_in: bool,
        monotonic_s: Callable[[], float],
        published: PublishedNames | None = None,
    ) -> None:
        self._published = published or PublishedNames()
        self._door = door
        self._serve = serve
        self._forward = forward
        self._upstream = upstream
        self._local = local
        self._problems = problems
        self._bus = bus
        self._activity = activity
        self._body_limit = body_limit
        self._record = record
        self._touch_remote = touch_remote
        self._list_built_in = list_built_in
        self._monotonic_s = monotonic_s
        self.in_flight = 0
        self.last_request_s = monotonic_s()

    def runner(self, *, shutdown_timeout_s: float) -> web.AppRunner:
        return runner(self.handle, shutdown_timeout_s=shutdown_timeout_s)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        why_not = refusal(request.headers, self._door)
        client, raw_path = split_client(origin_form(request.raw_path), request.headers)
        path = raw_path.partition("?")[0]
        dialect = CHAT_ROUTES.get(path) if request.method == "POST" else None
        if why_not:
            return await self._refuse(request, path, 403, why_not)
        self.in_flight += 1
        self.last_request_s = self._monotonic_s()
        try:
            if dialect is not None:
                with self._activity.chat():
                    return await self._chat(request, dialect, client, raw_path)
            return await self._other(request, raw_path, path)
        except UpstreamDown as error:
            self._upstream.failed()
            return await self._refuse(request, path, 503, sentence(error))
        except RequestError as error:
            return await self._refuse(request, path, error.status, sentence(error))
        except EngineError as error:
            return await self._refuse(request, path, 503, sentence(error))
        except Exception as error:  # noqa: BLE001  the HTTP edge
            self._broke("this request is refused", error)
            return await self._refuse(request, path, 500, "Lull failed here; see `lull logs`.")
        finally:
            self.in_flight -= 1
            self.last_request_s = self._monotonic_s()

    async def _refuse(
        self, request: web.Request, path: str, status: int, message: str
    ) -> web.StreamResponse:
        body = request.method != "HEAD"
        return await relay(request, error_answer(path, status, message, body=body))

    # Everything that is no chat

    async def _other(self, request: web.Request, raw_path: str, path: str) -> web.StreamResponse:
        body: Body | None = None
        if self._local.wants(request.method, path):
            body = await read_body(request, limit=self._body_limit)
            answer = await self._own_answer(request.method, path, body.data)
            if answer is not None:
                return await relay(request, answer)
        if self._upstream.alone:
            answer = self._local.unknown_route(request.method, path, self._upstream.how_to_start)
            return await relay(request, answer)
        sent = _stream_of(request) if body is None else _still_to_send(body, request)
        try:
            async with self._forward.send(request, raw_path, sent) as answer:
                return await relay(request, await self._with_own_names(request, path, answer))
        except UpstreamDown:
            # Ollama has gone, the built-in model has not: say what there is. Of one model that is
            # not ours nothing is known, and it is not "not found" either.
            if body is None or not self._local.lists(path):
                raise
            answer = await self._local.other(request.method, path, body.data, alone=True)
            if answer is None:
                raise
            self._upstream.failed()
            return await relay(request, answer)

    async def _own_answer(self, method: str, path: str, body: bytes) -> Answer | None:
        try:
            return await self._local.other(method, path, body, alone=self._upstream.alone)
        except Exception as error:
            if self._upstream.alone:
                raise
            self._broke("asking the upstream instead", error)
            return None

    async def _with_own_names(self, request: web.Request, path: str, answer: Answer) -> Answer:
        merge = self._local.merger(path) if answer.status == 200 else None
        if merge is None or not (self._list_built_in or self._upstream.empty):
            return answer
        answer.headers.popall("Content-Length", None)
        if request.method == "HEAD":
            return answer
        whole = merge(b"".join([chunk async for chunk in answer.chunks]))
        answer.headers["Content-Length"] = str(len(whole))
        return Answer(answer.status, answer.headers, once(whole), answer.reason)

    # A chat request

    async def _chat(
        self, request: web.Request, dialect: Dialect, client: Client, raw_path: str
    ) -> web.StreamResponse:
        body = await read_body(request, limit=self._body_limit)
        chat, plain, fault = self._read(request, dialect, body)
        local = chat is not None and self._local.answers(chat)
        if not local and self._upstream.alone:
            # It may have come just now: the next request shall find it.
            self._upstream.failed()
            raise fault or self._unknown_model(chat)
        if chat is None or (not local and not await self._may_see(chat.model)):
            async with self._forward.send(
                request, raw_path, _still_to_send(body, request)
            ) as answer:
                return await relay(request, answer)
        serving = await self._open(request, dialect, client, chat, plain, local=local)
        sent, serving = self._injected(dialect, plain, serving)
        keeps = serving if self._record and not self._idle(dialect, chat, plain) else None
        target = self._target(
            request, dialect, raw_path, body.data, plain, sent, serving, local=local
        )
        adapter = serving.stamp.policy.adapter if serving and not local else None
        if version := self._published.version(chat.model, adapter):
            to_version = ToVersion(
                names=self._published, forward=self._forward, version=version, asked_for=chat.model
            )
            target = to_version.send(request, raw_path, sent, target)
        return await self._relay_recorded(
            request, target, dialect.reader(stream=chat.stream), keeps
        )

    def _read(
        self, request: web.Request, dialect: Dialect, body: Body
    ) -> tuple[ChatRequest | None, bytes, RequestError | None]:
        """The request in our nouns; what cannot be read is the upstream's to judge."""
        if not body.whole:
            size = f"The request has more than {self._body_limit} bytes."
            fault = RequestError(size, status=413, hint="Send less at once.")
            if self._local.is_alone_with(model_named_in(body.data)):
                raise fault
            return None, b"", fault
        try:
            plain = body.data
            encoding = request.headers.get("Content-Encoding", "identity")
            if encoding.lower() != "identity":
                plain = unpacked(plain, encoding, limit=self._body_limit)
            return dialect.read_request(plain), plain, None
        except RequestError as error:
            return None, b"", error
        except Exception as error:  # noqa: BLE001  the HTTP edge
            self._broke("passing a request on unread", error)
            return None, b"", None

    async def _may_see(self, model: str) -> bool:
        if self._touch_remote:
            return True
        try:
            remote = self._upstream.remote(model)
            return not (remote if isinstance(remote, bool) else await remote)
        except Exception as error:  # noqa: BLE001  the HTTP edge
            self._broke("passing a request on unread", error)
            return False

    def _idle(self, dialect: Dialect, chat: ChatRequest, plain: bytes) -> bool:
        """Nothing was said: it only loads or unloads a model."""
        if chat.newest_user_text:
            return False
        try:
            return dialect.ask(plain).idle is not None
        except RequestError:
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
        chat: ChatRequest,
        plain: bytes,
        *,
        local: bool,
    ) -> Serving | None:
        try:
            serving = await self._serve.open(
                chat,
                client=client,
                route=dialect.route,
                session=request.headers.get(SESSION_HEADER, "")[:200],
                injectable=dialect.injectable(plain),
                facts=lambda: self._facts(chat.model, local=local),
            )
            self._problems.went("serve")
            return serving
        except Exception as error:  # noqa: BLE001  the HTTP edge
            # Whatever this was, it must not cost the user the answer.
            self._broke("serving without skills", error)
            return None

    def _facts(self, model: str, *, local: bool) -> ModelFacts | Awaitable[ModelFacts]:
        if local:
            return self._local.facts(model)
        return self._published.stamped(model, self._upstream.facts(model))

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
            return self._forward.send(request, raw_path, original, readable=True)
        return self._forward.send(request, raw_path, sent, readable=True, rewritten=True)

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
        self,
        request: web.Request,
        target: AbstractAsyncContextManager[Answer],
        reader: AnswerReader,
        serving: Serving | None,
    ) -> web.StreamResponse:
        """Whoever leaves, even before the first byte, leaves a turn; who got an error does not."""
        hung_up = True
        try:
            async with target as answer:
                if answer.status != 200 or answer.error:
                    serving = None
                hear = self._listener(reader) if serving else None
                response = await relay(request, answer, hear)
            hung_up = False
            return response
        except LullError:
            serving = None
            raise
        finally:
            if serving is not None:
                self._close(serving, reader, hung_up=hung_up)

    def _close(self, serving: Serving, reader: AnswerReader, *, hung_up: bool) -> None:
        try:
            self._serve.close(serving, reader.completion(hung_up=hung_up))
            stamp = serving.stamp
            self._bus.tell(EventKind.TURN_RECORDED, turn=stamp.turn, conversation=stamp.trajectory)
        except Exception as error:  # noqa: BLE001  the HTTP edge
            self._broke("this turn is not recorded", error)

    def _listener(self, reader: AnswerReader) -> Callable[[bytes], None]:
        """Feeds a reader until it fails: a fault of ours there costs the record alone."""
        listening = True

        def hear(chunk: bytes) -> None:
            nonlocal listening
            try:
                if listening:
                    reader.feed(chunk)
            except Exception as error:  # noqa: BLE001  the HTTP edge
                listening = False
                self._broke("this turn is recorded in part", error)

        return hear

    def _broke(self, what: str, error: Exception) -> None:
        log.error("a fault of Lull's own: %s", what, exc_info=error)
        fault = LullError(f"{type(error).__name__}: {what}.", hint="`lull logs` has the details.")
        self._problems.came("serve", fault)


def _stream_of(request: web.Request) -> AsyncIterator[bytes] | None:
    return request.content.iter_any() if request.body_exists else None


def _still_to_send(body: Body, request: web.Request) -> bytes | AsyncIterator[bytes] | None:
    """What was read, the rest behind it; None where there is no body at all."""
    if not body.whole:
        return rest_of(body, request)
    return body.data if body.data or request.body_exists else None
