"""From settings and paths to a service that can run: what it needs is opened, and closed again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from lull.backends.clock import PlayedClock, SystemClock
from lull.backends.openai_chat import open_session
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.service.auth import Door
from lull.service.forward import notes_kept_connections
from lull.service.wiring.own_models import (
    BUILT_IN_PROBLEM,
    built_in_engine,
    publish_built_in,
)
from lull.service.wiring.service import Service
from lull.service.wiring.stores import kept_aside, open_stores
from lull.service.wiring.together import Opened, put_together


@asynccontextmanager
async def wired(
    settings: Settings, paths: Paths, door: Door, *, played: Path | None = None
) -> AsyncIterator[Service]:
    """A service, ready but with closed doors. Everything it opened is closed at the end. `played`:
    the file that says what time it is, where not the real one."""
    clock = SystemClock() if played is None else PlayedClock(played)
    stores = await asyncio.to_thread(open_stores, paths)
    engine = built_in_engine(settings, paths)
    # The pool is as wide as the requests: whoever waits must wait for the model, not for us.
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=30)
    session = aiohttp.ClientSession(
        connector=connector,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        trace_configs=[notes_kept_connections()],
    )
    asking = open_session()
    try:
        opened = Opened(clock=clock, stores=stores, engine=engine, session=session, asking=asking)
        service = put_together(settings, paths, door, opened)
        await _make_ready(service)
        try:
            yield service
        finally:
            await service.exam_requests.close()
            await service.night.close()
            await service.learning.close()
            await service.weights.learner.close()
    finally:
        await asking.close()
        await session.close()
        await engine.close()
        await asyncio.to_thread(stores.database.close)


async def _make_ready(service: Service) -> None:
    """What must be before the first request; what is missing is said among the problems."""
    if service.stores.database.kept_aside is not None:
        service.problems.came("database", kept_aside(service.stores.database))
    try:
        await publish_built_in(service.local, service.engine)
        service.upstream.built_in_is_there = True
    except ResourceError as error:
        service.problems.came(BUILT_IN_PROBLEM, error)
        service.upstream.built_in_problem = f"{error.detail} {error.hint}"
    lost = service.adapters.control.lost
    service.engine.on_lost_adapter = service.weights.learner.on_lost_adapter = lost
    await service.serve_learner()
    await service.adapters.promote.start()
    await service.forget.finish()
    await service.take_in_hand_edits()
    service.learning.guard.follow()
