"""Finds, serves and replaces the model that is trained while the service runs. Models that ship
with Lull are not handled here, because each has an engine of its own.

A new model answers all requests that arrive after the change. Answers in progress finish on the old
model's engine, which is closed once it is idle.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from lull.config.settings import Settings
from lull.core.chat.model_name import canonical, names_one_of
from lull.core.errors import EngineError
from lull.core.models.engine import Engine
from lull.core.models.local_model import LocalModel
from lull.core.models.mlx_weights import MlxWeights
from lull.core.ports import Clock
from lull.service.builtin.model import EngineModels
from lull.service.builtin.routes import AnsweredByEngine, ServedModel

log = logging.getLogger(__name__)

IDLE_CHECK_S: Final = 2.0
"""Seconds between checks whether the engine of the previously trained model is idle and can be
closed. A request that was already routed to this engine arrives within that time.
"""


class LearnerEngine(Engine, Protocol):
    """The inference engine of the model that is trained; it starts no process before its first
    request.
    """

    @property
    def pid(self) -> int | None:
        """The id of the engine's process; None while there is none."""

    async def close(self) -> None:
        """Stop the engine's process and free its memory."""


class TrainableModels(Protocol):
    """Interface to the models whose weights were prepared for training, and to engines that run
    them.
    """

    def prepared_weights(self, name: str) -> MlxWeights | None:
        """Return a model's weights that were prepared for training; None if there are none.
        Blocking.
        """

    def read(self, name: str, made: MlxWeights) -> LocalModel:
        """Read a model's properties, such as its size and context window, from the folder of its
        weights. Blocking. Raises ResourceError.
        """

    def engine(self, made: MlxWeights, settings: Settings) -> LearnerEngine:
        """Return a new engine that runs the model with these weights."""

    def published(self, settings: Settings) -> bool:
        """Whether, by the settings, Ollama answers for the trained model, with a copy of it into
        which the LoRA adapter is merged, rather than Lull's own engine.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModel:
    """The model that is trained, with its weights and engine."""

    name: str
    made: MlxWeights
    engine: LearnerEngine
    answers: AnsweredByEngine


class LearningModel:
    """Serves the model that is trained, and switches to another when the settings change."""

    def __init__(
        self,
        models: TrainableModels,
        local: EngineModels,
        *,
        built_in: Sequence[str],
        leave_s: float = IDLE_CHECK_S,
    ) -> None:
        """The argument `built_in` names the models that ship with Lull."""
        self._models = models
        self._local = local
        self._built_in = built_in
        self._leave_s = leave_s
        self.chosen: ChosenModel | None = None
        """The model that learns, ready to serve; None if that is the built-in model, or no model is
        ready.
        """
        self._followed: tuple[str, MlxWeights | None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._leaving: dict[LearnerEngine, asyncio.Task[None]] = {}

    async def follow(self, settings: Settings) -> bool:
        """Serve the model that the settings name as the one to train; return False if it is served
        already.

        From then on training uses this model, and it answers clients' requests where Lull's own
        engine answers for it. Raises ResourceError when its weights cannot be read; then no model
        is trained.
        """
        async with self._one_at_a_time:
            name = settings.training.model
            made = None
            if not names_one_of(name, self._built_in):
                made = await asyncio.to_thread(self._models.prepared_weights, name)
            if self._followed == (name, made):
                return False
            before, self.chosen = self.chosen, None
            if before is not None:
                self._retire(before)
            if made is not None:
                self.chosen = await self._published(name, made, settings)
            self._followed = (name, made)
            return True

    def published_base(self, model: str) -> str | None:
        """Return the sha256 of the weights file of a model whose LoRA adapters are merged and
        published to Ollama; None for any other model.
        """
        chosen = self.chosen
        if chosen is None or chosen.answers is not AnsweredByEngine.NONE:
            return None
        return chosen.made.sha256 if canonical(model) == canonical(chosen.name) else None

    async def _published(self, name: str, made: MlxWeights, settings: Settings) -> ChosenModel:
        found = await asyncio.to_thread(self._models.read, name, made)
        # Turns answered by Ollama are stamped with Ollama's digest, so use the same one here.
        model = replace(found, digest=made.digest or found.digest)
        answers = _answers(made, published=self._models.published(settings))
        engine = self._models.engine(made, settings)
        self._local.publish(
            ServedModel(model=model, engine=engine, answers=answers, system=made.system)
        )
        return ChosenModel(name=name, made=made, engine=engine, answers=answers)

    # Closing old engines

    def _retire(self, before: ChosenModel) -> None:
        """Stop routing requests to the model that learned before; its engine stays until its last
        answer is done.
        """
        served = self._local.served(before.name)
        self._local.publish(replace(served, answers=AnsweredByEngine.NONE))
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
        """Unload the model that is trained after `after_s` seconds without use (0: never)."""
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
        """Close the engine of the model, and those of earlier models that still finish answers."""
        leaving = tuple(self._leaving.items())
        for _, task in leaving:
            task.cancel()
        await asyncio.gather(*(task for _, task in leaving), return_exceptions=True)
        own = (self.chosen.engine,) if self.chosen is not None else ()
        for engine in (*(engine for engine, _ in leaving), *own):
            await engine.close()


def _answers(made: MlxWeights, *, published: bool) -> AnsweredByEngine:
    if not made.from_ollama:
        return AnsweredByEngine.ALL
    return AnsweredByEngine.NONE if published else AnsweredByEngine.WHAT_IT_CAN


async def _busy(engine: LearnerEngine) -> bool:
    try:
        return engine.pid is not None and (await engine.status()).in_flight > 0
    except EngineError:
        return False
