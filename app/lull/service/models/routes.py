"""Control API routes to list the models that can be trained, choose one, make the weights of the
built-in one, and run exams of chat models (tests for a role such as judge).
"""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import Answering
from lull.service.models.built_in import BuiltInReadiness
from lull.service.models.exams import ExamRequests
from lull.service.models.models import ModelRequests


def model_routes(
    models: ModelRequests, built_in: BuiltInReadiness, answering: Answering
) -> list[web.RouteDef]:
    """Return the routes to list models, to choose the one to train, and to make the weights of the
    built-in one.
    """

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await models.list())

    async def choosing(_: web.Request) -> web.Response:
        return answering.json(await models.choosing())

    async def choose(request: web.Request) -> web.Response:
        return answering.json(await models.choose(await answering.body(request)))

    async def state(_: web.Request) -> web.Response:
        return answering.json(await built_in.state())

    async def prepare(_: web.Request) -> web.Response:
        return answering.json(await built_in.prepare())

    return [
        web.get(routes.MODELS_BUILT_IN, state),
        web.post(routes.MODELS_BUILT_IN, prepare),
        web.get(routes.MODELS, listed),
        web.get(routes.MODELS_CHOOSING, choosing),
        web.post(routes.MODELS_CHOOSE, choose),
    ]


def exam_routes(exams: ExamRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the routes to list and start exams (tests of whether a chat model may take a role such
    as judge).
    """

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await exams.list())

    async def now(_: web.Request) -> web.Response:
        return answering.json(await exams.start_all())

    return [
        web.get(routes.MODELS_EXAMS, listed),
        web.post(routes.MODELS_EXAMS, now),
    ]
