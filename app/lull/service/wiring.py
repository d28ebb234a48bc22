"""The only place that names concrete classes: from settings and paths to a service that can run."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import secrets
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import aiohttp

from lull.backends.chroma import ChromaExemplars
from lull.backends.clock import SystemClock, TimeSortedIds
from lull.backends.embedder import HashedNgrams
from lull.backends.mlx_engine import EngineOptions, MemoryLimits, MlxEngine
from lull.backends.ollama import OllamaFacts
from lull.backends.secrets import open_secret_store
from lull.backends.skill_index import WordIndex
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import LullError, ResourceError, StoreError
from lull.core.events import EventKind
from lull.core.messages import Sampling
from lull.core.policy import ModelFacts
from lull.core.ports import SecretStore
from lull.core.skill import Library
from lull.loops.approve import Approve
from lull.loops.serve import Serve
from lull.resources import pocket_dir
from lull.service.auth import Door
from lull.service.bus import Bus
from lull.service.data_plane import DataPlane
from lull.service.forward import Forward, notes_kept_connections
from lull.service.local_facts import read_local_model
from lull.service.local_model import LocalModels
from lull.service.local_routes import Served
from lull.service.problems import Problems
from lull.service.rating import Rating
from lull.service.skill_changes import SkillChanges
from lull.service.supervisor import Supervisor
from lull.store.database import Database
from lull.store.event_log import EventLog
from lull.store.skill_folders import SkillFolders
from lull.store.skills import Skills
from lull.store.trajectories import Trajectories

log = logging.getLogger(__name__)

BUILT_IN = "pocket"
KEEP_EVERY_S = 6 * 3600.0
HAND_EDITS_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Stores:
    """What lies on disk, opened."""

    database: Database
    trajectories: Trajectories
    skills: Skills
    chain_key: bytes


def open_stores(paths: Paths, *, rescue: bool = True) -> Stores:
    """Raises StoreError; without `rescue` also for a damaged file, which is left as it is."""
    database = Database(paths.database, rescue=rescue)
    key = _chain_key(database)
    return Stores(
        database=database,
        trajectories=Trajectories(database, key=key),
        skills=Skills(database, SkillFolders(paths.skills_root)),
        chain_key=key,
    )


def _chain_key(database: Database) -> bytes:
    def work(connection: sqlite3.Connection) -> bytes:
        row = connection.execute("SELECT value FROM facts WHERE name = 'chain-key'").fetchone()
        if row:
            return bytes(row["value"])
        key = secrets.token_bytes(32)
        connection.execute("INSERT INTO facts VALUES ('chain-key', ?)", (key,))
        return key

    try:
        return database.submit(work).result()
    except BaseException:
        database.close()
        raise


class Current:
    """The library in force: requests read it, approved changes replace it whole."""

    def __init__(self, library: Library, index: WordIndex, bus: Bus) -> None:
        self.library = library
        self._index = index
        self._bus = bus

    async def follow(self, library: Library) -> None:
        await self._index.follow(library)
        if library.generation < self.library.generation:
            return  # a newer one overtook it
        self.library = library
        self._bus.tell(EventKind.GENERATION, generation=library.generation)


class OllamaUpstream:
    """Implements the data plane's view of the upstream."""

    def __init__(self, facts: OllamaFacts) -> None:
        self._facts = facts
        self.look_again = asyncio.Event()
        self.built_in_is_there = False

    @property
    def alone(self) -> bool:
        return not self._facts.ever_seen

    @property
    def how_to_start(self) -> str:
        return (
            f"Ollama is not running at {self._facts.address}: start it with `ollama serve` or open"
            " the Ollama app."
            + (f" The built-in model answers as '{BUILT_IN}'." if self.built_in_is_there else "")
        )

    @property
    def empty(self) -> bool:
        """Nothing but the built-in model can answer."""
        return not self._facts.state.models

    def remote(self, model: str) -> bool | Awaitable[bool]:
        return self._facts.remote(model)

    def facts(self, model: str) -> ModelFacts | Awaitable[ModelFacts]:
        return self._facts.facts(model)

    def failed(self) -> None:
        self.look_again.set()


