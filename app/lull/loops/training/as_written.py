"""Checks that the adapter in a training run's folder is the one that its trainer wrote."""

from __future__ import annotations

import asyncio

from lull.store.adapters.adapter_files import changed_adapter, check_as_written
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training


async def hash_as_written(training: Training, folders: RunFolders, run: str) -> str:
    """Return the hash of the adapter that a run's trainer wrote; "" for a run from before that was
    recorded. Raises ChangedAdapter if another adapter is there now, or if no record of Lull's says
    what it was; UnreadableAdapter if it cannot be read now.
    """
    wrote = await asyncio.to_thread(training.written_adapter, run)
    if wrote is None:
        raise changed_adapter(run)
    if wrote:
        await asyncio.to_thread(check_as_written, folders.adapter(run), wrote)
    return wrote
