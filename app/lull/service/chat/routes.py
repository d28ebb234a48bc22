"""Control API routes for recorded conversations: list, read, rate, exclude from learning, delete
with all that was learned from them, and the trash.
"""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.core.errors import UsageError
from lull.service.answers.answering import Answering
from lull.service.chat.forgetting import ForgettingRequests
from lull.service.chat.reading import FILTERS, PAGE, StoredConversations
from lull.service.chat.throwing_away import TrashRequests
from lull.service.feedback.rating import Rating


def conversation_routes(
    reading: StoredConversations, rating: Rating, answering: Answering
) -> list[web.RouteDef]:
    """Return the routes to list, read and rate recorded conversations, and to exclude them from
    learning.
    """

    async def listed(request: web.Request) -> web.Response:
        limit, after = answering.number(request, "limit", PAGE), request.query.get("after", "")
        wanted = {name: request.query.get(name) for name in FILTERS}
        return answering.json(
            await answering.read(lambda: reading.list(after=after, limit=limit, **wanted))
        )

    async def kinds(_: web.Request) -> web.Response:
        return answering.json(await answering.read(reading.filter_choices))

    async def shown(request: web.Request) -> web.Response:
        name = request.match_info["id"]
        return answering.json(await answering.read(lambda: reading.conversation(name)))

    async def exclude(request: web.Request) -> web.Response:
        name, excluded = request.match_info["id"], (await answering.body(request)).get("excluded")
        if not isinstance(excluded, bool):
            raise UsageError("“excluded” is missing.", hint="Say true or false.")
        await answering.read(
            lambda: reading.conversation(name)
        )  # waits if it was recorded just now
        await rating.exclude(name, excluded)
        return answering.json(await answering.read(lambda: reading.conversation(name)))

    async def turn(request: web.Request) -> web.Response:
        name = request.match_info["id"]
        return answering.json(await answering.read(lambda: reading.turn(name)))

    async def rate(request: web.Request) -> web.Response:
        label = (await answering.body(request)).get("label")
        if not isinstance(label, str):
            raise UsageError("“label” is missing.", hint="Say good, bad or clear.")
        return answering.json(await rating.rate(request.match_info["id"], label))

    return [
        web.get(routes.CONVERSATIONS, listed),
        web.get(routes.CONVERSATION_KINDS, kinds),
        web.get(routes.CONVERSATION, shown),
        web.post(routes.CONVERSATION_EXCLUDE, exclude),
        web.get(routes.TURN, turn),
        web.post(routes.RATE, rate),
    ]


def trash_routes(throwing_away: TrashRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to list, restore and delete old conversations in the trash."""

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await throwing_away.list())

    async def do(request: web.Request) -> web.Response:
        return answering.json(await throwing_away.carry_out(await answering.body(request)))

    return [
        web.get(routes.TRASH, listed),
        web.post(routes.TRASH, do),
    ]


def forget_routes(forgetting: ForgettingRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the route that deletes a conversation and all that was learned from it."""

    async def forget(request: web.Request) -> web.Response:
        return answering.json(await forgetting.forget(await answering.body(request)))

    return [
        web.post(routes.FORGET, forget),
    ]
