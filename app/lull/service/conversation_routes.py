"""The control API's part about conversations: the list, one to read, the user's word on it, and
what their answers were worth over time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from lull.contract import routes
from lull.core.errors import UsageError
from lull.service.rating import Rating
from lull.service.reading import FILTERS, PAGE, Reading
from lull.service.window_views import time_in

Json = dict[str, Any]


def conversation_routes(
    app: web.Application,
    reading: Reading,
    rating: Rating,
    *,
    answer: Callable[[Json], web.Response],
    body: Callable[[web.Request], Awaitable[Json]],
    read: Callable[[Callable[[], Json]], Awaitable[Json]],
    number: Callable[[web.Request, str, int], int],
) -> None:
    """`read` runs something that blocks, once everything recorded so far can be read; `number`
    reads one of the query, with a default."""

    async def listed(request: web.Request) -> web.Response:
        limit, after = number(request, "limit", PAGE), request.query.get("after", "")
        wanted = {name: request.query.get(name) for name in FILTERS}
        return answer(await read(lambda: reading.conversations(after=after, limit=limit, **wanted)))

    async def kinds(_: web.Request) -> web.Response:
        return answer(await read(reading.kinds))

    async def shown(request: web.Request) -> web.Response:
        name = request.match_info["id"]
        return answer(await read(lambda: reading.conversation(name)))

    async def exclude(request: web.Request) -> web.Response:
        name, excluded = request.match_info["id"], (await body(request)).get("excluded")
        if not isinstance(excluded, bool):
            raise UsageError("excluded is missing.", hint="Say true or false.")
        await read(lambda: reading.conversation(name))  # it may have been recorded just now
        await rating.exclude(name, excluded)
        return answer(await read(lambda: reading.conversation(name)))

    async def learning(request: web.Request) -> web.Response:
        since = time_in(request.query, "from")
        return answer(await read(lambda: reading.learning(since)))

    async def turn(request: web.Request) -> web.Response:
        name = request.match_info["id"]
        return answer(await read(lambda: reading.turn(name)))

    async def rate(request: web.Request) -> web.Response:
        label = (await body(request)).get("label")
        if not isinstance(label, str):
            raise UsageError("label is missing.", hint="Say good, bad or clear.")
        return answer(await rating.rate(request.match_info["id"], label))

    app.router.add_get(routes.CONVERSATIONS, listed)
    app.router.add_get(routes.CONVERSATION_KINDS, kinds)
    app.router.add_get(routes.CONVERSATION, shown)
    app.router.add_post(routes.CONVERSATION_EXCLUDE, exclude)
    app.router.add_get(routes.LEARNING, learning)
    app.router.add_get(routes.TURN, turn)
    app.router.add_post(routes.RATE, rate)
