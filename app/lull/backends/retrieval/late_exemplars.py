"""Opens the exemplar memory (past requests for which a skill was useful) in the background, because
Chroma's process takes seconds to start.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from lull.backends.retrieval.chroma_process import ChromaProcess
from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.exemplars import ChromaExemplars
from lull.core.errors import LullError, StoreError
from lull.core.skills.ports import ExemplarMemory


class UsesMemory(Protocol):
    """Interface of the search index of skills, which also finds skills by past requests."""

    def use_memory(self, memory: ExemplarMemory) -> None:
        """From now on, find skills also by similar past requests stored in this memory."""


class LateExemplars:
    """Opens the exemplar memory (past requests for which a skill was useful) in the background, and
    stores requests in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._embedder = HashedNgrams()
        self._store = ChromaProcess(folder, self._embedder.name)
        self.exemplars: ChromaExemplars | None = None
        self.asked = threading.Event()
        """Set once skill selection uses the exemplar memory, or once opening it has failed."""

    async def open(self) -> tuple[ChromaExemplars, LullError | None]:
        """Open the exemplar memory (past requests for which a skill was useful).

        Return it, and the error if a damaged one was replaced.
        """
        exemplars = await _beside(
            lambda: ChromaExemplars(self._folder, self._embedder, self._store)
        )
        self.exemplars = exemplars
        kept = exemplars.kept_aside
        return exemplars, _exemplars_lost(kept) if kept is not None else None

    async def open_for(self, index: UsesMemory) -> LullError | None:
        """Open the exemplar memory and have skill selection use it; return the error if a damaged
        one was replaced.
        """
        try:
            exemplars, lost = await self.open()
            index.use_memory(exemplars)
        finally:
            self.asked.set()
        return lost

    async def opened(self) -> ChromaExemplars | None:
        """Return the exemplar memory (past requests for which a skill was useful), opened if
        necessary; None if nothing was ever stored.
        """
        if not self._folder.exists():
            return None
        if self.exemplars is None:
            await self.open()
        return self.exemplars

    async def credit(
        self, turn: str, *, text: str, client: str, skills: Sequence[str], known: int
    ) -> bool:
        """Store a turn's request under the skills that were useful for it, or under none; see
        `ChromaExemplars.credit`. Does nothing, and returns False, until the memory is open.
        """
        if self.exemplars is None:
            return False
        await asyncio.to_thread(
            self.exemplars.credit, turn, text=text, client=client, skills=skills, known=known
        )
        return True

    async def stored(self, turns: Sequence[str]) -> set[str]:
        """Return those of these conversation turns of which requests are stored, opening the
        memory if there is one. Raises StoreError.
        """
        exemplars = await self.opened()
        if exemplars is None:
            return set()
        ids = await asyncio.to_thread(exemplars.of_turns, turns)
        return {one.partition(":")[0] for one in ids}

    async def close(self) -> None:
        """Close the database, whose process ends."""
        await asyncio.to_thread(self._store.close)


async def _beside(make: Callable[[], ChromaExemplars]) -> ChromaExemplars:
    """Call `make` in a daemon thread, so that stopping the service does not wait for the call."""
    future: concurrent.futures.Future[ChromaExemplars] = concurrent.futures.Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(make())
        except BaseException as error:  # noqa: BLE001  it is raised where it is awaited
            future.set_exception(error)

    threading.Thread(target=run, name="opens the exemplar memory", daemon=True).start()
    return await asyncio.wrap_future(future)


def _exemplars_lost(kept: Path) -> LullError:
    return StoreError(
        f"The memory of past requests was damaged. It was kept as {kept}, and Lull began a new "
        "one.",
        hint="Skills are still found by their words; ratings fill the memory again.",
    )
