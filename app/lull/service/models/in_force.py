"""Holds the current settings, and applies changes to them while the service runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.core.events import EventKind
from lull.core.models.candidates import is_auto
from lull.loops.adapters.promote import Promote
from lull.loops.chat.open_turn import TurnOpener
from lull.loops.idle.watch_idle import WatchIdle
from lull.loops.models.auto_learner import AWAY_S, AutoLearner
from lull.loops.training.training_job import TrainingJob
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems

LEARNER_PROBLEM = "model that learns"
LOOK_AT_TALK_S = 1.0
"""Seconds to wait after an answer before choosing the model to train again, because more answers
may follow.
"""


@dataclass(slots=True)
class SettingsInForce:
    """Holds the current settings; calling it returns them with "auto" replaced by the name of the
    model to train.
    """

    settings: Settings
    """The settings as they are in the settings file."""
    learner: Callable[[], str]
    """Function that returns the name of the model that the setting `training.model =
    auto` stands for.
    """
    made_ready: asyncio.Event = field(default_factory=asyncio.Event)
    """Event that is set when another model should be trained, or when the weights of the model to
    train are ready.
    """
    ask_again: asyncio.Event = field(default_factory=asyncio.Event)
    """Event that is set when the model for reader, judge or writer may have changed."""
    _known: tuple[Settings, str, Settings] | None = None

    @property
    def auto(self) -> bool:
        """Whether Lull itself chooses the model that is trained."""
        return is_auto(self.settings.training.model)

    def __call__(self) -> Settings:
        if not self.auto:
            return self.settings
        name, known = self.learner(), self._known
        if known is None or known[0] is not self.settings or known[1] != name:
            training = replace(self.settings.training, model=name)
            known = (self.settings, name, replace(self.settings, training=training))
            self._known = known
        return known[2]


class LearnerServing(Protocol):
    """Interface to serve the model that is trained to clients, and to switch to another model when
    the settings change.
    """

    async def follow(self, settings: Settings) -> bool:
        """Serve the model that the settings name as the one to train. Return whether this changed
        anything: False if that model is served already.

        Raises ResourceError when its weights cannot be read.
        """


class FollowSettings:
    """Applies changed settings, and switches to the model that they say should be trained."""

    def __init__(
        self,
        in_force: SettingsInForce,
        *,
        learner: LearnerServing,
        auto: AutoLearner,
        promote: Promote,
        job: TrainingJob,
        serve: TurnOpener,
        watch: WatchIdle,
        bus: EventBus,
        problems: Problems,
    ) -> None:
        """The argument `auto` chooses the model that the setting `training.model = auto` stands
        for.
        """
        self._in_force = in_force
        self._learner = learner
        self._auto = auto
        self._promote = promote
        self._job = job
        self._serve = serve
        self._watch = watch
        self._bus = bus
        self._problems = problems

    def apply(self, settings: Settings) -> None:
        """Apply changed settings that take effect while running. Others wait for the next start."""
        before = self._in_force().training.model
        self._in_force.settings = settings
        if self._in_force().training.model != before:
            self._in_force.made_ready.set()
        self._in_force.ask_again.set()
        self._serve.rule = settings.skills.rule
        self._watch.nudge()
        self._bus.tell(EventKind.SETTINGS)

    async def switch_learner(self) -> None:
        """Switch to the model that should be trained, and to its LoRA adapters.

        A training run of the previous model ends as superseded when it next checks for this.
        """
        if await self.serve_learner():
            await self._promote.route_to_active(self._in_force().training.model)
            await self._job.learner_changed()

    async def serve_learner(self) -> bool:
        """Serve the model that should be trained. Return True if it changed or cannot be served,
        False if it is served already.
        """
        try:
            changed = await self._learner.follow(self._in_force())
        except ResourceError as error:
            self._problems.report(LEARNER_PROBLEM, error)
            return True
        self._problems.clear(LEARNER_PROBLEM)
        return changed

    async def keep_switching_learner(self) -> None:
        """Background job: whenever another model should be trained, switch to that model."""
        while True:
            await self._in_force.made_ready.wait()
            self._in_force.made_ready.clear()
            await self.switch_learner()

    async def keep_choosing_learner(self) -> None:
        """Background job: while the setting `training.model` is `auto`, decide which model to
        train: at the start, once a day, and after answers (then only among the models that ship
        with Lull).
        """
        while True:
            before = self._in_force().training.model
            wait_s = await self._auto.choose_again() if self._in_force.auto else AWAY_S
            self._told_of_change(before)
            self._watch.nudge()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._look_at_talk()

    async def _look_at_talk(self) -> None:
        """After answers, choose again among the models that ship with Lull, until cancelled."""
        while True:
            await self._answered()
            await asyncio.sleep(LOOK_AT_TALK_S)
            if self._in_force.auto:
                before = self._in_force().training.model
                await self._auto.update_built_in_choice()
                self._told_of_change(before)

    async def _answered(self) -> None:
        """Wait until an answer is recorded."""
        async with self._bus.watching(after=self._bus.last) as events:
            async for event in events:
                if event.kind == EventKind.TURN_RECORDED:
                    return

    def _told_of_change(self, before: str) -> None:
        if self._in_force().training.model != before:
            self._in_force.made_ready.set()
