"""`lull doctor` where no service runs: what would stop one from starting or answering."""

from __future__ import annotations

import asyncio
import contextlib
import socket

from lull.config.files import read
from lull.config.idle_settings import source_path
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import AddressInUse, LullError, ResourceError
from lull.service import checks, lull_checks
from lull.service.checks import Json, check, tried
from lull.service.wiring import calendars as calendars_wiring
from lull.service.wiring.own_models import built_in_engine, read_built_in
from lull.service.wiring.reader import small_reader_of
from lull.service.wiring.stores import Stores, open_stores
from lull.service.wiring.together import open_secrets
from lull.service.wiring.upstream import look_at_ollama
from lull.store.feedback import FeedbackRows
from lull.store.feeds import Feeds


async def without_service(paths: Paths) -> Json:
    settings = Settings()
    with contextlib.suppress(LullError):  # said by the check of the settings
        settings = read(paths.settings)
    store, skills, calendars, waiting = await asyncio.to_thread(_stored, paths)
    return {
        "checks": [
            check(
                "service",
                ok=False,
                text=f"Not running. {checks.runtime()}.",
                hint="Start it with `lull serve`.",
                serious=False,
            ),
            tried("settings", lambda: checks.settings(paths.settings)),
            tried("address", lambda: _port_is_free(settings)),
            await _ollama(settings),
            await _engine(settings, paths),
            store,
            skills,
            await asyncio.to_thread(
                tried,
                "reader",
                lambda: checks.reader(small_reader_of(settings, paths).check, waiting),
            ),
            _idle_source(settings),
            calendars,
            await asyncio.to_thread(
                tried,
                "keychain",
                lambda: checks.keychain(*open_secrets(settings, paths)),
                serious=False,
            ),
            await asyncio.to_thread(tried, "disk", lambda: checks.disk(paths.home)),
            await asyncio.to_thread(checks.speed),
        ]
    }


def _port_is_free(settings: Settings) -> str:
    service = settings.service
    family = socket.AF_INET6 if ":" in service.bind else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((service.bind, service.port))
            probe.listen(1)
        except OSError as error:
            raise AddressInUse(
                f"{service.bind}:{service.port}: {error.strerror}.",
                hint="Stop what uses it, or set service.port.",
            ) from error
    return f"{service.bind}:{service.port} is free."


async def _ollama(settings: Settings) -> Json:
    try:
        facts = await look_at_ollama(settings)
    except LullError as error:
        return check("ollama", ok=False, text=error.detail, hint=error.hint)
    state = facts.state
    return checks.ollama(
        facts.address, ok=state.ok, version=state.version, models=len(state.models)
    )


async def _engine(settings: Settings, paths: Paths) -> Json:
    try:
        await asyncio.to_thread(read_built_in)
    except ResourceError as error:
        return check("engine", ok=False, text=error.detail, hint=error.hint)
    engine = built_in_engine(settings, paths)
    try:
        return await checks.engine(engine)
    finally:
        await engine.close()


def _idle_source(settings: Settings) -> Json:
    """Of a file; what the system tells, only a running service knows."""
    name, source = "idle source", settings.idle.source
    if not source:
        return check(name, ok=True, text="The system is asked while the service runs.")
    file = source_path(source)
    if file.is_file():
        return check(name, ok=True, text=f"{file} is there.")
    text = f"{file} is not there, so nothing tells whether you are away."
    hint = "Have it written at least once a minute, or set idle.source to nothing."
    return check(name, ok=False, text=text, hint=hint, serious=False)


def _stored(paths: Paths) -> tuple[Json, Json, Json, int]:
    """The checks of store, skills and calendars, and how many messages wait for a reader."""
    opened: list[Stores] = []

    def look() -> str:
        if not paths.database.exists():
            return "Nothing is stored yet."
        opened.append(open_stores(paths, rescue=False))
        return checks.store(opened[0].database, opened[0].trajectories)

    store = tried("store", look)
    if not opened:
        text = "Read once the store can be."
        return (
            store,
            check("skills", ok=store["ok"], text=text),
            check("calendars", ok=store["ok"], text=text),
            0,
        )
    stores = opened[0]
    try:
        folders, skills = stores.skills.folders, stores.skills
        calendars = lull_checks.calendars(
            Feeds(stores.database).all(), calendars_wiring.system_clock().now()
        )
        waiting = FeedbackRows(stores.database).count_waiting()
        looked = tried("skills", lambda: checks.skills(folders, skills.library()))
        return store, looked, calendars, waiting
    finally:
        stores.database.close()
