"""The control API's part about what was heard in messages behind answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from lull.contract import routes
from lull.service.feedback_views import PAGE
from lull.service.hearing import Hearing

Json = dict[str, Any]


def feedback_routes(
    app: web.Application,
    hearing: Hearing,
    *,
    answer: Callable[[Json], web.Response],
    body: Callable[[web.Request], Awaitable[Json]],
    read: Callable[[Callable[[], Json]], Awaitable[Json]],
    number: Callable[[web.Request, str, int], int],
) -> None:
    """As `conversation_routes`."""

    async def listed(request: web.Request) -> web.Response:
        conversation, after = (request.query.get(key, "") for key in ("conversation", "after"))
        limit = max(1, number(request, "limit", PAGE))
        return answer(
            await read(lambda: hearing.heard(conversation=conversation, after=after, limit=limit))
        )

    async def again(request: web.Request) -> web.Response:
        return answer(await hearing.again(await body(request)))

    app.router.add_get(routes.FEEDBACK, listed)
    app.router.add_post(routes.FEEDBACK, again)
