"""Builds a service from settings and paths, opening what it needs and closing it at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from lull.backends.chat.openai_chat import open_session
from lull.backends.system.clock import SimulatedClock, SystemClock
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.service.proxy.auth import AccessRules
from lull.service.proxy.forward import forwarding_session
from lull.service.wiring.base.own_models import (
    BUILT_IN,
    BUILT_IN_PROBLEM,
    built_in_models,
    publish_built_in,
)
from lull.service.wiring.base.stores import open_stores
from lull.service.wiring.service import Service, finishing_of
from lull.service.wiring.together import OpenResources, put_together
from lull.store.backups.witness import database_replaced_error


@asynccontextmanager
async def wired(
    settings: Settings, paths: Paths, door: AccessRules, *, played: Path | None = None
) -> AsyncIterator[Service]:
    """Context manager that yields a complete service, ready to accept requests; closes everything
    at the end.

    `played` is a file that sets the time, instead of the real clock.
    """
    clock = SystemClock() if played is None else SimulatedClock(played)
    async with AsyncExitStack() as at_the_end:
        closed = at_the_end.push_async_callback
        stores = await asyncio.to_thread(open_stores, paths)
        closed(asyncio.to_thread, stores.database.close)
        models = built_in_models(settings, paths)
        closed(models.close)
        session = forwarding_session()
        closed(session.close)
        asking = open_session()
        closed(asking.close)
        opened = OpenResources(
            clock=clock, stores=stores, models=models, session=session, asking=asking
        )
        service = put_together(settings, paths, door, opened)
        # Closed from the last to the first: nothing comes in while the rest ends.
        closed(service.skills.memory.close)
        closed(service.upkeep.keep_watch.stop)
        closed(service.slow_loop.weights.learner.close)
        closed(service.learning.models.close)
        closed(service.slow_loop.job.close)
        closed(service.choices.exam_requests.close)
        closed(service.answering.data_plane.close)
        await _make_ready(service)
        yield service


async def _make_ready(service: Service) -> None:
    """Prepare for the first request; whatever is missing is reported as a problem."""
    shared, answering, slow_loop = service.shared, service.answering, service.slow_loop
    stores, problems = shared.stores, shared.problems
    if stores.database.kept_aside is not None:
        problems.report("database", database_replaced_error(stores.database))
    for number, worry in enumerate(stores.database.worries):
        problems.report(f"missing {number}", worry)
    problems.set_or_clear("versions", await asyncio.to_thread(stores.skills.missing))
    await service.upkeep.watch_records.look()
    await slow_loop.adapters.control.check_records()
    problem = None
    try:
        await publish_built_in(
            shared.models.local,
            shared.models.built_in,
            list_toy=service.settings.models.list_pocket,
        )
    except ResourceError as error:
        problem = error
        problems.report(BUILT_IN_PROBLEM, error)
    is_there = shared.models.local.serves(BUILT_IN)
    answering.upstream.know_built_in(is_there=is_there, problem=problem)
    await service.choices.following.serve_learner()
    await slow_loop.adapters.promote.start()
    await finishing_of(service).once()
    await service.upkeep.watch_library.propose_file_edits()
    service.learning.proofs.holdout.follow()
