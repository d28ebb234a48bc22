"""Chooses the model that is trained when the user has chosen none, and prepares its weights for
training.

The choice is made from recent chats, once a day, and stored; while Ollama does not answer, the last
choice stays. The weights are prepared while the computer is idle, so the user's own model can learn
without being chosen by hand.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from lull.core.chat.model_name import canonical, names_one_of
from lull.core.errors import LullError
from lull.core.idle.scheduling import LullWork, WorkKind
from lull.core.models.most_used_model import (
    COUNTED_PERIOD,
    AutoChoice,
    CountsAnswers,
    auto_choice,
    built_in_choice,
)
from lull.core.ports import Clock
from lull.core.text.coded_text import coded_text
from lull.loops.models.choose_model import ModelListing
from lull.store.sqlite.named_texts import NamedTexts

log = logging.getLogger(__name__)

KEY: Final = "auto-learner"
"""Database key under which the automatically chosen model is remembered."""
DAY_S: Final = 24 * 3600.0
SOON_S: Final = 3600.0
"""Seconds until the next choice while the built-in model is chosen."""
AWAY_S: Final = 60.0
"""Seconds until the next choice is tried while Ollama does not answer."""
READY_GUESS_S: Final = 120.0
"""Assumed seconds to prepare a model's weights."""
_PREPARING_STOPS_WITHIN_S: Final = 1.0
"""Most seconds to wait for cancelled work to stop."""


class LearnableModels(Protocol):
    """Interface that lists the models on this machine that can be trained, and prepares their
    weights for training.
    """

    async def list(self) -> ModelListing:
        """List the models on this machine, each with whether it can be trained."""

    def is_prepared(self, name: str) -> bool:
        """Whether a model's weights are prepared for training. Blocking."""

    async def choose(self, name: str) -> object:
        """Prepare a model's weights for training. Raises LullError."""


class AutoSetting(Protocol):
    """Interface to the setting `training.model` while it may be "auto"."""

    @property
    def auto(self) -> bool:
        """Whether Lull itself chooses the model that is trained."""

    @property
    def made_ready(self) -> asyncio.Event:
        """Event to set when the weights of the chosen model are ready."""


class AutoLearner:
    """Chooses the model to train when the setting `training.model` is `auto`."""

    def __init__(
        self,
        remembered: NamedTexts,
        *,
        uses: CountsAnswers,
        models: LearnableModels,
        clock: Clock,
        built_in: Sequence[str],
    ) -> None:
        """`built_in` names the models that ship with Lull, the default first."""
        self._remembered = remembered
        self._uses = uses
        self._models = models
        self._clock = clock
        self._built_in = built_in
        last = remembered.get(KEY)
        why = "As it was last time." if last else "The model that comes with Lull."
        self.choice = AutoChoice(model=last or built_in[0], why=why)
        self.is_ready = True
        """Whether the weights are prepared; True until the first look."""

    async def choose_again(self) -> float:
        """Choose from recent chats which model is to be trained from now on; return the seconds
        until the next choice is due.
        """
        there = await self._models.list()
        if there.problem is not None:
            return AWAY_S
        since = self._clock.now() - COUNTED_PERIOD
        talked = await asyncio.to_thread(self._uses.answer_counts, since)
        found = auto_choice(talked, there.models, built_in=self._built_in)
        is_built_in = names_one_of(found.model, self._built_in)
        self.is_ready = is_built_in or await asyncio.to_thread(
            self._models.is_prepared, found.model
        )
        await self._take(found)
        return SOON_S if is_built_in else DAY_S

    async def update_built_in_choice(self) -> None:
        """If the chosen model ships with Lull, choose again among the shipped models: the one that
        the user talked to last. Does not ask Ollama, so it may be called after every answer.
        """
        if names_one_of(self.choice.model, self._built_in):
            since = self._clock.now() - COUNTED_PERIOD
            talked = await asyncio.to_thread(self._uses.answer_counts, since)
            await self._take(replace(self.choice, model=built_in_choice(talked, self._built_in)))

    async def _take(self, found: AutoChoice) -> None:
        if canonical(found.model) != canonical(self.choice.model):
            log.info("training.model = auto means %s from now on: %s", found.model, found.why)
            await self._remembered.put(KEY, found.model)
        self.choice = found


class WeightPreparation:
    """Prepares one model's weights for training, as background work while the computer is idle
    (implements the interface LullWork).
    """

    kind = WorkKind.READY
    needs_s = 5.0
    left_s = READY_GUESS_S
    value = 0.1
    progress = 0.0

    def __init__(self, model: str, *, make: Callable[[str], Awaitable[None]], clock: Clock) -> None:
        """The function `make` prepares the weights.

        It may be cancelled at any moment, and the next call continues where it stopped.
        """
        self.id = f"ready {canonical(model)}"
        self.text = coded_text("work-ready", "Making %1 ready to learn", model)
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
            if self._ended or await self._work_for(left_s):
                return

    async def _work_for(self, left_s: float) -> bool:
        """Work for up to `left_s` seconds; True when done. Raises LullError."""
        self._making = asyncio.ensure_future(self._made())
        try:
            await asyncio.wait({self._making}, timeout=left_s)
        finally:
            if not self._making.done():
                self._making.cancel()
                await asyncio.wait({self._making}, timeout=_PREPARING_STOPS_WITHIN_S)
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
            await asyncio.wait({self._making}, timeout=_PREPARING_STOPS_WITHIN_S)


class LearnerPreparation:
    """Prepares the weights of the chosen model for training, while the computer is idle and until
    they are prepared.
    """

    def __init__(
        self,
        auto: AutoLearner,
        *,
        models: LearnableModels,
        setting: AutoSetting,
        clock: Clock,
    ) -> None:
        self._auto = auto
        self._models = models
        self._setting = setting
        self._clock = clock

    def works(self) -> list[LullWork]:
        """Return the background work that prepares the chosen model's weights; an empty list if
        they are prepared, or if the user has chosen the model to train.
        """
        if self._auto.is_ready or not self._setting.auto:
            return []
        return [WeightPreparation(self._auto.choice.model, make=self._make, clock=self._clock)]

    async def _make(self, model: str) -> None:
        """Prepare a model's weights. Raises LullError; the work is then tried again in the next
        idle window.
        """
        try:
            await self._models.choose(model)
        except LullError:
            log.info("%s could not be made ready to learn", model)
            raise
        self._auto.is_ready = True
        self._setting.made_ready.set()
