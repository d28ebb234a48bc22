"""Models that Lull's own work in a lull had the user's Ollama load, unloaded when the user is back.

Decides which ones those are: not in memory before the work began, asked by Lull, and used by no
chat since. In doubt a model stays: Ollama itself lets go of it after a few minutes. The built-in
engine unloads by itself (engine.idle_unload_min) and is left alone here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Final

from lull.core.model_name import canonical
from lull.core.ports import Clock
from lull.service.quiet import Activity

log = logging.getLogger(__name__)

WITHIN_S: Final = 1.0
"""Whoever gives memory back waits for no more than this."""


class BorrowedModels:
    def __init__(
        self,
        *,
        loaded: Callable[[], Awaitable[Collection[str] | None]],
        unload: Callable[[str], Awaitable[None]],
        asked: Callable[[], Collection[str]],
        activity: Activity,
        clock: Clock,
    ) -> None:
        """`loaded`: names of the models in memory, None where that is not known. `asked`: names of
        those that Lull asks for itself."""
        self._loaded = loaded
        self._unload = unload
        self._asked = asked
        self._activity = activity
        self._clock = clock
        self._before: Collection[str] | None = None
        self._since_s = 0.0

    async def borrow(self) -> None:
        """Before work asks a model: note what is in memory already."""
        if self._before is not None and not self._chatted():
            return
        self._since_s = self._clock.monotonic_s()
        self._before = await self._loaded()

    async def give_back(self) -> None:
        """Unload what the work brought into memory; quick, and raises nothing."""
        before, self._before = self._before, None
        if before is None or self._chatted():
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WITHIN_S):
                ours = {canonical(name) for name in self._asked()} - set(before)
                for name in ours & set(await self._loaded() or ()):
                    if self._chatted():
                        return
                    log.info("%s is unloaded: only work in a lull used it", name)
                    await self._unload(name)

    def _chatted(self) -> bool:
        """A chat is under way or was since; whoever chats may want the model again."""
        ran_s = self._clock.monotonic_s() - self._since_s
        return self._activity.busy or self._activity.quiet_s <= ran_s
