"""Makes a service ready for its first request, after all of its parts were put together.

It looks through the stored records, serves the models, finishes what an earlier process had begun,
and reports what is missing as a problem: a service with problems still answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.service.proxy.auth import AccessRules
from lull.service.wiring.base.own_models import BUILT_IN, BUILT_IN_PROBLEM, publish_built_in
from lull.service.wiring.service import Service, finishing_of
from lull.service.wiring.start import wired
from lull.store.backups.witness import database_replaced_error


@asynccontextmanager
async def started(
    settings: Settings, paths: Paths, door: AccessRules, *, played: Path | None = None
) -> AsyncIterator[Service]:
    """Context manager that yields a complete service, ready to accept requests; closes everything
    at the end.

    `played` is a file that sets the time, instead of the real clock.
    """
    async with wired(settings, paths, door, played=played) as service:
        await _look_through_records(service)
        await _serve_models(service)
        await _finish_what_was_begun(service)
        yield service


async def _look_through_records(service: Service) -> None:
    """Report damaged and missing records, and mend those that can be mended."""
    stores, problems = service.shared.stores, service.shared.problems
    if stores.database.kept_aside is not None:
        problems.report("database", database_replaced_error(stores.database))
    for number, worry in enumerate(stores.database.worries):
        problems.report(f"missing {number}", worry)
    problems.set_or_clear("versions", await asyncio.to_thread(stores.skills.missing))
    await service.upkeep.watch_records.look()
    await service.slow_loop.adapters.control.check_records()


async def _serve_models(service: Service) -> None:
    """Serve the models that ship with Lull, and the one that is trained."""
    shared, problem = service.shared, None
    try:
        await publish_built_in(
            shared.models.local,
            shared.models.built_in,
            list_toy=service.settings.models.list_pocket,
        )
    except ResourceError as error:
        problem = error
        shared.problems.report(BUILT_IN_PROBLEM, error)
    is_there = shared.models.local.serves(BUILT_IN)
    service.answering.upstream.know_built_in(is_there=is_there, problem=problem)
    await service.choices.following.serve_learner()


async def _finish_what_was_begun(service: Service) -> None:
    """Go on with moves of adapters and with deletions that were interrupted, and propose the edits
    that were made to skill files meanwhile.
    """
    await service.slow_loop.adapters.promote.start()
    await finishing_of(service).once()
    await service.upkeep.watch_library.propose_file_edits()
    service.learning.proofs.holdout.follow()
