"""`lull doctor` where no service runs: what would stop one from starting or answering."""

from __future__ import annotations

import asyncio
import contextlib
import socket

from lull.config.files import read
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import AddressInUse, LullError, ResourceError
from lull.resources import pocket_dir
from lull.service import checks
from lull.service.checks import Json, check, tried
from lull.service.local_facts import read_local_model
from lull.service.wiring import (
    BUILT_IN,
    Stores,
    built_in_engine,
    look_at_ollama,
    open_secrets,
    open_stores,
)


async def without_service(paths: Paths) -> Json:
    settings = Settings()
    with contextlib.suppress(LullError):  # said by the check of the settings
        settings = read(paths.settings)
    store, skills = await asyncio.to_thread(_stored, paths)
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
        read_local_model(BUILT_IN, pocket_dir())
    except ResourceError as error:
        return check("engine", ok=False, text=error.detail, hint=error.hint)
    engine = built_in_engine(settings, paths)
    try:
        return await checks.engine(engine)
    finally:
        await engine.close()


def _stored(paths: Paths) -> tuple[Json, Json]:
    """The checks of store and skills."""
    opened: list[Stores] = []

    def look() -> str:
        if not paths.database.exists():
            return "Nothing is stored yet."
        opened.append(open_stores(paths, rescue=False))
        return checks.store(opened[0].database, opened[0].trajectories)

    store = tried("store", look)
    if not opened:
        return store, check("skills", ok=store["ok"], text="Read once the store can be.")
    stores = opened[0]
    try:
        folders, skills = stores.skills.folders, stores.skills
        return store, tried("skills", lambda: checks.skills(folders, skills.library()))
    finally:
        stores.database.close()
