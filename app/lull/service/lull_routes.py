"""The control API's part about lulls: why it works or not, the user's word, and the journal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from lull.contract import routes
from lull.service.lulls import Lulls

Json = dict[str, Any]


def lull_routes(
    app: web.Application,
    lulls: Lulls,
    *,
    answer: Callable[[Json], web.Response],
    body: Callable[[web.Request], Awaitable[Json]],
    read: Callable[[Callable[[], Json]], Awaitable[Json]],
) -> None:
    """`read` runs something that blocks, once everything recorded so far can be read."""

    async def why(_: web.Request) -> web.Response:
        return answer(await lulls.why())

    async def pause(request: web.Request) -> web.Response:
        return answer(await lulls.pause(await body(request)))

    async def resume(request: web.Request) -> web.Response:
        return answer(await lulls.resume(await body(request)))

    async def windows(request: web.Request) -> web.Response:
        query = dict(request.query)
        return answer(await read(lambda: lulls.windows(query)))

    app.router.add_get(routes.WHY, why)
    app.router.add_post(routes.PAUSE, pause)
    app.router.add_post(routes.RESUME, resume)
    app.router.add_get(routes.WINDOWS, windows)
