"""Control API routes for lulls: why, pause, resume and past windows."""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.service.control.answering import Answering
from lull.service.idle.lulls import Lulls


def lull_routes(lulls: Lulls, answering: Answering) -> list[web.RouteDef]:
    """Routes for the current lull, for pausing and resuming, and for past windows."""

    async def why(_: web.Request) -> web.Response:
        return answering.json(await lulls.why())

    async def pause(request: web.Request) -> web.Response:
        return answering.json(await lulls.pause(await answering.body(request)))

    async def resume(request: web.Request) -> web.Response:
        return answering.json(await lulls.resume(await answering.body(request)))

    async def windows(request: web.Request) -> web.Response:
        query = dict(request.query)
        return answering.json(await answering.read(lambda: lulls.windows(query)))

    return [
        web.get(routes.WHY, why),
        web.post(routes.PAUSE, pause),
        web.post(routes.RESUME, resume),
        web.get(routes.WINDOWS, windows),
    ]
