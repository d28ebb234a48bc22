"""Runs the background tasks of a running service, such as probing Ollama and scoring answers."""

from __future__ import annotations

import asyncio
from functools import partial

from lull.backends.reader.request_kinds import RequestKinds
from lull.core.errors import ResourceError
from lull.core.models.exam import ModelRole
from lull.service.builtin.idle_engine import IdleEngine, UnloadableEngine
from lull.service.models.follow_exams import FollowExams
from lull.service.models.in_force import LEARNER_PROBLEM
from lull.service.proof.proving import HOLDOUT_PROBLEM
from lull.service.wiring.night.lulls import collecting_signals
from lull.service.wiring.service import Service, finishing_of

KINDS_PROBLEM = "kinds of requests"


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
            keep = self._service.upkeep.supervisor.keep
            upstream = self._service.answering.upstream
            following, learning = self._service.choices.following, self._service.learning
            group.create_task(
                keep("checking on Ollama", partial(upstream.watch, self._probe_every_s))
            )
            group.create_task(keep("the memory of past requests", self._open_memory))
            group.create_task(keep(KINDS_PROBLEM, self._load_kinds))
            group.create_task(
                keep("deleting old conversations", self._service.upkeep.throwing_away.run)
            )
            group.create_task(keep("deleting what was forgotten", finishing_of(self._service).run))
            group.create_task(keep("making backups", self._service.upkeep.backups.run))
            group.create_task(
                keep("watching over the database", self._service.upkeep.keep_watch.run)
            )
            group.create_task(
                keep("watching over the records", self._service.upkeep.watch_records.run)
            )
            group.create_task(
                keep("watching the files of skills", self._service.upkeep.watch_library.run)
            )
            for engine in self._shared.models.built_in.engines:
                group.create_task(
                    keep("unloading the built-in model", self._idle_engine(engine).unload)
                )
            group.create_task(keep("unloading the trained model", self._unload_learner))
            group.create_task(keep(LEARNER_PROBLEM, following.keep_switching_learner))
            group.create_task(
                keep("choosing the model that learns", following.keep_choosing_learner)
            )
            group.create_task(keep("choosing the models to test", self._exams().run))
            group.create_task(
                keep("choosing where skills stand in prompts", learning.placing.follow)
            )
            fast_loop = learning.fast_loop
            group.create_task(keep("scoring answers", fast_loop.scoring))
            group.create_task(keep("reading your feedback", fast_loop.hearing))
            group.create_task(keep("judging answers", fast_loop.judging))
            group.create_task(keep("writing skills", fast_loop.writing))
            group.create_task(keep(HOLDOUT_PROBLEM, learning.proofs.proving.check_skills_in_use))
            group.create_task(
                keep("watching trained models", self._slow_loop.adapters.control.watch)
            )
            group.create_task(
                keep("looking for something to train", self._slow_loop.job.keep_searching)
            )
            group.create_task(
                keep("watching paused training", self._slow_loop.job.watch_suspension)
            )
            group.create_task(keep("looking for new answers to train on", self._nudge_night))
            group.create_task(keep("watching for idle times", self._watch_for_lulls))
            group.create_task(keep("reading calendars", self._service.lulls.calendars.keep_fresh))

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
            kinds = await asyncio.to_thread(RequestKinds.shipped)
        except ResourceError as error:
            self._shared.problems.report(KINDS_PROBLEM, error)
            return
        await self._skills.index.use_kinds(kinds)

    async def _open_memory(self) -> None:
        lost = await self._skills.memory.open_for(self._skills.index)
        if lost is not None:
            self._shared.problems.report("exemplars", lost)
        await self._service.learning.proofs.review.remember_examples()

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
