"""Everything that runs, as one value, and the jobs beside the requests."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from lull.backends.clock import SystemClock
from lull.backends.mlx_engine import MlxEngine
from lull.backends.ollama import OllamaFacts
from lull.backends.request_kinds import RequestKinds
from lull.backends.skill_index import WordIndex
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import LullError, ResourceError
from lull.core.events import EventKind
from lull.core.idle_signals import IdleSource
from lull.core.models.candidates import is_auto
from lull.core.models.exam import Role
from lull.core.skill import Library
from lull.loops.auto_learner import AWAY_S, AutoLearner
from lull.loops.forget import Forget
from lull.loops.night import Night
from lull.loops.serve import Serve
from lull.loops.watch_idle import WatchIdle
from lull.resources import kinds_dir
from lull.service.bus import Bus
from lull.service.calendars import Calendars
from lull.service.data_plane import DataPlane
from lull.service.exams import ExamRequests
from lull.service.local_model import LocalModels
from lull.service.problems import Problems
from lull.service.quiet import Activity
from lull.service.rating import Rating
from lull.service.reading import Reading
from lull.service.skill_changes import SkillChanges
from lull.service.supervisor import Supervisor
from lull.service.trust_view import TrustView
from lull.service.wiring.adapters import AdapterParts
from lull.service.wiring.learning import Learning
from lull.service.wiring.lulls import listening
from lull.service.wiring.memory import Memory
from lull.service.wiring.own_models import BUILT_IN
from lull.service.wiring.stores import Stores
from lull.service.wiring.upstream import OllamaUpstream
from lull.service.wiring.weights import Weights

log = logging.getLogger(__name__)

_NEWS = frozenset(
    {EventKind.TURN_RECORDED, EventKind.LABEL, EventKind.GENERATION, EventKind.SETTINGS}
)

LEARNER_PROBLEM = "model that learns"
KINDS_PROBLEM = "kinds of requests"
KEEP_EVERY_S = 6 * 3600.0
EXAMS_EVERY_S = 60.0
HAND_EDITS_EVERY_S = 5.0


class Current:
    """The library in force: requests read it, approved changes replace it whole."""

    def __init__(self, library: Library, index: WordIndex, bus: Bus) -> None:
        self.library = library
        self._index = index
        self._bus = bus
        self.after: Callable[[], None] = lambda: None
        """Called when another library is in force."""

    async def follow(self, library: Library) -> None:
        await self._index.follow(library)
        if library.generation < self.library.generation:
            return  # a newer one overtook it
        self.library = library
        self.after()
        self._bus.tell(EventKind.GENERATION, generation=library.generation)


@dataclass(slots=True)
class InForce:
    """The settings as they stand: some are followed while we run. Where the user leaves it to Lull
    which model learns, they carry the one that this means now."""

    settings: Settings
    """As the file says."""
    learner: Callable[[], str] = lambda: BUILT_IN
    """What "auto" means."""
    made_ready: asyncio.Event = field(default_factory=asyncio.Event)
    """Another model is to learn, or the weights of the one that does were made."""
    ask_again: asyncio.Event = field(default_factory=asyncio.Event)
    """Who helps may be somebody else now."""
    _known: tuple[Settings, str, Settings] | None = None

    @property
    def auto(self) -> bool:
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


@dataclass(slots=True)
class Service:
    """Everything that runs, put together. `main` opens the doors and waits."""

    in_force: InForce
    paths: Paths
    clock: SystemClock
    stores: Stores
    bus: Bus
    problems: Problems
    current: Current
    index: WordIndex
    engine: MlxEngine
    local: LocalModels
    ollama: OllamaFacts
    upstream: OllamaUpstream
    serve: Serve
    data_plane: DataPlane
    changes: SkillChanges
    rating: Rating
    reading: Reading
    trust: TrustView
    learning: Learning
    watch: WatchIdle
    idle_source: IdleSource
    calendars: Calendars
    activity: Activity
    memory: Memory
    supervisor: Supervisor
    weights: Weights
    adapters: AdapterParts
    night: Night
    forget: Forget
    auto: AutoLearner
    exam_requests: ExamRequests
    address: str = ""
    token: str = ""
    """What requests must carry where other machines can reach us."""
    choice_changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Another model is to learn than did."""
    ask_again: asyncio.Event = field(default_factory=asyncio.Event)
    """Who helps may be somebody else now."""

    @property
    def settings(self) -> Settings:
        return self.in_force()

    def apply(self, settings: Settings) -> None:
        """Follow what may change while we run; the rest holds from the next start on."""
        before = self.settings.training.model
        self.in_force.settings = settings
        if self.settings.training.model != before:
            self.choice_changed.set()
        self.ask_again.set()
        self.serve.rule = settings.skills.rule
        self.watch.nudge()
        self.bus.tell(EventKind.SETTINGS)

    async def follow_choice(self) -> None:
        """Let the model of the settings learn, with what it has learned; whatever was trained for
        another is superseded by the next look."""
        if await self.serve_learner():
            await self.adapters.promote.take_up(self.settings.training.model)
            await self.night.learner_changed()

    async def serve_learner(self) -> bool:
        """Whether it is another one than before."""
        try:
            changed = await self.weights.learner.follow(self.settings)
        except ResourceError as error:
            self.problems.came(LEARNER_PROBLEM, error)
            return True
        self.problems.went(LEARNER_PROBLEM)
        return changed

    async def background(self) -> None:
        """The tasks beside the requests; runs until cancelled."""
        async with asyncio.TaskGroup() as group:
            keep = self.supervisor.keep
            group.create_task(keep("watching Ollama", self._watch_ollama))
            group.create_task(keep("exemplar memory", self._open_memory))
            group.create_task(keep(KINDS_PROBLEM, self._load_kinds))
            group.create_task(keep("retention", self._keep_within))
            group.create_task(keep("hand edits", self._watch_folders))
            group.create_task(keep("idle engine", self._unload_idle))
            group.create_task(keep("idle learner", self._unload_learner))
            group.create_task(keep(LEARNER_PROBLEM, self._follow_choices))
            group.create_task(keep("which model learns by itself", self._follow_talk))
            group.create_task(keep("who may be examined", self._follow_exams))
            fast_loop = self.learning.fast_loop
            group.create_task(keep("scoring", fast_loop.scoring))
            group.create_task(keep("hearing", fast_loop.hearing))
            group.create_task(keep("judging", fast_loop.judging))
            group.create_task(keep("writing skills", fast_loop.writing))
            group.create_task(keep("live guard", fast_loop.guarding))
            group.create_task(keep("adapters", self.adapters.control.watch))
            group.create_task(keep("looking what to train", self.night.watching))
            group.create_task(keep("standing trainer", self.night.standing))
            group.create_task(keep("what is new to train on", self._nudge_night))
            group.create_task(keep("watching for lulls", self._watch_for_lulls))
            group.create_task(keep("calendars", self.calendars.keep_fresh))

    async def _follow_choices(self) -> None:
        while True:
            await self.choice_changed.wait()
            self.choice_changed.clear()
            await self.follow_choice()

    async def _follow_talk(self) -> None:
        """What "auto" means: looked up at the start and once a day."""
        while True:
            before = self.settings.training.model
            wait_s = await self.auto.look() if self.in_force.auto else AWAY_S
            if self.settings.training.model != before:
                self.choice_changed.set()
            self.watch.nudge()
            await asyncio.sleep(wait_s)

    async def _follow_exams(self) -> None:
        """Which models there are to examine, and what an exam that has ended says of the judge."""
        examine, admitted = self.learning.exams.examine, ""
        await examine.load()
        while True:
            with contextlib.suppress(LullError):  # Ollama is away, and that is said elsewhere
                await examine.look()
            if (judge := self.learning.asked.named(Role.JUDGE)) != admitted:
                admitted = judge
                await self.learning.score.recalibrate()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EXAMS_EVERY_S):
                    await self.ask_again.wait()
            self.ask_again.clear()

    async def _nudge_night(self) -> None:
        """What was recorded, rated or approved may have changed what can be trained on."""
        async with self.bus.watching(after=self.bus.last) as events:
            async for event in events:
                if event.kind in _NEWS:
                    self.night.nudge()

    async def _watch_for_lulls(self) -> None:
        with listening(self.idle_source):
            await self.watch.run()

    async def _watch_ollama(self) -> None:
        while True:
            await self.ollama.probe()
            self.upstream.look_again.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.settings.upstream.probe_every_s):
                    await self.upstream.look_again.wait()
            # However many requests fail at once, the upstream is asked a few times a second.
            await asyncio.sleep(0.2)

    async def _load_kinds(self) -> None:
        """Without it rules for a kind of request are found by words and past requests alone."""
        try:
            kinds = await asyncio.to_thread(lambda: RequestKinds(kinds_dir()))
        except ResourceError as error:
            self.problems.came(KINDS_PROBLEM, error)
            return
        await self.index.tell_kinds_with(kinds)

    async def _open_memory(self) -> None:
        try:
            exemplars, worry = await self.memory.open()
            if worry is not None:
                self.problems.came("exemplars", worry)
            self.index.remember_with(exemplars)
        finally:
            self.memory.asked.set()

    async def _keep_within(self) -> None:
        """Retention by age and size."""
        records = self.settings.records
        while True:
            oldest = (
                self.clock.now() - timedelta(days=records.keep_days) if records.keep_days else None
            )
            most = records.keep_mb * 1_000_000 if records.keep_mb else None
            removed = await self.stores.trajectories.keep_within(oldest=oldest, most_bytes=most)
            if removed:
                log.info("%d old conversations removed", removed)
            await asyncio.sleep(KEEP_EVERY_S)

    async def _watch_folders(self) -> None:
        """Take in skills that were edited by hand while we run."""
        seen = await asyncio.to_thread(self.stores.skills.folders.marks)
        while True:
            await asyncio.sleep(HAND_EDITS_EVERY_S)
            marks = await asyncio.to_thread(self.stores.skills.folders.marks)
            if marks != seen:
                await self.take_in_hand_edits()
                seen = await asyncio.to_thread(self.stores.skills.folders.marks)

    async def _unload_idle(self) -> None:
        """Give the engine's memory back when nobody has asked for a while."""
        after_s, decoded = self.settings.engine.idle_unload_min * 60, 0
        while after_s:
            await asyncio.sleep(min(after_s, 30.0))
            quiet_s = self.clock.monotonic_s() - self.data_plane.last_request_s
            if quiet_s < after_s or self.data_plane.in_flight or not self.engine.pid:
                continue
            # Lull itself may be at work with it: replays, samples, the gate.
            status = await self.engine.status()
            idle, decoded = status.decoded_tokens == decoded, status.decoded_tokens
            if idle and not status.in_flight:
                log.info("the engine was idle for %.0f minutes: unloaded", quiet_s / 60)
                await self.engine.close()

    async def _unload_learner(self) -> None:
        after_s = self.settings.engine.idle_unload_min * 60
        await self.weights.learner.unload_idle(after_s, self.clock)

    async def take_in_hand_edits(self) -> None:
        wrong = await self.stores.skills.reconcile(at=self.clock.now())
        if wrong:
            self.problems.came("skills", wrong[0])
        else:
            self.problems.went("skills")
        library = await asyncio.to_thread(self.stores.skills.library)
        if library.generation != self.current.library.generation or not self.index.built:
            await self.current.follow(library)
