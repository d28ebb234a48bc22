"""The model that learns, where it is not the built-in one: found, served, and changed while we run.

A change holds at once for everything that begins after it. Answers under way end on the engine that
they began with; that one is let go of once it has nothing left to do.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from lull.backends.mlx_engine import MlxEngine
from lull.backends.weight_folders import MadeWeights, ModelFolders
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import EngineError, LullError
from lull.core.model_name import canonical
from lull.core.ports import Clock
from lull.core.weight_form import form_for
from lull.service.local_facts import read_local_model
from lull.service.local_model import LocalModels
from lull.service.local_routes import Answers, Served
from lull.service.wiring.own_models import BUILT_IN, engine_options

log = logging.getLogger(__name__)

LEAVE_S: Final = 2.0
"""A request that was let through to an engine has reached it by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModel:
    name: str
    made: MadeWeights
    engine: MlxEngine
    """Starts nothing before it is asked."""
    answers: Answers


class LearningModel:
    def __init__(self, paths: Paths, local: LocalModels, *, leave_s: float = LEAVE_S) -> None:
        self._paths = paths
        self._local = local
        self._leave_s = leave_s
        self.chosen: ChosenModel | None = None
        """None: the built-in one learns, or nothing is made ready."""
        self.on_lost_adapter: Callable[[str, LullError], None] = lambda *_: None
        self._followed: tuple[str, MadeWeights | None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._leaving: dict[MlxEngine, asyncio.Task[None]] = {}

    async def follow(self, settings: Settings) -> bool:
        """Let the model of the settings learn from now on: who trains it can find it, and clients
        too where our engine answers for it. False: it did before. Raises ResourceError where its
        weights cannot be read; then none learns."""
        async with self._one_at_a_time:
            name = settings.training.model
            made = await asyncio.to_thread(self._made, name)
            if self._followed == (name, made):
                return False
            before, self.chosen = self.chosen, None
            if before is not None:
                self._retire(before)
            if made is not None:
                self.chosen = await self._published(name, made, settings)
            self._followed = (name, made)
            return True

    def _made(self, name: str) -> MadeWeights | None:
        if canonical(name) == canonical(BUILT_IN):
            return None
        folders = ModelFolders(self._paths.models)
        return folders.found(name, form_for(sys.platform, platform.machine()))

    async def _published(self, name: str, made: MadeWeights, settings: Settings) -> ChosenModel:
        found = await asyncio.to_thread(read_local_model, name, made.folder, sampling=made.sampling)
        # Stamps of turns that Ollama answered name its digest: one model, one digest.
        model = replace(found, digest=made.digest or found.digest)
        answers = _answers(made, settings)
        engine = MlxEngine(made.folder, options=engine_options(settings))
        engine.on_lost_adapter = self.on_lost_adapter
        self._local.publish(Served(model=model, engine=engine, answers=answers, system=made.system))
        return ChosenModel(name=name, made=made, engine=engine, answers=answers)

    # Letting go

    def _retire(self, before: ChosenModel) -> None:
        """No new request comes to it; its engine stays until the last one has its answer."""
        served = self._local.served(before.name)
        self._local.publish(replace(served, answers=Answers.NONE))
        self._leaving[before.engine] = asyncio.create_task(self._let_go(before))

    async def _let_go(self, before: ChosenModel) -> None:
        quiet = False
        while True:
            await asyncio.sleep(self._leave_s)
            idle = not await _busy(before.engine)
            if quiet and idle:
                break
            quiet = idle
        name = before.name
        if self._local.serves(name) and self._local.served(name).engine is before.engine:
            self._local.withdraw(name)
        await before.engine.close()
        self._leaving.pop(before.engine, None)

    async def unload_idle(self, after_s: float, clock: Clock) -> None:
        """Give the memory of the model that learns back when nothing was asked of it for a while;
        runs until cancelled."""
        seen, since_s = (-1, ""), clock.monotonic_s()
        while after_s:
            await asyncio.sleep(min(after_s, 30.0))
            now_s, chosen = clock.monotonic_s(), self.chosen
            if chosen is None:
                continue
            with contextlib.suppress(EngineError):
                status = await chosen.engine.status() if chosen.engine.pid else None
                at = (status.decoded_tokens if status else -1, chosen.name)
                if status is None or status.in_flight or at != seen:
                    seen, since_s = at, now_s
                elif now_s - since_s >= after_s:
                    log.info("%s was idle: unloaded", chosen.name)
                    await chosen.engine.close()

    async def close(self) -> None:
        leaving = tuple(self._leaving.items())
        for _, task in leaving:
            task.cancel()
        await asyncio.gather(*(task for _, task in leaving), return_exceptions=True)
        own = (self.chosen.engine,) if self.chosen is not None else ()
        for engine in (*(engine for engine, _ in leaving), *own):
            await engine.close()


def serves_by_ollama(settings: Settings) -> bool:
    """Whether what one of Ollama's models learns is published there, or served by our engine."""
    metal = sys.platform == "darwin" and platform.machine() == "arm64"
    serve = settings.training.serve
    return serve == "ollama" or (serve == "auto" and not metal)


def _answers(made: MadeWeights, settings: Settings) -> Answers:
    if not made.from_ollama:
        return Answers.ALL
    return Answers.NONE if serves_by_ollama(settings) else Answers.WHAT_IT_CAN


async def _busy(engine: MlxEngine) -> bool:
    try:
        return engine.pid is not None and (await engine.status()).in_flight > 0
    except EngineError:
        return False
