"""Runs the background tasks of a running service, such as probing Ollama and scoring answers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from functools import partial
from typing import Any, TypeAlias

from lull.core.errors import ResourceError
from lull.core.models.exam import ModelRole
from lull.service.builtin.idle_engine import IdleEngine, UnloadableEngine
from lull.service.models.follow_exams import FollowExams
from lull.service.models.in_force import LEARNER_PROBLEM
from lull.service.process.free_memory import give_back_when_quiet
from lull.service.proof.proving import HOLDOUT_PROBLEM
from lull.service.wiring.night.lulls import collecting_signals
from lull.service.wiring.service import Service, finishing_of

KINDS_PROBLEM = "kinds of requests"

_Kept: TypeAlias = Coroutine[Any, Any, None]
"""A background task that the supervisor keeps going; its problems are shown under its name."""


class BackgroundTasks:
    """Runs the background tasks of a service, such as probing Ollama and scoring answers; the
    supervisor restarts each task that fails.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._shared = service.shared
        self._skills = service.skills
        self._slow_loop = service.slow_loop

    async def run(self) -> None:
        """Run the service's background tasks until cancelled."""
        async with asyncio.TaskGroup() as group:
            for task in (
                *self._requests(),
                *self._upkeep(),
                *self._models(),
                *self._fast_loop(),
                *self._lulls(),
            ):
                group.create_task(task)

    def _requests(self) -> Iterator[_Kept]:
        """Yield the tasks that requests rely on."""
        keep = self._service.upkeep.supervisor.keep
        upstream = self._service.answering.upstream
        yield keep("checking on Ollama", partial(upstream.watch, self._probe_every_s))
        yield keep("the memory of past requests", self._open_memory)
        yield keep(KINDS_PROBLEM, self._load_kinds)

    def _upkeep(self) -> Iterator[_Kept]:
        """Yield the tasks that keep the stored data in order."""
        keep = self._service.upkeep.supervisor.keep
        upkeep = self._service.upkeep
        yield keep("deleting old conversations", upkeep.throwing_away.run)
        yield keep("deleting what was forgotten", finishing_of(self._service).run)
        yield keep("making backups", upkeep.backups.run)
        yield keep("watching over the database", upkeep.keep_watch.run)
        yield keep("watching over the records", upkeep.watch_records.run)
        yield keep("watching the files of skills", upkeep.watch_library.run)
        yield keep("giving memory back", self._give_memory_back)

    def _models(self) -> Iterator[_Kept]:
        """Yield the tasks that unload models, choose which has which role, and watch adapters."""
        keep = self._service.upkeep.supervisor.keep
        following = self._service.choices.following
        for engine in self._shared.models.built_in.engines:
            yield keep("unloading the built-in model", self._idle_engine(engine).unload)
        yield keep("unloading the trained model", self._unload_learner)
        yield keep(LEARNER_PROBLEM, following.keep_switching_learner)
        yield keep("choosing the model that learns", following.keep_choosing_learner)
        yield keep("choosing the models to test", self._exams().run)
        yield keep("watching trained models", self._slow_loop.adapters.control.watch)

    def _fast_loop(self) -> Iterator[_Kept]:
        """Yield the tasks that learn skills from feedback."""
        keep = self._service.upkeep.supervisor.keep
        learning = self._service.learning
        yield keep("choosing where skills stand in prompts", learning.placing.follow)
        yield keep("scoring answers", learning.fast_loop.scoring)
        yield keep("reading your feedback", learning.fast_loop.hearing)
        yield keep("judging answers", learning.fast_loop.judging)
        yield keep("writing skills", learning.fast_loop.writing)
        yield keep(HOLDOUT_PROBLEM, learning.proofs.proving.check_skills_in_use)

    def _lulls(self) -> Iterator[_Kept]:
        """Yield the tasks that find lulls (idle times) and what to train in them."""
        keep = self._service.upkeep.supervisor.keep
        job = self._slow_loop.job
        yield keep("looking for something to train", job.keep_searching)
        yield keep("watching paused training", job.watch_suspension)
        yield keep("looking for new answers to train on", self._nudge_night)
        yield keep("watching for idle times", self._watch_for_lulls)
        yield keep("reading calendars", self._service.lulls.calendars.keep_fresh)

    async def _nudge_night(self) -> None:
        """Tell training of every event, since some change what can be trained on."""
        async with self._shared.bus.watching(after=self._shared.bus.last) as events:
            async for event in events:
                self._slow_loop.job.heard(event.kind)

    async def _watch_for_lulls(self) -> None:
        with collecting_signals(self._service.lulls.source):
            await self._service.lulls.watch.run()

    async def _load_kinds(self) -> None:
        """Load the classifier of request kinds.

        Without it, rules for a kind of request are found by words and past requests alone.
        """
        try:
            kinds = await asyncio.to_thread(self._skills.shipped_kinds)
        except ResourceError as error:
            self._shared.problems.report(KINDS_PROBLEM, error)
            return
        await self._skills.index.use_kinds(kinds)

    async def _open_memory(self) -> None:
        lost = await self._skills.memory.open_for(self._skills.index)
        if lost is not None:
            self._shared.problems.report("exemplars", lost)
        await self._service.views.rating.forget_refused()
        await self._service.learning.scoring.book.credit_earlier(self._skills.memory.stored)
        await self._service.learning.proofs.review.remember_examples()

    async def _give_memory_back(self) -> None:
        activity = self._shared.activity
        await give_back_when_quiet(lambda: activity.quiet_s)

    def _probe_every_s(self) -> float:
        return self._service.settings.upstream.probe_every_s

    def _exams(self) -> FollowExams:
        learning = self._service.learning
        return FollowExams(
            learning.models.exams.examine,
            learning.scoring.book,
            judge=lambda: learning.models.aux.model_name(ModelRole.JUDGE),
            ask_again=self._service.choices.in_force.ask_again,
        )

    def _idle_engine(self, engine: UnloadableEngine) -> IdleEngine:
        data_plane, clock = self._service.answering.data_plane, self._shared.clock
        return IdleEngine(engine, data_plane, clock, after_s=self._idle_after_s)

    async def _unload_learner(self) -> None:
        learner = self._slow_loop.weights.learner
        await learner.unload_idle(self._idle_after_s(), self._shared.clock)

    def _idle_after_s(self) -> float:
        return self._service.settings.engine.idle_unload_min * 60
