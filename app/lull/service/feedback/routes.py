"""Control API routes to list the feedback found in users' messages and to have messages reread, and
for what the user says in Lull's window about an answer.
"""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import Answering
from lull.service.feedback.hearing import FeedbackRequests
from lull.service.feedback.user_words import UserWords
from lull.service.feedback.views import PAGE


def feedback_routes(hearing: FeedbackRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to list the feedback found in users' messages and to have messages
    reread.
    """

    async def listed(request: web.Request) -> web.Response:
        conversation, after = (request.query.get(key, "") for key in ("conversation", "after"))
        limit = max(1, answering.number(request, "limit", PAGE))
        return answering.json(
            await answering.read(
                lambda: hearing.list_feedback(conversation=conversation, after=after, limit=limit)
            )
        )

    async def again(request: web.Request) -> web.Response:
        return answering.json(await hearing.reread(await answering.body(request)))

    return [
        web.get(routes.FEEDBACK, listed),
        web.post(routes.FEEDBACK, again),
    ]


def user_words_routes(said: UserWords, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to correct an answer in words, and to deny that a message was a
    correction.
    """

    async def correct(request: web.Request) -> web.Response:
        wanted = await answering.body(request)
        return answering.json(await said.correct(request.match_info["id"], wanted))

    async def deny(request: web.Request) -> web.Response:
        wanted = await answering.body(request)
        return answering.json(await said.deny(request.match_info["id"], wanted))

    return [
        web.post(routes.TURN_CORRECT, correct),
        web.post(routes.TURN_DENY, deny),
    ]
