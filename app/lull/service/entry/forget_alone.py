"""Runs `lull forget` (which deletes a conversation) without a running service: opens the same parts
as a service does, but accepts no requests.

The caller holds the lock of the data folder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.contract.json_object import Json
from lull.service.entry.started import started
from lull.service.process.lock import alive
from lull.service.proxy.auth import AccessRules
from lull.service.wiring.service import forgetting_of
from lull.store.disk.leftovers import sweep_leftovers


def forget_alone(settings: Settings, paths: Paths, wanted: Mapping[str, object]) -> Json:
    """Delete a conversation and all that was learned from it, or only return what would be removed,
    while no service runs.

    Raises UsageError, NotFound, StoreError.
    """
    # What a killed write left may hold the same words.
    sweep_leftovers(paths.home, alive=alive)
    return asyncio.run(_forget(settings, paths, dict(wanted)))


async def _forget(settings: Settings, paths: Paths, wanted: Json) -> Json:
    async with started(settings, paths, AccessRules(port=0)) as service:
        return await forgetting_of(service).forget(wanted)
