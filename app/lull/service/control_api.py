"""The control API: what the window and the command line ask of a running service.

A thin shell: it reads the request, calls a story or the store, and answers with a view.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from lull.contract import routes
from lull.core.errors import Conflict, LullError, NotFound, UsageError
from lull.core.skill import check_client
from lull.service.bus import Bus
from lull.service.rating import Rating
from lull.service.skill_changes import SkillChanges
from lull.service.views import conversations_view, skills_view, trajectory_view
from lull.store.skills import Skills
from lull.store.trajectories import Trajectories

log = logging.getLogger(__name__)

Json = dict[str, Any]
BEAT_S = 15.0
"""An empty line on a quiet event stream, so that a dead watcher is noticed."""


class ControlApi:
    def __init__(
        self,
        *,
        status: Callable[[], Awaitable[Json]],
        doctor: Callable[[], Awaitable[Json]],
        settings: Callable[[Json | None], Awaitable[Json]],
        trajectories: Trajectories,
        skills: Skills,
        changes: SkillChanges,
        rating: Rating,
        bus: Bus,
        stop: Callable[[], None],
    ) -> None:
        self._status = status
        self._doctor = doctor
        self._settings = settings
        self._trajectories = trajectories
        self._skills = skills
        self._changes = changes
        self._rating = rating
        self._bus = bus
        self._stop = stop

    def app(self) -> web.Application:
        app = web.Application(middlewares=[_errors], client_max_size=8 * 1024 * 1024)
        app.router.add_get(routes.STATUS, self.status)
        app.router.add_get(routes.SNAPSHOT, self.snapshot)
        app.router.add_get(routes.EVENTS, self.events)
        app.router.add_post(routes.STOP, self.stop)
        app.router.add_get(routes.CONVERSATIONS, self.conversations)
        app.router.add_get(routes.CONVERSATION, self.conversation)
        app.router.add_post(routes.RATE, self.rate)
        app.router.add_get(routes.SKILLS, self.skills)
        app.router.add_post(routes.SKILLS_CHANGE, self.change)
        app.router.add_get(routes.SETTINGS, self.settings)
        app.router.add_post(routes.SETTINGS, self.settings)
        app.router.add_get(routes.DOCTOR, self.doctor)
        return app

    async def status(self, _: web.Request) -> web.Response:
        return _json(await self._status())

    async def doctor(self, _: web.Request) -> web.Response:
        return _json(await self._doctor())

    async def snapshot(self, _: web.Request) -> web.Response:
        """Everything a window shows first, true as of event `seq`."""
        seq = self._bus.last
        rows, following = self._trajectories.page(client=None, search="", after="", limit=50)
        return _json(
            {
                "seq": seq,
                "status": await self._status(),
                "skills": self._skills_view(None, everything=True),
                **conversations_view(rows, following),
            }
        )

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
                    await response.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
                    waiting = asyncio.ensure_future(anext(events))
            except (ConnectionError, StopAsyncIteration):
                return response
            finally:
                waiting.cancel()
        return response

    async def stop(self, _: web.Request) -> web.Response:
        self._stop()
        return _json({"stopping": True})

    async def conversations(self, request: web.Request) -> web.Response:
        rows, following = self._trajectories.page(
            client=request.query.get("client"),
            search=request.query.get("search", ""),
            after=request.query.get("after", ""),
            limit=_number(request, "limit", 50),
        )
        return _json(conversations_view(rows, following))

    async def conversation(self, request: web.Request) -> web.Response:
        return _json(trajectory_view(*self._trajectories.get(request.match_info["id"])))

    async def rate(self, request: web.Request) -> web.Response:
        body = await _body(request)
        return _json(await self._rating.rate(request.match_info["id"], str(body.get("label"))))

    async def skills(self, request: web.Request) -> web.Response:
        client = request.query.get("client")
        everything = request.query.get("all") == "1"
        return _json(self._skills_view(client, everything=everything))

    def _skills_view(self, client: str | None, *, everything: bool) -> Json:
        if client:
            check_client(client)
        library, uses = self._skills.library(), self._skills.uses()
        return skills_view(library, uses, client=client, everything=everything)

    async def change(self, request: web.Request) -> web.Response:
        return _json(await self._changes.apply(await _body(request)))

    async def settings(self, request: web.Request) -> web.Response:
        wanted = await _body(request) if request.method == "POST" else None
        return _json(await self._settings(wanted))


@web.middleware
async def _errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except LullError as error:
        status = 404 if isinstance(error, NotFound) else 409 if isinstance(error, Conflict) else 400
        return _json({"error": error.as_dict()}, status=status)
    except web.HTTPException:
        raise
    except Exception as error:
        log.error("the control API failed at %s", request.path, exc_info=error)
        words = LullError(f"{type(error).__name__} at {request.path}.", hint="See `lull logs`.")
        return _json({"error": words.as_dict()}, status=500)


async def _body(request: web.Request) -> Json:
    try:
        body = await request.json()
    except ValueError as error:
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
    return web.json_response(
        value, status=status, dumps=lambda v: json.dumps(v, ensure_ascii=False)
    )
