"""Opens the control API, by which window and command line talk to the service, on a Unix socket
that only its owner can open.

It makes each subject's request handlers and routes from the parts of a service.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from aiohttp import web

from lull.config.paths import Paths
from lull.service.adapters.routes import adapter_routes
from lull.service.answers.answering import Answering
from lull.service.backups.routes import backup_routes
from lull.service.calendars.routes import calendar_routes
from lull.service.chat.routes import conversation_routes, forget_routes, trash_routes
from lull.service.clients.connecting import ConnectRequests
from lull.service.clients.routes import client_routes
from lull.service.control.control_api import ControlApi
from lull.service.control.learner_setting import ServiceLearnerSetting
from lull.service.control.routes import ForgetsToken, ServiceRequests, service_routes
from lull.service.control.settings_view import SettingsRequests
from lull.service.control.status import Status
from lull.service.feedback.hearing import FeedbackRequests
from lull.service.feedback.routes import feedback_routes, user_words_routes
from lull.service.idle.lulls import Lulls
from lull.service.idle.routes import lull_routes
from lull.service.models.models import ModelRequests
from lull.service.models.routes import exam_routes, model_routes
from lull.service.process.listening import ControlSocket, ListeningAt
from lull.service.proof.comparing import ComparisonRequests
from lull.service.proof.reviewing import ReviewRequests
from lull.service.proof.routes import proposal_routes, try_routes
from lull.service.proof.trying import TryOutRequests
from lull.service.skills.routes import skill_routes
from lull.service.training.requests import TrainingRequests
from lull.service.training.routes import learning_routes, training_routes
from lull.service.wiring.clients import connect_parts
from lull.service.wiring.learning.checks import TOOLS
from lull.service.wiring.service import Service, forgetting_of
from lull.store.training.run_folders import RunFolders

READS_WAIT_S: Final = 2.0
"""Most seconds that a request to read recorded data waits for long turns that are not stored yet,
because they are still being searched for secrets.
"""


async def open_control(
    service: Service,
    paths: Paths,
    at: ListeningAt,
    *,
    stop: Callable[[], None],
    token: ForgetsToken,
) -> ControlSocket:
    """Start to serve the control API, by which window and command line talk to the service, on its
    Unix socket; return the socket, which the caller must close.

    `token` removes the network token from the secret store. Raises LullError.
    """
    shared, choices = service.shared, service.choices
    parts = connect_parts(paths, shared.clock)
    status = Status(service, paths, at, parts)
    view = SettingsRequests(paths.settings, apply=choices.following.apply)

    answering = Answering(
        settle=partial(shared.stores.database.flush, prepared_within_s=READS_WAIT_S),
        mending=service.upkeep.mending,
    )
    reviewing = ReviewRequests(
        review=service.learning.proofs.review,
        proposals=shared.stores.proposals,
        skills=shared.stores.skills,
        in_use=service.skills.current,
        deciding=service.learning.proofs.prove,
        proofs=service.learning.fast_loop,
        bus=shared.bus,
        tools=TOOLS,
    )
    whole = ServiceRequests(
        status=status,
        settings=view,
        stop=stop,
        finish_within_s=service.settings.service.finish_within_s,
        token=at.token,
        stored_token=token,
    )
    models = ModelRequests(
        service.slow_loop.weights.choose,
        ServiceLearnerSetting(
            view,
            in_force=choices.in_force,
            following=choices.following,
            auto=choices.auto,
        ),
    )
    connecting = ConnectRequests(parts, status, shared.stores.trajectories)
    api = ControlApi(
        answering,
        bus=shared.bus,
        status=status,
        conversations=service.views.stored.conversations,
        skills=service.views.stored.skills,
        reviewing=reviewing,
        groups=(
            service_routes(whole, answering),
            model_routes(models, shared.models.built_in.readiness, answering),
            *_learning_routes(service, paths, reviewing, answering),
            *_other_routes(service, connecting, answering),
        ),
    )
    runner = web.AppRunner(
        api.app(), handler_cancellation=True, access_log=None, shutdown_timeout=1.0
    )
    await runner.setup()
    control = ControlSocket(runner, paths)
    await control.open()
    return control


def _learning_routes(
    service: Service, paths: Paths, reviewing: ReviewRequests, answering: Answering
) -> list[list[web.RouteDef]]:
    """Routes for what Lull learns: skills, proposals, feedback, adapters, training and exams."""
    comparing = ComparisonRequests(
        service.learning.proofs.compare,
        proposals=service.shared.stores.proposals,
        rule_for=service.learning.proofs.prove.rule_for,
        proofs=service.learning.fast_loop,
    )
    hearing = FeedbackRequests(
        service.shared.stores.feedback,
        service.learning.scoring.hear,
        count=service.learning.fast_loop.add_feedback,
    )
    training = TrainingRequests(
        service.slow_loop.job,
        service.lulls.watch,
        service.shared.stores.training,
        RunFolders(paths.home / "runs"),
    )
    return [
        skill_routes(service.views.stored.skills, service.skills.changes, answering),
        proposal_routes(reviewing, comparing, answering),
        try_routes(
            TryOutRequests(service.skills.tries, known=service.answering.data_plane.model_facts),
            answering,
        ),
        feedback_routes(hearing, answering),
        user_words_routes(service.views.user_words, answering),
        adapter_routes(service.slow_loop.adapters.control, answering),
        training_routes(training, answering),
        learning_routes(service.views.stored.learning, answering),
        exam_routes(service.choices.exam_requests, answering),
    ]


def _other_routes(
    service: Service, clients: ConnectRequests, answering: Answering
) -> list[list[web.RouteDef]]:
    """Routes for conversations, calendars, clients, lulls and backups."""
    lulls = Lulls(
        service.lulls.watch,
        windows=service.lulls.watch.windows,
        calendars=service.lulls.calendars,
        idle=lambda: service.settings.idle,
        clock=service.shared.clock,
    )
    return [
        conversation_routes(service.views.stored.conversations, service.views.rating, answering),
        forget_routes(forgetting_of(service), answering),
        trash_routes(service.upkeep.throwing_away, answering),
        calendar_routes(service.lulls.calendars, answering),
        client_routes(clients, answering),
        lull_routes(lulls, answering),
        backup_routes(service.upkeep.backups, answering),
    ]
