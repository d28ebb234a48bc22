"""Control API routes to list, show, compare, promote and roll back LoRA adapters."""

from __future__ import annotations

import asyncio

from aiohttp import web

from lull.contract import routes
from lull.service.adapters.control import AdapterControl
from lull.service.answers.answering import Answering


def adapter_routes(adapters: AdapterControl, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to list, show, compare, promote and roll back LoRA adapters."""

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await asyncio.to_thread(adapters.list))

    async def shown(request: web.Request) -> web.Response:
        return answering.json(await asyncio.to_thread(adapters.show, request.match_info["id"]))

    async def compared(request: web.Request) -> web.Response:
        a, b = request.query.get("a", ""), request.query.get("b", "")
        return answering.json(await asyncio.to_thread(adapters.compare, a, b))

    async def promote(request: web.Request) -> web.Response:
        return answering.json(await adapters.promote(await answering.body(request)))

    async def roll_back(request: web.Request) -> web.Response:
        return answering.json(await adapters.roll_back(await answering.body(request)))

    return [
        web.get(routes.ADAPTERS, listed),
        web.get(routes.ADAPTERS_COMPARE, compared),
        web.post(routes.ADAPTERS_PROMOTE, promote),
        web.post(routes.ADAPTERS_ROLLBACK, roll_back),
        web.get(routes.ADAPTER, shown),
    ]
