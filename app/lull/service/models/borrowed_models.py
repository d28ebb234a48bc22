"""Unloads models that Lull's own work loaded into Ollama, once the user is back.

Unloaded are models that were not in memory before, were asked by Lull, and have served no chat
since. In doubt a model stays: Ollama unloads it after a few minutes. The built-in engine unloads
itself (engine.idle_unload_min) and is not handled here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection
from typing import Final, Protocol

from lull.core.chat.model_name import canonical
from lull.core.ports import Clock
from lull.service.idle.quiet import Activity

log = logging.getLogger(__name__)

GIVE_BACK_WITHIN_S: Final = 1.0
"""Timeout in seconds for asking Ollama to unload a model."""


class OllamaMemory(Protocol):
    """Interface to the models that an Ollama server has in memory."""

    async def loaded(self) -> Collection[str] | None:
        """Return the canonical names of the models in memory; None if unknown."""

    async def unload(self, name: str) -> None:
        """Ask Ollama to unload a model; never raises."""


class BorrowedModels:
    """Tracks the models that Lull's work in idle times loaded into Ollama, and unloads them."""

    def __init__(
        self,
        *,
        ollama: OllamaMemory,
        asked: Callable[[], Collection[str]],
        activity: Activity,
        clock: Clock,
    ) -> None:
        """The function `asked` returns the models that Lull's own work asks."""
        self._ollama = ollama
        self._asked = asked
        self._activity = activity
        self._clock = clock
        self._before: Collection[str] | None = None
        self._since_s = 0.0

    async def note_loaded(self) -> None:
        """Note which models Ollama has in memory, before Lull's own work uses one. `unload_own`
        will not unload these.
        """
        if self._before is not None and not self._chatted():
            return
        self._since_s = self._clock.monotonic_s()
        self._before = await self._ollama.loaded()

    async def unload_own(self) -> None:
        """Unload the models that Lull's own work loaded into Ollama; quick, and never raises."""
        before, self._before = self._before, None
        if before is None or self._chatted():
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GIVE_BACK_WITHIN_S):
                ours = {canonical(name) for name in self._asked()} - set(before)
                for name in ours & set(await self._ollama.loaded() or ()):
                    if self._chatted():
                        return
                    log.info("%s is unloaded: only work in a lull used it", name)
                    await self._ollama.unload(name)

    def _chatted(self) -> bool:
        """Whether there was a chat since `note_loaded`; its user may want the model again."""
        ran_s = self._clock.monotonic_s() - self._since_s
        return self._activity.busy or self._activity.quiet_s <= ran_s