@dataclass(slots=True)
class Service:
    """Everything that runs, put together. `main` opens the doors and waits."""

    settings: Settings
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
    supervisor: Supervisor
    memory: ChromaExemplars | None = None
    address: str = ""
    token: str = ""
    """What requests must carry where other machines can reach us."""

    def apply(self, settings: Settings) -> None:
        """Follow what may change while we run; the rest holds from the next start on."""
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
        memory = await _beside(lambda: ChromaExemplars(self.paths.chroma, HashedNgrams()))
        if memory.kept_aside is not None:
            self.problems.came("exemplars", _exemplars_lost(memory.kept_aside))
        self.memory = memory
        self.index.remember_with(memory)

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
    try:
        service = _put_together(settings, paths, door, clock, stores, engine, session)
        if stores.database.kept_aside is not None:
            service.problems.came("database", _kept_aside(stores.database))
        await _publish_built_in(service)
        await service.take_in_hand_edits()
        yield service
    finally:
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
) -> Service:
    bus = Bus(EventLog(stores.database), clock)
    problems = Problems(bus)
    index = WordIndex()
    current = Current(Library(0, {}), index, bus)
    ollama = OllamaFacts(
        session,
        settings.upstream.resolved(os.environ),
        on_change=lambda ok: bus.tell(EventKind.UPSTREAM, ok=ok),
    )
    upstream = OllamaUpstream(ollama)
    local = LocalModels(clock=clock)
    approve = Approve(stores.skills, clock, follower=current.follow)
    serve = Serve(
        trajectories=stores.trajectories,
        skills=stores.skills,
        library=lambda: current.library,
        index=index,
        clock=clock,
        ids=TimeSortedIds(),
        chain_key=stores.chain_key,
        rule=settings.skills.rule,
        facts_within_s=settings.skills.facts_within_ms / 1000,
    )
    data_plane = DataPlane(
        door=door,
        serve=serve,
        forward=Forward(
            session, ollama.address, idle_s=settings.service.idle_timeout_s, token=door.token
        ),
        upstream=upstream,
        local=local,
        problems=problems,
        bus=bus,
        body_limit=settings.service.max_body_mb * 1_000_000,
        record=settings.records.record,
        touch_remote=settings.upstream.allow_remote_models,
        list_built_in=settings.models.list_pocket,
        monotonic_s=clock.monotonic_s,
    )
    service = Service(
        settings=settings,
        paths=paths,
        clock=clock,
        stores=stores,
        bus=bus,
        problems=problems,
        current=current,
        index=index,
        engine=engine,
        local=local,
        ollama=ollama,
        upstream=upstream,
        serve=serve,
        data_plane=data_plane,
        changes=SkillChanges(approve, stores.skills),
        rating=Rating(stores.trajectories, clock, bus, lambda: service.memory),
        supervisor=Supervisor(problems, clock),
    )
    return service


def open_secrets(settings: Settings, paths: Paths) -> tuple[SecretStore, LullError | None]:
    """Where secrets are kept, and what a person must know about it. Blocks for seconds."""
    return open_secret_store(
        service=paths.keychain_service,
        file=paths.secrets,
        file_fallback=settings.secrets.file_fallback,
        environ=os.environ,
    )


def built_in_engine(settings: Settings, paths: Paths) -> MlxEngine:
    """Starts nothing before it is asked."""
    return MlxEngine(_pocket_folder(paths), options=_engine_options(settings))


async def look_at_ollama(settings: Settings) -> OllamaFacts:
    """Ask once, without a service. Raises SettingsError."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        address = settings.upstream.resolved(os.environ)
        facts = OllamaFacts(session, address, on_change=lambda _: None)
        await facts.probe()
        return facts


def _pocket_folder(paths: Paths) -> Path:
    """Where the built-in model lies; a place without one where it is missing, which is said when
    it is published."""
    try:
        return pocket_dir()
    except ResourceError:
        return paths.models / BUILT_IN


async def _publish_built_in(service: Service) -> None:
    # The tiny language has one right answer: it is served greedily unless a client asks else.
    greedy = Sampling(temperature=0.0)
    try:
        model = await asyncio.to_thread(read_local_model, BUILT_IN, pocket_dir(), sampling=greedy)
    except ResourceError as error:
        service.problems.came("built-in model", error)
        return
    service.local.publish(Served(model=model, engine=service.engine, reads_suffixes=False))
    service.upstream.built_in_is_there = True


def _engine_options(settings: Settings) -> EngineOptions:
    limit = settings.engine.memory_limit_mb or None
    return EngineOptions(at_once=settings.engine.max_batch, limits=MemoryLimits(memory_mb=limit))


def _kept_aside(database: Database) -> LullError:
    return StoreError(
        f"{database.path} was damaged. It was kept as {database.kept_aside}, and Lull began a new"
        " one. Skills were read from their folders again; which of them were pinned or disabled,"
        " their history and all conversations are in the old file.",
        hint="`sqlite3 FILE .recover` may save them.",
    )


async def _beside(make: Callable[[], ChromaExemplars]) -> ChromaExemplars:
    """Make something slow in a thread that nobody waits for when the service stops first."""
    future: concurrent.futures.Future[ChromaExemplars] = concurrent.futures.Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(make())
        except BaseException as error:  # noqa: BLE001  it is raised where it is awaited
            future.set_exception(error)

    threading.Thread(target=run, name="opens the exemplar memory", daemon=True).start()
    return await asyncio.wrap_future(future)


def _exemplars_lost(kept: Path) -> LullError:
    return StoreError(
        f"The exemplar memory was damaged. It was kept as {kept}, and Lull began a new one.",
        hint="Skills are still found by their words; ratings fill the memory again.",
    )
