"""What a service is made of: everything is made here, once, from what is open already."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

import aiohttp

from lull.backends.clock import SystemClock, TimeSortedIds
from lull.backends.mlx_engine import MlxEngine
from lull.backends.ollama import OllamaFacts
from lull.backends.secrets import open_secret_store
from lull.backends.skill_index import WordIndex
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.idle_signals import IdleSource
from lull.core.lull_work import LullWork
from lull.core.ports import SecretStore
from lull.core.skill import Library
from lull.loops.approve import Approve
from lull.loops.auto_learner import AutoLearner, made_ready, ready_work
from lull.loops.eligible import Eligible
from lull.loops.fix_skills import FixSkills
from lull.loops.guard import Guard
from lull.loops.serve import Serve
from lull.loops.watch_idle import WatchIdle
from lull.service.auth import Door
from lull.service.bus import Bus
from lull.service.calendars import Calendars
from lull.service.data_plane import DataPlane
from lull.service.exams import ExamRequests
from lull.service.forward import Forward
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
from lull.service.wiring.exams import models_and_addresses
from lull.service.wiring.learning import Learning, guard_of, learning_of
from lull.service.wiring.lulls import allowed, idle_source, quietly, short_of_memory, watch_of
from lull.service.wiring.memory import Memory
from lull.service.wiring.reader import small_reader_of
from lull.service.wiring.service import Current, InForce, Service
from lull.service.wiring.slow_loop import SlowLoop, slow_loop_of
from lull.service.wiring.stores import Stores
from lull.service.wiring.upstream import OllamaUpstream
from lull.service.wiring.weights import Weights, auto_learner_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What is there before anything is put together."""

    clock: SystemClock
    stores: Stores
    engine: MlxEngine
    session: aiohttp.ClientSession
    """For the users' own requests."""
    asking: aiohttp.ClientSession
    """For what Lull asks itself."""


def put_together(settings: Settings, paths: Paths, door: Door, opened: Opened) -> Service:
    in_force = InForce(settings)
    ground = _ground(settings, paths, opened)
    auto = auto_learner_of(ground.world.stores, opened.clock, paths, lambda: loops.slow.weights)
    in_force.learner = lambda: auto.choice.model
    guard = guard_of(ground.world, in_force)
    ground.current.after = guard.follow
    serve = _serve(ground, settings, guard)
    loops = _loops(ground, in_force, paths, auto, guard=guard, fixing=serve.fixing)
    return _service(in_force, paths, door, opened, auto, ground=ground, serve=serve, loops=loops)


# What requests and loops share


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    world: World
    current: Current
    index: WordIndex
    memory: Memory


def _ground(settings: Settings, paths: Paths, opened: Opened) -> _Ground:
    stores, clock = opened.stores, opened.clock
    bus, index = Bus(stores.events, clock), WordIndex()
    current = Current(Library(0, {}), index, bus)
    world = World(
        stores=stores,
        clock=clock,
        bus=bus,
        problems=Problems(bus),
        local=LocalModels(clock=clock),
        ollama=_ollama(opened.session, settings, bus),
        session=opened.session,
        asking=opened.asking,
        library=lambda: current.library,
        approve=Approve(stores.skills, clock, follower=current.follow),
        activity=Activity(clock),
    )
    return _Ground(world=world, current=current, index=index, memory=Memory(paths.chroma))


def _ollama(session: aiohttp.ClientSession, settings: Settings, bus: Bus) -> OllamaFacts:
    return OllamaFacts(
        session,
        settings.upstream.resolved(os.environ),
        on_change=lambda ok: bus.tell(EventKind.UPSTREAM, ok=ok),
    )


# What answers requests


