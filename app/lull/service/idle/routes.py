"""Control API routes for background work in idle times: why it runs or not, pause, resume, and past
idle windows.
"""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import Answering
from lull.service.idle.lulls import Lulls


def lull_routes(lulls: Lulls, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to tell why Lull does background work now or not, to pause and resume it,
    and to list past idle windows.
    """

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
