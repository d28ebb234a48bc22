"""Control API routes to list chat clients, connect one to Lull, test the connection and undo it."""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.core.errors import NotFound
from lull.service.answers.answering import Answering
from lull.service.clients.connecting import ConnectRequests


def client_routes(clients: ConnectRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to list chat clients, preview and write the change that connects one to
    Lull, test it and undo it.
    """
    done = {
        "plan": clients.plan,
        "connect": clients.connect,
        "test": clients.test,
        "undo": clients.undo,
    }

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await clients.all())

    async def act(request: web.Request) -> web.Response:
        do = done.get(request.match_info["action"])
        if do is None:
            raise NotFound(f"The control API has no {request.path[:100]}.")
        body = await answering.body(request)
        return answering.json(await do(request.match_info["name"], body))

    return [web.get(routes.CLIENTS, listed), web.post(routes.CLIENT_DO, act)]
