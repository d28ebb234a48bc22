"""The control API's part about adapters."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from lull.contract import routes
from lull.service.adapter_control import AdapterControl

Json = dict[str, Any]


def adapter_routes(
    app: web.Application,
    adapters: AdapterControl,
    *,
    answer: Callable[[Json], web.Response],
    body: Callable[[web.Request], Awaitable[Json]],
) -> None:
    async def listed(_: web.Request) -> web.Response:
        return answer(await asyncio.to_thread(adapters.list))

    async def shown(request: web.Request) -> web.Response:
        return answer(await asyncio.to_thread(adapters.show, request.match_info["id"]))

    async def compared(request: web.Request) -> web.Response:
        a, b = request.query.get("a", ""), request.query.get("b", "")
        return answer(await asyncio.to_thread(adapters.compare, a, b))

    async def promote(request: web.Request) -> web.Response:
        return answer(await adapters.promote(await body(request)))

    async def roll_back(request: web.Request) -> web.Response:
        return answer(await adapters.roll_back(await body(request)))

    app.router.add_get(routes.ADAPTERS, listed)
    app.router.add_get(routes.ADAPTERS_COMPARE, compared)
    app.router.add_post(routes.ADAPTERS_PROMOTE, promote)
    app.router.add_post(routes.ADAPTERS_ROLLBACK, roll_back)
    app.router.add_get(routes.ADAPTER, shown)
