"""The control API: what the window and the command line ask of a running service.

A thin shell: it reads the request, calls a story or the store, and answers with a view. What was
recorded before a question is in its answer: reading waits for the writer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from aiohttp import web

from lull.contract import routes
from lull.core.errors import (
    AdapterError,
    Conflict,
    LullError,
    NotFound,
    SecretsError,
    SettingsError,
    SkillError,
    StoreError,
    UsageError,
)
from lull.core.feeds import FeedError
from lull.service.adapter_control import AdapterControl
from lull.service.adapter_routes import adapter_routes
from lull.service.bus import Bus
from lull.service.calendars import Calendars
from lull.service.comparing import Comparing, comparing_routes
from lull.service.conversation_routes import conversation_routes
from lull.service.exams import ExamRequests
from lull.service.feedback_routes import feedback_routes
from lull.service.forgetting import Forgetting
from lull.service.hearing import Hearing
from lull.service.lull_routes import lull_routes
from lull.service.lulls import Lulls
from lull.service.models import Models
from lull.service.rating import Rating
from lull.service.reading import Reading
from lull.service.reviewing import Reviewing
from lull.service.skill_changes import SkillChanges
from lull.service.training_requests import TrainingRequests

log = logging.getLogger(__name__)

Json = dict[str, Any]
BEAT_S = 15.0
"""An empty line on a quiet event stream, so that a dead watcher is noticed."""
BODY_LIMIT = 8 * 1024 * 1024

_STATUS = {
    NotFound: 404,
    Conflict: 409,
    UsageError: 400,
    SkillError: 400,
    SettingsError: 400,
    SecretsError: 400,
    FeedError: 400,
    AdapterError: 409,
}


class ControlApi:
    def __init__(
        self,
        *,
        status: Callable[[], Awaitable[Json]],
        doctor: Callable[[], Awaitable[Json]],
        settings: Callable[[Json | None], Awaitable[Json]],
        reading: Reading,
        settle: Callable[[], None],
        changes: SkillChanges,
        rating: Rating,
        reviewing: Reviewing,
        bus: Bus,
        stop: Callable[[], None],
        finish_within_s: float = 5.0,
        calendars: Calendars | None = None,
        lulls: Lulls | None = None,
        models: Models | None = None,
        adapters: AdapterControl | None = None,
        training: TrainingRequests | None = None,
        forgetting: Forgetting | None = None,
        exams: ExamRequests | None = None,
        hearing: Hearing | None = None,
        comparing: Comparing | None = None,
    ) -> None:
        """`settle` blocks until everything that was recorded so far can be read."""
        self._status = status
        self._doctor = doctor
        self._settings = settings
        self._reading = reading
        self._settle = settle
        self._changes = changes
        self._rating = rating
        self._reviewing = reviewing
        self._bus = bus
        self._stop = stop
        self._finish_within_s = finish_within_s
        self.calendars = calendars
        self._lulls = lulls
        self._models = models
        self._adapters = adapters
        self._training = training
        self._forgetting = forgetting
        self._exams = exams
        self._hearing = hearing
        self._comparing = comparing

    def app(self) -> web.Application:
        app = web.Application(middlewares=[_errors], client_max_size=BODY_LIMIT)
        app.router.add_get(routes.STATUS, self.status)
        app.router.add_get(routes.SNAPSHOT, self.snapshot)
        app.router.add_get(routes.EVENTS, self.events)
        app.router.add_post(routes.STOP, self.stop)
        app.router.add_get(routes.SKILLS, self.skills)
        app.router.add_get(routes.SKILLS_HISTORY, self.history)
        app.router.add_get(routes.SKILLS_DIFF, self.diff)
        app.router.add_post(routes.SKILLS_CHANGE, self.change)
        app.router.add_get(routes.SKILLS_VERIFY, self.verify)
        app.router.add_get(routes.PROPOSALS, self.proposals)
        app.router.add_post(routes.PROPOSALS_PROVE, self.prove)
        app.router.add_post(routes.PROPOSALS_UNDO, self.undo)
        app.router.add_get(routes.PROPOSAL, self.proposal)
        if self._comparing is not None:
            comparing_routes(app, self._comparing, answer=_json, body=_body)
        app.router.add_post(routes.PROPOSAL_DO, self.decide)
        app.router.add_get(routes.SETTINGS, self.settings)
        app.router.add_post(routes.SETTINGS, self.settings)
        app.router.add_get(routes.DOCTOR, self.doctor)
        conversation_routes(
            app,
            self._reading,
            self._rating,
            answer=_json,
            body=_body,
            read=self._read,
            number=_number,
        )
        if self._hearing is not None:
            feedback_routes(
                app, self._hearing, answer=_json, body=_body, read=self._read, number=_number
            )
        if self._adapters is not None:
            adapter_routes(app, self._adapters, answer=_json, body=_body)
        if self.calendars is not None:
            _calendar_routes(app, self.calendars)
        if self._lulls is not None:
            lull_routes(app, self._lulls, answer=_json, body=_body, read=self._read)
        if self._models is not None:
            _model_routes(app, self._models)
        if self._exams is not None:
            _exam_routes(app, self._exams)
        if self._training is not None:
            _training_routes(app, self._training)
        if self._forgetting is not None:
            _forget_route(app, self._forgetting)
        return app

    async def _read(self, view: Callable[[], Json]) -> Json:
        def work() -> Json:
            with contextlib.suppress(StoreError):  # what cannot be written can still be read
                self._settle()
            return view()

        return await asyncio.to_thread(work)

    async def status(self, _: web.Request) -> web.Response:
        return _json(await self._status())

    async def doctor(self, _: web.Request) -> web.Response:
        return _json(await self._doctor())

    async def snapshot(self, _: web.Request) -> web.Response:
        """Everything a window shows first. It holds what the events up to `seq` told, and may hold
        more: a watcher goes on behind `seq` and sees some things twice, but misses none."""
        seq = self._bus.last
        stored = await self._read(
            lambda: {
                **self._reviewing.list(),
                **self._reading.skills(everything=True),
                **self._reading.conversations(),
            }
        )
        return _json({"seq": seq, "status": await self._status(), **stored})

    async def events(self, request: web.Request) -> web.StreamResponse:
        after = _number(request, "after", self._bus.last)
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        async with self._bus.watching(after=after) as events:
            waiting = asyncio.ensure_future(anext(events))
            try:
                while True:
                    done, _ = await asyncio.wait({waiting}, timeout=BEAT_S)
                    if not done:
                        await response.write(b"\n")
                        continue
                    event = waiting.result()
                    line = {
                        "seq": event.seq,
                        "at": event.at,
                        "kind": event.kind,
                        "fields": event.fields,
                    }
                    await response.write(json.dumps(line).encode() + b"\n")
                    waiting = asyncio.ensure_future(anext(events))
            except (ConnectionError, StopAsyncIteration):
                return response
            finally:
                waiting.cancel()
                with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                    await waiting
        return response

    async def stop(self, _: web.Request) -> web.Response:
        self._stop()
        return _json({"stopping": True, "finish_within_s": self._finish_within_s})

    async def skills(self, request: web.Request) -> web.Response:
        client, everything = request.query.get("client"), request.query.get("all") == "1"
        return _json(
            await self._read(lambda: self._reading.skills(client=client, everything=everything))
        )

    async def history(self, request: web.Request) -> web.Response:
        name, client = request.query.get("name", ""), request.query.get("client", "")
        return _json(await self._read(lambda: self._reading.history(name=name, client=client)))

    async def diff(self, request: web.Request) -> web.Response:
        name, client = request.query.get("name", ""), request.query.get("client", "")
        old, new = _number(request, "old", 0), _number(request, "new", 0)
        return _json(
            await self._read(lambda: self._reading.diff(name=name, client=client, old=old, new=new))
        )

    async def change(self, request: web.Request) -> web.Response:
        return _json(await self._changes.apply(await _body(request)))

    async def verify(self, request: web.Request) -> web.Response:
        name, client = request.query.get("name", ""), request.query.get("client", "")
        return _json(await self._read(lambda: self._reviewing.verify(name=name, client=client)))

    async def proposals(self, request: web.Request) -> web.Response:
        everything = request.query.get("all") == "1"
        return _json(await self._read(lambda: self._reviewing.list(everything=everything)))

    async def proposal(self, request: web.Request) -> web.Response:
        name, sha256 = request.match_info["id"], request.query.get("sha256")
        return _json(await self._read(lambda: self._reviewing.show(name, sha256=sha256)))

    async def decide(self, request: web.Request) -> web.Response:
        name, action = request.match_info["id"], request.match_info["action"]
        return _json(await self._reviewing.decide(name, action, await _body(request)))

    async def undo(self, _: web.Request) -> web.Response:
        return _json(await self._reviewing.undo())

    async def prove(self, request: web.Request) -> web.Response:
        return _json(await self._reviewing.prove(await _body(request)))

    async def settings(self, request: web.Request) -> web.Response:
        wanted = await _body(request) if request.method == "POST" else None
        return _json(await self._settings(wanted))


def _model_routes(app: web.Application, models: Models) -> None:
    async def listed(_: web.Request) -> web.Response:
        return _json(await models.list())

    async def choosing(_: web.Request) -> web.Response:
        return _json(await models.choosing())

    async def choose(request: web.Request) -> web.Response:
        return _json(await models.choose(await _body(request)))

    app.router.add_get(routes.MODELS, listed)
    app.router.add_get(routes.MODELS_CHOOSING, choosing)
    app.router.add_post(routes.MODELS_CHOOSE, choose)


def _exam_routes(app: web.Application, exams: ExamRequests) -> None:
    async def listed(_: web.Request) -> web.Response:
        return _json(await exams.list())

    async def now(_: web.Request) -> web.Response:
        return _json(await exams.now())

    app.router.add_get(routes.MODELS_EXAMS, listed)
    app.router.add_post(routes.MODELS_EXAMS, now)


def _training_routes(app: web.Application, training: TrainingRequests) -> None:
    async def listed(_: web.Request) -> web.Response:
        return _json(await training.list())

    async def shown(request: web.Request) -> web.Response:
        return _json(await training.show(request.match_info["id"]))

    async def now(request: web.Request) -> web.Response:
        return _json(await training.now(await _body(request)))

    async def cancel(request: web.Request) -> web.Response:
        return _json(await training.cancel(request.match_info["id"]))

    app.router.add_get(routes.TRAIN, listed)
    app.router.add_post(routes.TRAIN_NOW, now)
    app.router.add_get(routes.TRAIN_RUN, shown)
    app.router.add_post(routes.TRAIN_CANCEL, cancel)


def _forget_route(app: web.Application, forgetting: Forgetting) -> None:
    async def forget(request: web.Request) -> web.Response:
        return _json(await forgetting.forget(await _body(request)))

    app.router.add_post(routes.FORGET, forget)


def _calendar_routes(app: web.Application, calendars: Calendars) -> None:
    async def listed(_: web.Request) -> web.Response:
        return _json(await calendars.list())

    async def add(request: web.Request) -> web.Response:
        return _json(await calendars.add(await _body(request)))

    async def test(request: web.Request) -> web.Response:
        return _json(await calendars.test(await _body(request)))

    async def remove(request: web.Request) -> web.Response:
        name = (await _body(request)).get("calendar")
        if not isinstance(name, str):
            raise UsageError("calendar is missing.", hint="Give its id.")
        return _json(await calendars.remove(name))

    app.router.add_get(routes.CALENDARS, listed)
    app.router.add_post(routes.CALENDARS, add)
    app.router.add_post(routes.CALENDARS_TEST, test)
    app.router.add_post(routes.CALENDAR_REMOVE, remove)


@web.middleware
async def _errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except LullError as error:
        kinds = (code for kind, code in _STATUS.items() if isinstance(error, kind))
        return _failed(error, next(kinds, 500))
    except web.HTTPException as error:
        return _failed(_http_error(request, error), error.status, dict(_allow(error)))
    except Exception as error:
        log.error("the control API failed at %s", request.path, exc_info=error)
        words = LullError(f"{type(error).__name__} at {request.path}.", hint="See `lull logs`.")
        return _failed(words, 500)


def _http_error(request: web.Request, error: web.HTTPException) -> LullError:
    if error.status == 404:
        return NotFound(f"The control API has no {request.path[:100]}.")
    if error.status == 413:
        return UsageError(f"The body has more than {BODY_LIMIT} bytes.")
    return UsageError(f"{request.method} {request.path[:100]}: {HTTPStatus(error.status).phrase}.")


def _allow(error: web.HTTPException) -> list[tuple[str, str]]:
    return [("Allow", error.headers["Allow"])] if "Allow" in error.headers else []


def _failed(error: LullError, status: int, headers: dict[str, str] | None = None) -> web.Response:
    response = _json({"error": error.as_dict()}, status=status)
    response.headers.update(headers or {})
    return response


async def _body(request: web.Request) -> Json:
    try:
        body = await request.json()
    except (ValueError, LookupError, RecursionError) as error:  # LookupError: an unknown charset
        raise UsageError("The body is not JSON.") from error
    if not isinstance(body, dict):
        raise UsageError("The body is not a JSON object.")
    return body


def _number(request: web.Request, name: str, default: int) -> int:
    text = request.query.get(name, "")
    if not text:
        return default
    if not text.isdecimal() or len(text) > 15:
        raise UsageError(f"{name}={text[:40]!r} is not a number.")
    return int(text)


def _json(value: Json, *, status: int = 200) -> web.Response:
    # Escaped, because a broken client may have had half a surrogate pair recorded.
    return web.json_response(value, status=status)
