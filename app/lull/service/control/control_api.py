"""Serves the control API that the desktop window and the command line use to talk to a running
service.

It collects the routes that each subject (skills, models, …) defines, and itself serves two that
concern all subjects: the snapshot and the event stream. Handlers only parse requests, call the
loops or stores, and render views. Reads first wait for pending writes, so an answer includes
everything recorded before the request.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Sequence

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import BODY_LIMIT, Answering, ReportsStatus, errors, mending
from lull.service.chat.reading import StoredConversations
from lull.service.control.peer import own_user
from lull.service.process.bus import EventBus
from lull.service.proof.reviewing import ReviewRequests
from lull.service.skills.reading import StoredSkills

BEAT_S = 15.0
"""Seconds between empty lines on a quiet event stream, which reveal disconnected watchers."""


class ControlApi:
    """The aiohttp web application of the control API, which the window and the command line use."""

    def __init__(
        self,
        answering: Answering,
        *,
        bus: EventBus,
        status: ReportsStatus,
        conversations: StoredConversations,
        skills: StoredSkills,
        reviewing: ReviewRequests,
        groups: Sequence[Sequence[web.RouteDef]],
    ) -> None:
        """The argument `groups` holds the routes of each subject.

        All other arguments but `answering` and `bus` provide the data of `snapshot`.
        """
        self._answering = answering
        self._bus = bus
        self._status = status
        self._conversations = conversations
        self._skills = skills
        self._reviewing = reviewing
        self._groups = groups

    def app(self) -> web.Application:
        """Build the web application with all routes of the control API."""
        app = web.Application(
            middlewares=[errors, own_user, mending(self._answering)], client_max_size=BODY_LIMIT
        )
        app.router.add_get(routes.SNAPSHOT, self.snapshot)
        app.router.add_get(routes.EVENTS, self.events)
        for group in self._groups:
            app.router.add_routes(group)
        return app

    async def snapshot(self, _: web.Request) -> web.Response:
        """Return all the data that the desktop window shows when it opens.

        The data includes the effects of all events up to the number `seq`, and maybe of later ones:
        a window that then reads the event stream after `seq` may see some changes twice but misses
        none.
        """
        seq = self._bus.last
        stored = await self._answering.read(
            lambda: {
                **self._reviewing.list(),
                **self._skills.list(everything=True),
                **self._conversations.list(),
            }
        )
        return self._answering.json({"seq": seq, "status": await self._status.status(), **stored})

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Stream events after number `after`, one JSON object a line; empty lines keep it alive."""
        after = self._answering.number(request, "after", self._bus.last)
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        async with self._bus.watching(after=after) as events:
            # Behind the watch: what changes once the client has an answer must reach it.
            await response.prepare(request)
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
