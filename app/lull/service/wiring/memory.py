"""The exemplar memory, opened beside the start: Chroma takes seconds, and nobody waits for it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from lull.backends.chroma import ChromaExemplars
from lull.backends.embedder import HashedNgrams
from lull.core.errors import LullError, StoreError
from lull.store.reward_rows import Served


class Memory:
    """Past requests that skills were credited for, once it is open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.exemplars: ChromaExemplars | None = None
        self.asked = threading.Event()
        """From now on requests get their skills by it, too, or it could not be opened."""

    async def open(self) -> tuple[ChromaExemplars, LullError | None]:
        """The memory, and what a person must know of it."""
        exemplars = await _beside(lambda: ChromaExemplars(self._folder, HashedNgrams()))
        self.exemplars = exemplars
        kept = exemplars.kept_aside
        return exemplars, _exemplars_lost(kept) if kept is not None else None

    async def opened(self) -> ChromaExemplars | None:
        """None where nothing was ever remembered; opened for this where it is not yet open."""
        if self.exemplars is None and self._folder.exists():
            await self.open()
        return self.exemplars

    async def credit(self, served: Served, skills: Sequence[str]) -> None:
        """A request that these skills served well is an exemplar of those that want them."""
        if self.exemplars is not None and served.asked and not served.excluded:
            await asyncio.to_thread(self._add, self.exemplars, served, skills)

    @staticmethod
    def _add(exemplars: ChromaExemplars, served: Served, skills: Sequence[str]) -> None:
        for name in skills:
            mark = f"{served.turn.id}:{name}"
            exemplars.add(id=mark, text=served.asked, client=served.identity, skill=name)


async def _beside(make: Callable[[], ChromaExemplars]) -> ChromaExemplars:
    """Make something slow in a thread that nobody waits for when the service stops first."""
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
        f"The exemplar memory was damaged. It was kept as {kept}, and Lull began a new one.",
        hint="Skills are still found by their words; ratings fill the memory again.",
    )