def _serve(ground: _Ground, settings: Settings, guard: Guard) -> Serve:
    world = ground.world
    return Serve(
        trajectories=world.stores.trajectories,
        skills=world.stores.skills,
        library=world.library,
        index=ground.index,
        clock=world.clock,
        ids=TimeSortedIds(),
        chain_key=world.stores.chain_key,
        rule=settings.skills.rule,
        facts_within_s=settings.skills.facts_within_ms / 1000,
        leaving_out=guard.leaves_out,
        effect=guard.effect,
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


# What learns, and when


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lulls:
    calendars: Calendars
    source: IdleSource
    watch: WatchIdle


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loops:
    learning: Learning
    slow: SlowLoop
    lulls: _Lulls


def _loops(
    ground: _Ground,
    settings: InForce,
    paths: Paths,
    auto: AutoLearner,
    *,
    guard: Guard,
    fixing: FixSkills,
) -> _Loops:
    # What works in lulls asks the watch, and the watch asks them what there is to do: it is made
    # last, and nobody asks before the service runs.
    learning = learning_of(
        ground.world,
        settings,
        guard=guard,
        fixing=fixing,
        credit=ground.memory.credit,
        reader=small_reader_of(settings(), paths),
        allowed=lambda: allowed(lulls.watch),
    )
    slow = slow_loop_of(
        ground.world,
        settings,
        paths,
        learning=learning,
        memory=ground.memory,
        short_of_memory=lambda: short_of_memory(lulls.watch),
    )
    lulls = _lulls(ground.world, settings, paths, learning, slow, auto)
    return _Loops(learning=learning, slow=slow, lulls=lulls)


def _lulls(
    world: World,
    settings: InForce,
    paths: Paths,
    learning: Learning,
    slow: SlowLoop,
    auto: AutoLearner,
) -> _Lulls:
    async def make(model: str) -> None:
        await made_ready(auto, model, slow.weights.choose.choose)
        settings.made_ready.set()

    def helpers() -> list[LullWork]:
        making = ready_work(auto, make, world.clock) if settings.auto else []
        return [*learning.exams.queue(), *making]

    calendars = calendars_of(
        world.stores.database,
        clock=world.clock,
        secrets=lambda: open_secrets(settings(), paths),
        problems=world.problems,
        changed=lambda: watch.nudge(),  # noqa: PLW0108  there is no watch yet
    )
    loop = asyncio.get_running_loop()
    source = idle_source(settings, world.clock, returned=lambda: quietly(loop, watch.nudge))
    watch = watch_of(
        world,
        settings,
        source=source,
        calendars=calendars,
        fast_loop=learning.fast_loop,
        prove=learning.prove,
        asked=learning.stages.asked,
        training=slow.night.queue,
        exams=helpers,
    )
    return _Lulls(calendars=calendars, source=source, watch=watch)


# What is shown and rated


def _reading(world: World, learning: Learning) -> Reading:
    stores = world.stores
    return Reading(
        stores.trajectories,
        stores.skills,
        eligible=Eligible(stores.rewards, stores.proposals, still=learning.today.still),
        effects=lambda: learning.guard.effects,
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


def _trust(world: World, learning: Learning) -> TrustView:
    return TrustView(
        world.stores.rewards,
        calibration=lambda: learning.score.calibration,
        clock=world.clock,
    )


# All of it


def _service(
    in_force: InForce,
    paths: Paths,
    door: Door,
    opened: Opened,
    auto: AutoLearner,
    *,
    ground: _Ground,
    serve: Serve,
    loops: _Loops,
) -> Service:
    """A list as long as the service has parts."""
    world, learning, slow, lulls = ground.world, loops.learning, loops.slow, loops.lulls
    upstream, reading = OllamaUpstream(world.ollama), _reading(world, learning)
    return Service(
        in_force=in_force,
        paths=paths,
        clock=world.clock,
        stores=world.stores,
        bus=world.bus,
        problems=world.problems,
        current=ground.current,
        index=ground.index,
        engine=opened.engine,
        local=world.local,
        ollama=world.ollama,
        upstream=upstream,
        serve=serve,
        data_plane=_data_plane(world, in_force(), door, serve, upstream, slow.weights),
        changes=SkillChanges(world.approve, world.stores.skills),
        rating=_rating(world, learning, reading, ground.memory),
        reading=reading,
        trust=_trust(world, learning),
        learning=learning,
        watch=lulls.watch,
        idle_source=lulls.source,
        calendars=lulls.calendars,
        activity=world.activity,
        memory=ground.memory,
        supervisor=Supervisor(world.problems, world.clock),
        weights=slow.weights,
        adapters=slow.adapters,
        night=slow.night,
        forget=slow.forget,
        auto=auto,
        exam_requests=ExamRequests(
            learning.exams.examine,
            settings=lambda: models_and_addresses(in_force()),
            done=in_force.ask_again.set,
        ),
        ask_again=in_force.ask_again,
        choice_changed=in_force.made_ready,
    )


def open_secrets(settings: Settings, paths: Paths) -> tuple[SecretStore, LullError | None]:
    """Where secrets are kept, and what a person must know about it. Blocks for seconds."""
    return open_secret_store(
        service=paths.keychain_service,
        file=paths.secrets,
        file_fallback=settings.secrets.file_fallback,
        environ=os.environ,
    )
