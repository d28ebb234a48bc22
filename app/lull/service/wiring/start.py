"""From settings and paths to a service that can run: everything is made here, once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from lull.backends.clock import PlayedClock, SystemClock, TimeSortedIds
from lull.backends.mlx_engine import MlxEngine
from lull.backends.ollama import OllamaFacts
from lull.backends.openai_chat import open_session
from lull.backends.secrets import open_secret_store
from lull.backends.skill_index import WordIndex
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import LullError, ResourceError
from lull.core.events import EventKind
from lull.core.ports import SecretStore
from lull.core.skill import Library
from lull.loops.approve import Approve
from lull.loops.eligible import Eligible
from lull.loops.guard import Guard
from lull.loops.serve import Serve
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
from lull.service.wiring.calendars import calendars_of
from lull.service.wiring.learning import Learning, guard_of, learning_of
from lull.service.wiring.lulls import allowed, idle_source, quietly, short_of_memory, watch_of
from lull.service.wiring.memory import Memory
from lull.service.wiring.own_models import (
    BUILT_IN_PROBLEM,
    built_in_engine,
    publish_built_in,
)
from lull.service.wiring.service import Current, InForce, Service
from lull.service.wiring.slow_loop import slow_loop_of
from lull.service.wiring.stores import Stores, kept_aside, open_stores
from lull.service.wiring.upstream import OllamaUpstream
from lull.service.wiring.weights import Weights


@asynccontextmanager
async def wired(
    settings: Settings, paths: Paths, door: Door, *, played: Path | None = None
) -> AsyncIterator[Service]:
    """A service, ready but with closed doors. Everything it opened is closed at the end. `played`:
    the file that says what time it is, where not the real one."""
    clock = SystemClock() if played is None else PlayedClock(played)
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
            service.problems.came(BUILT_IN_PROBLEM, error)
            service.upstream.built_in_problem = f"{error.detail} {error.hint}"
        try:
            await service.weights.publish_chosen(service.local)
        except ResourceError as error:
            service.problems.came("model that learns", error)
        for own in (engine, *service.weights.engines):
            own.on_lost_adapter = service.adapters.control.lost
        await service.adapters.promote.start()
        await service.forget.finish()
        await service.take_in_hand_edits()
        service.learning.guard.follow()
        try:
            yield service
        finally:
            await service.night.close()
            await service.learning.close()
            await service.weights.close()
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
    world = World(
        stores=stores,
        clock=clock,
        bus=bus,
        problems=problems,
        local=LocalModels(clock=clock),
        ollama=_ollama(session, settings, bus),
        session=session,
        asking=asking,
        library=lambda: current.library,
        approve=Approve(stores.skills, clock, follower=current.follow),
        activity=Activity(clock),
    )
    guard = guard_of(world, in_force)
    current.after = guard.follow
    serve = _serve(world, settings, index, guard)
    # What works in lulls asks the watch, and the watch asks them what there is to do: it is made
    # last, and nobody asks before the service runs.
    learning = learning_of(
        world,
        in_force,
        guard=guard,
        fixing=serve.fixing,
        credit=memory.credit,
        allowed=lambda: allowed(watch),
    )
    slow = slow_loop_of(
        world,
        in_force,
        paths,
        learning=learning,
        memory=memory,
        short_of_memory=lambda: short_of_memory(watch),
    )
    calendars = calendars_of(
        stores.database,
        clock=clock,
        secrets=lambda: open_secrets(in_force(), paths),
        problems=problems,
        changed=lambda: watch.nudge(),  # noqa: PLW0108  there is no watch yet
    )
    loop = asyncio.get_running_loop()
    source = idle_source(in_force, clock, returned=lambda: quietly(loop, watch.nudge))
    watch = watch_of(
        world,
        in_force,
        source=source,
        calendars=calendars,
        fast_loop=learning.fast_loop,
        prove=learning.prove,
        asked=learning.stages.asked,
        training=slow.night.queue,
    )
    upstream, reading = OllamaUpstream(world.ollama), _reading(world, learning, guard)
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
        ollama=world.ollama,
        upstream=upstream,
        serve=serve,
        data_plane=_data_plane(world, settings, door, serve, upstream, slow.weights),
        changes=SkillChanges(world.approve, stores.skills),
        rating=_rating(world, learning, reading, memory),
        reading=reading,
        trust=TrustView(
            stores.rewards, calibration=lambda: learning.score.calibration, clock=clock
        ),
        learning=learning,
        watch=watch,
        idle_source=source,
        calendars=calendars,
        activity=world.activity,
        memory=memory,
        supervisor=Supervisor(problems, clock),
        weights=slow.weights,
        adapters=slow.adapters,
        night=slow.night,
        forget=slow.forget,
    )


def _ollama(session: aiohttp.ClientSession, settings: Settings, bus: Bus) -> OllamaFacts:
    return OllamaFacts(
        session,
        settings.upstream.resolved(os.environ),
        on_change=lambda ok: bus.tell(EventKind.UPSTREAM, ok=ok),
    )


def _reading(world: World, learning: Learning, guard: Guard) -> Reading:
    stores = world.stores
    return Reading(
        stores.trajectories,
        stores.skills,
        eligible=Eligible(stores.rewards, stores.proposals, still=learning.today.still),
        effects=lambda: guard.effects,
        worths=stores.worths,
    )


def _rating(world: World, learning: Learning, reading: Reading, memory: Memory) -> Rating:
    return Rating(
        world.stores.trajectories,
        world.clock,
        world.bus,
        lambda: memory.exemplars,
        rated=learning.fast_loop.rated,
        view=reading.turn,
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
    world: World,
    settings: Settings,
    door: Door,
    serve: Serve,
    upstream: OllamaUpstream,
    weights: Weights,
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
        published=weights.names,
    )


def open_secrets(settings: Settings, paths: Paths) -> tuple[SecretStore, LullError | None]:
    """Where secrets are kept, and what a person must know about it. Blocks for seconds."""
    return open_secret_store(
        service=paths.keychain_service,
        file=paths.secrets,
        file_fallback=settings.secrets.file_fallback,
        environ=os.environ,
    )
