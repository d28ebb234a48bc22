"""Control API routes for LoRA training runs (list, show, start and cancel) and for rewards over
time.
"""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import Answering
from lull.service.idle.window_views import time_in
from lull.service.training.reading import ANSWER_FILTERS, StoredLearning
from lull.service.training.requests import TrainingRequests


def training_routes(training: TrainingRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the control API's routes that list, show, start and cancel LoRA training runs."""

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await training.list())

    async def shown(request: web.Request) -> web.Response:
        return answering.json(await training.show(request.match_info["id"]))

    async def now(request: web.Request) -> web.Response:
        return answering.json(await training.train_now(await answering.body(request)))

    async def cancel(request: web.Request) -> web.Response:
        return answering.json(await training.cancel(request.match_info["id"]))

    return [
        web.get(routes.TRAIN, listed),
        web.post(routes.TRAIN_NOW, now),
        web.get(routes.TRAIN_RUN, shown),
        web.post(routes.TRAIN_CANCEL, cancel),
    ]


def learning_routes(reading: StoredLearning, answering: Answering) -> list[web.RouteDef]:
    """Return the control API's route for rewards over time and what changed them."""

    async def learning(request: web.Request) -> web.Response:
        since = time_in(request.query, "from")
        wanted = {name: request.query.get(name) for name in ANSWER_FILTERS}
        return answering.json(await answering.read(lambda: reading.learning(since, **wanted)))

    return [web.get(routes.LEARNING, learning)]
