"""Control API routes to list, add, test and remove the user's calendar feeds."""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.core.errors import UsageError
from lull.service.answers.answering import Answering
from lull.service.calendars.calendars import Calendars


def calendar_routes(calendars: Calendars, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to list, add, test and remove the user's calendar feeds."""

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await calendars.list())

    async def add(request: web.Request) -> web.Response:
        return answering.json(await calendars.add(await answering.body(request)))

    async def test(request: web.Request) -> web.Response:
        return answering.json(await calendars.test(await answering.body(request)))

    async def remove(request: web.Request) -> web.Response:
        name = (await answering.body(request)).get("calendar")
        if not isinstance(name, str):
            raise UsageError("“calendar” is missing.", hint="Give its id.")
        return answering.json(await calendars.remove(name))

    return [
        web.get(routes.CALENDARS, listed),
        web.post(routes.CALENDARS, add),
        web.post(routes.CALENDARS_TEST, test),
        web.post(routes.CALENDAR_REMOVE, remove),
    ]
