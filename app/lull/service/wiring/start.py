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
from lull.service.proxy.auth import AccessRules
from lull.service.proxy.forward import forwarding_session
from lull.service.wiring.base.own_models import built_in_models
from lull.service.wiring.base.stores import open_stores
from lull.service.wiring.service import Service
from lull.service.wiring.together import OpenResources, put_together


@asynccontextmanager
async def wired(
    settings: Settings, paths: Paths, door: AccessRules, *, played: Path | None = None
) -> AsyncIterator[Service]:
    """Context manager that yields a complete service, which nobody has made ready for requests yet;
    closes everything at the end.

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
        yield service
