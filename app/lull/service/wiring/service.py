"""A service that can run, from settings and paths."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import aiohttp

from lull.backends.clock import SystemClock, TimeSortedIds
from lull.backends.mlx_engine import MlxEngine
from lull.backends.ollama import OllamaFacts
from lull.backends.openai_chat import open_session
from lull.backends.secrets import open_secret_store
from lull.backends.skill_index import WordIndex
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import LullError, ResourceError
from lull.core.events import EventKind
from lull.core.idle_signals import IdleSource
from lull.core.ports import SecretStore
from lull.core.skill import Library
from lull.loops.approve import Approve
from lull.loops.eligible import Eligible
from lull.loops.guard import Guard
from lull.loops.serve import Serve
from lull.loops.watch_idle import WatchIdle
from lull.service.auth import Door
from lull.service.bus import Bus
from lull.service.data_plane import DataPlane
from lull.service.forward import Forward, notes_kept_connections
from lull.service.local_model import LocalModels
from lull.service.problems import Problems
from lull.service.quiet import Activity
from lull.service.rating import Rating
from lull.service.reading import Reading
from lull.service.skill_changes import SkillChanges
from lull.service.supervisor import Supervisor
from lull.service.trust_view import TrustView
from lull.service.wiring.asking import World
from lull.service.wiring.learning import Learning, guard_of, learning_of
from lull.service.wiring.lulls import allowed, idle_source, listening, quietly, watch_of
from lull.service.wiring.memory import Memory
from lull.service.wiring.own_models import built_in_engine, publish_built_in
from lull.service.wiring.stores import Stores, kept_aside, open_stores
from lull.service.wiring.upstream import OllamaUpstream

log = logging.getLogger(__name__)

KEEP_EVERY_S = 6 * 3600.0
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
    """The settings as they stand: some are followed while we run."""

    settings: Settings


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
    activity: Activity
    memory: Memory
    supervisor: Supervisor
    address: str = ""
    token: str = ""
    """What requests must carry where other machines can reach us."""

    @property
    def settings(self) -> Settings:
        return self.in_force.settings

    def apply(self, settings: Settings) -> None:
        """Follow what may change while we run; the rest holds from the next start on."""
        self.in_force.settings = settings
        self.serve.rule = settings.skills.rule
        self.bus.tell(EventKind.SETTINGS)

    async def background(self) -> None:
        """The tasks beside the requests; runs until cancelled."""
        async with asyncio.TaskGroup() as group:
            keep = self.supervisor.keep
            group.create_task(keep("watching Ollama", self._watch_ollama))
            group.create_task(keep("exemplar memory", self._open_memory))
            group.create_task(keep("retention", self._keep_within))
            group.create_task(keep("hand edits", self._watch_folders))
            group.create_task(keep("idle engine", self._unload_idle))
            fast_loop = self.learning.fast_loop
            group.create_task(keep("scoring", fast_loop.scoring))
            group.create_task(keep("judging", fast_loop.judging))
            group.create_task(keep("writing skills", fast_loop.writing))
            group.create_task(keep("proving", fast_loop.proving))
            group.create_task(keep("live guard", fast_loop.guarding))
            group.create_task(keep("watching for lulls", self._watch_for_lulls))

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

    async def _open_memory(self) -> None:
        exemplars, worry = await self.memory.open()
        if worry is not None:
            self.problems.came("exemplars", worry)
        self.index.remember_with(exemplars)

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
        after_s = self.settings.engine.idle_unload_min * 60
        while after_s:
            await asyncio.sleep(min(after_s, 30.0))
            quiet_s = self.clock.monotonic_s() - self.data_plane.last_request_s
            if quiet_s >= after_s and not self.data_plane.in_flight and self.engine.pid:
                log.info("the engine was idle for %.0f minutes: unloaded", quiet_s / 60)
                await self.engine.close()

    async def take_in_hand_edits(self) -> None:
        wrong = await self.stores.skills.reconcile(at=self.clock.now())
        if wrong:
            self.problems.came("skills", wrong[0])
        else:
            self.problems.went("skills")
        library = await asyncio.to_thread(self.stores.skills.library)
        if library.generation != self.current.library.generation or not self.index.built:
            await self.current.follow(library)


@asynccontextmanager
async def wired(settings: Settings, paths: Paths, door: Door) -> AsyncIterator[Service]:
    """A service, ready but with closed doors. Everything it opened is closed at the end."""
    clock = SystemClock()
    stores = await asyncio.to_thread(open_stores, paths)
    engine = built_in_engine(settings, paths)
    # The pool is as wide as the requests: whoever waits must wait for the model, not for us.
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=30)
    session = aiohttp.ClientSession(
        connector=connector,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        trace_configs=[notes_kept_connections()],
    )
    asking = open_session()
    try:
        service = _put_together(settings, paths, door, clock, stores, engine, session, asking)
        if stores.database.kept_aside is not None:
            service.problems.came("database", kept_aside(stores.database))
        try:
            await publish_built_in(service.local, engine)
            service.upstream.built_in_is_there = True
        except ResourceError as error:
            service.problems.came("built-in model", error)
        await service.take_in_hand_edits()
        service.learning.guard.follow()
        try:
            yield service
        finally:
            await service.learning.close()
    finally:
        await asking.close()
        await session.close()
        await engine.close()
        await asyncio.to_thread(stores.database.close)


def _put_together(
    settings: Settings,
    paths: Paths,
    door: Door,
    clock: SystemClock,
    stores: Stores,
    engine: MlxEngine,
    session: aiohttp.ClientSession,
    asking: aiohttp.ClientSession,
) -> Service:
    bus = Bus(stores.events, clock)
    problems, in_force = Problems(bus), InForce(settings)
    index, memory = WordIndex(), Memory(paths.chroma)
    current = Current(Library(0, {}), index, bus)
    ollama = OllamaFacts(
        session,
        settings.upstream.resolved(os.environ),
        on_change=lambda ok: bus.tell(EventKind.UPSTREAM, ok=ok),
    )
    approve = Approve(stores.skills, clock, follower=current.follow)
    world = World(
        stores=stores,
        clock=clock,
        bus=bus,
        problems=problems,
        local=LocalModels(clock=clock),
        ollama=ollama,
        session=session,
        asking=asking,
        library=lambda: current.library,
        approve=approve,
        activity=Activity(clock),
    )
    guard = guard_of(world, lambda: in_force.settings)
    current.after = guard.follow
    serve = _serve(world, settings, index, guard)
    learning = learning_of(
        world,
        lambda: in_force.settings,
        guard=guard,
        fixing=serve.fixing,
        credit=memory.credit,
        allowed=lambda: allowed(watch),
    )
    loop = asyncio.get_running_loop()
    source = idle_source(
        lambda: in_force.settings,
        clock,
        returned=lambda: quietly(loop, watch.nudge),
    )
    watch = watch_of(
        world,
        lambda: in_force.settings,
        source=source,
        events=lambda: (),
        fast_loop=learning.fast_loop,
        prove=learning.prove,
    )
    upstream = OllamaUpstream(ollama)
    reading = Reading(
        stores.trajectories,
        stores.skills,
        eligible=Eligible(stores.rewards, stores.proposals, still=learning.today.still),
        effects=lambda: guard.effects,
    )
    return Service(
        in_force=in_force,
        paths=paths,
        clock=clock,
        stores=stores,
        bus=bus,
        problems=problems,
        current=current,
        index=index,
        engine=engine,
        local=world.local,
        ollama=ollama,
        upstream=upstream,
        serve=serve,
        data_plane=_data_plane(world, settings, door, serve, upstream),
        changes=SkillChanges(approve, stores.skills),
        rating=Rating(
            stores.trajectories,
            clock,
            bus,
            lambda: memory.exemplars,
            rated=learning.fast_loop.rated,
            view=reading.turn,
        ),
        reading=reading,
        trust=TrustView(
            stores.rewards, calibration=lambda: learning.score.calibration, clock=clock
        ),
        learning=learning,
        watch=watch,
        idle_source=source,
        activity=world.activity,
        memory=memory,
        supervisor=Supervisor(problems, clock),
    )


def _serve(world: World, settings: Settings, index: WordIndex, guard: Guard) -> Serve:
    return Serve(
        trajectories=world.stores.trajectories,
        skills=world.stores.skills,
        library=world.library,
        index=index,
        clock=world.clock,
        ids=TimeSortedIds(),
        chain_key=world.stores.chain_key,
        rule=settings.skills.rule,
        facts_within_s=settings.skills.facts_within_ms / 1000,
        leaving_out=guard.leaves_out,
        preferring=guard.prefers,
    )


def _data_plane(
    world: World, settings: Settings, door: Door, serve: Serve, upstream: OllamaUpstream
) -> DataPlane:
    address = world.ollama.address
    idle_s = settings.service.idle_timeout_s
    return DataPlane(
        door=door,
        serve=serve,
        forward=Forward(world.session, address, idle_s=idle_s, token=door.token),
        upstream=upstream,
        local=world.local,
        problems=world.problems,
        bus=world.bus,
        activity=world.activity,
        body_limit=settings.service.max_body_mb * 1_000_000,
        record=settings.records.record,
        touch_remote=settings.upstream.allow_remote_models,
        list_built_in=settings.models.list_pocket,
        monotonic_s=world.clock.monotonic_s,
    )


def open_secrets(settings: Settings, paths: Paths) -> tuple[SecretStore, LullError | None]:
    """Where secrets are kept, and what a person must know about it. Blocks for seconds."""
    return open_secret_store(
        service=paths.keychain_service,
        file=paths.secrets,
        file_fallback=settings.secrets.file_fallback,
        environ=os.environ,
    )
