"""Which model learns where the user has named none: looked up once a day, and remembered.

Decides by `core/models/talked_to.py`. Its weights are made ready in lulls, so that nobody has to
choose a model before their own one learns; what was meant last holds as long as Ollama is away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final

from lull.core.errors import LullError
from lull.core.lull_work import LullWork, WorkKind
from lull.core.model_name import canonical
from lull.core.models.talked_to import COUNTED, AutoChoice, Talked, auto_choice
from lull.core.ports import Clock
from lull.loops.choose_model import ThereIs
from lull.store.remembered import Remembered

log = logging.getLogger(__name__)

KEY: Final = "auto-learner"
DAY_S: Final = 24 * 3600.0
SOON_S: Final = 3600.0
"""While it means the built-in model: somebody may have begun to talk to another."""
AWAY_S: Final = 60.0
GUESS_S: Final = 120.0
_STOPS_WITHIN_S: Final = 1.0


class AutoLearner:
    def __init__(
        self,
        remembered: Remembered,
        *,
        talked: Callable[[datetime], Sequence[Talked]],
        there: Callable[[], Awaitable[ThereIs]],
        ready: Callable[[str], bool],
        clock: Clock,
        built_in: str,
    ) -> None:
        """`ready`: whether a model's weights are made; blocks, as `talked` does."""
        self._remembered = remembered
        self._talked = talked
        self._there = there
        self._ready = ready
        self._clock = clock
        self._built_in = built_in
        last = remembered.get(KEY)
        self.choice = AutoChoice(model=last or built_in, why="As it was last time.")
        self.is_ready = True
        """Until it was looked up."""

    async def look(self) -> float:
        """Look it up; how long until it should be looked up again."""
        there = await self._there()
        if there.problem is not None:
            return AWAY_S
        since = self._clock.now() - COUNTED
        talked = await asyncio.to_thread(self._talked, since)
        found = auto_choice(talked, there.models, built_in=self._built_in)
        is_built_in = canonical(found.model) == canonical(self._built_in)
        self.is_ready = is_built_in or await asyncio.to_thread(self._ready, found.model)
        if canonical(found.model) != canonical(self.choice.model):
            log.info("training.model = auto means %s from now on: %s", found.model, found.why)
            await self._remembered.put(KEY, found.model)
        self.choice = found
        return SOON_S if is_built_in else DAY_S


class ReadyWork:
    """Implements core.lull_work.LullWork: the weights of one model, made in lulls."""

    kind = WorkKind.READY
    needs_s = 5.0
    left_s = GUESS_S
    value = 0.1
    progress = 0.0

    def __init__(self, model: str, *, make: Callable[[str], Awaitable[None]], clock: Clock) -> None:
        """`make` may be cancelled at any moment and goes on from there."""
        self.id = f"ready {canonical(model)}"
        self.text = f"Making {model} ready to learn"
        self._model = model
        self._make = make
        self._clock = clock
        self._may_go = asyncio.Event()
        self._ended = False
        self._making: asyncio.Task[None] | None = None

    async def run_slice(self, until_s: float) -> None:
        self._may_go.set()
        while not self._ended and (left_s := until_s - self._clock.monotonic_s()) > 0:
            await self._may_go.wait()
            if self._ended or await self._some(left_s):
                return

    async def _some(self, left_s: float) -> bool:
        """Whether it is done. Raises LullError."""
        self._making = asyncio.ensure_future(self._made())
        try:
            await asyncio.wait({self._making}, timeout=left_s)
        finally:
            if not self._making.done():
                self._making.cancel()
                await asyncio.wait({self._making}, timeout=_STOPS_WITHIN_S)
        if self._making.cancelled() or not self._making.done():
            return False
        self._making.result()
        return True

    async def _made(self) -> None:
        await self._make(self._model)

    async def suspend(self) -> None:
        self._may_go.clear()
        if self._making is not None:
            self._making.cancel()

    async def resume(self) -> None:
        self._may_go.set()

    async def give_back_memory(self) -> None:
        self._ended = True
        self._may_go.set()
        if self._making is not None:
            self._making.cancel()
            await asyncio.wait({self._making}, timeout=_STOPS_WITHIN_S)


def ready_work(
    auto: AutoLearner, make: Callable[[str], Awaitable[None]], clock: Clock
) -> list[LullWork]:
    if auto.is_ready:
        return []
    return [ReadyWork(auto.choice.model, make=make, clock=clock)]


async def made_ready(
    auto: AutoLearner, model: str, choose: Callable[[str], Awaitable[object]]
) -> None:
    """Make it. Raises LullError, and is then tried again in another lull."""
    try:
        await choose(model)
    except LullError:
        log.info("%s could not be made ready to learn", model)
        raise
    auto.is_ready = True
