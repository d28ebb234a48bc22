"""Checks the LoRA adapters that restarted engines load again, and collects those that could not be
loaded.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from lull.core.errors import LullError
from lull.store.adapters.adapter_files import damage_in


class AdapterReloads:
    """Checks adapters' files before engines load them again, and queues the adapters that no engine
    could load; implements `ReloadedAdapters`.
    """

    def __init__(self) -> None:
        self._lost: asyncio.Queue[tuple[str, LullError]] = asyncio.Queue()

    def damage_of(self, sha256: str, folder: str) -> str:
        return damage_in(Path(folder), sha256)

    def on_load_failure(self, sha256: str, error: LullError) -> None:
        self._lost.put_nowait((sha256, error))

    async def next_lost(self) -> tuple[str, LullError]:
        """Wait for an adapter that an engine could not load; return its sha256 and the reason."""
        return await self._lost.get()
