"""`lull doctor` without a running service: checks for what would keep a service from starting or
answering.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from datetime import UTC, datetime

from lull.backends.shipped.toy_model import read_toy
from lull.config.files import read
from lull.config.idle_settings import source_path
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.contract.json_object import Json
from lull.core.errors import AddressInUse, LullError, ResourceError
from lull.service.answers import checks
from lull.service.answers.checks import (
    check,
    hangs,
    in_thread,
    run_check,
    run_check_in_thread,
    with_time_limit,
)
from lull.service.backups.checks import check_backups
from lull.service.clients.drifted import check_clients
from lull.service.idle import checks as lull_checks
from lull.service.wiring import calendars as calendars_wiring
from lull.service.wiring.base.own_models import built_in_models
from lull.service.wiring.base.stores import Stores, open_stores
from lull.service.wiring.clients import connect_parts
from lull.service.wiring.learning.reader import small_reader_of
from lull.service.wiring.together import open_secrets
from lull.service.wiring.upstream import probe_ollama
from lull.store.backups.witness import Witness
from lull.store.calendars.feeds import Feeds
from lull.store.chat.trash_files import damaged_in
from lull.store.feedback.feedback import FeedbackRows

Stored = tuple[Json, Json, Json, int]
"""Results of the doctor's checks of store, skills and calendars, and the number of user messages
that wait to be read for feedback.
"""
SQLITE_TIMEOUT_S = 30.0
"""Timeout in seconds for another process's write, before the database is reported as locked."""


async def without_service(paths: Paths) -> Json:
    """Carry out the checks of `lull doctor` that need no running service."""
    settings = await _settings(paths)
    # All at once, each with its own limit: together they take as long as the longest.
    looks = [
        run_check_in_thread("settings", lambda: checks.settings(paths.settings)),
        run_check_in_thread("address", lambda: _port_is_free(settings)),
        with_time_limit("ollama", _ollama(settings)),
        with_time_limit("engine", _engine(settings, paths), limit_s=checks.ANSWER_WITHIN_S + 10.0),
        run_check_in_thread("reader", small_reader_of(settings, paths).check),
        run_check_in_thread(
            "trash", lambda: checks.trash(paths.trash, damaged_in(paths.trash)), serious=False
        ),
        run_check_in_thread(
            "keychain", lambda: checks.keychain(*open_secrets(settings, paths)), serious=False
        ),
        run_check_in_thread("disk", lambda: checks.disk(paths.home)),
        with_time_limit("speed", in_thread(checks.speed)),
        with_time_limit("backups", in_thread(lambda: _backups(paths, settings))),
        with_time_limit("clients", in_thread(lambda: _clients(paths, settings))),
    ]
    done, stored = await asyncio.gather(asyncio.gather(*looks), _stored_in_time(paths))
    own, address, ollama, engine, reader, trash, *system = done
    store, skills, calendars, waiting = stored
    if reader["ok"]:
        reader = check("reader", ok=True, text=checks.reader(lambda: reader["text"], waiting))
    return {
        "checks": [
            check(
                "service",
                ok=False,
                text=f"Not running. {checks.platform_line()}.",
                hint="Start it with `lull serve`.",
                serious=False,
            ),
            *(own, address, ollama, engine, store, trash, skills, reader),
            _idle_source(settings),
            calendars,
            *system,
        ]
    }


async def _settings(paths: Paths) -> Settings:
    """Return the settings, or the defaults if they cannot be read; another check of the doctor
    reports why.
    """
    with contextlib.suppress(LullError, TimeoutError):
        async with asyncio.timeout(checks.CHECK_WITHIN_S):
            return await in_thread(lambda: read(paths.settings))
    return Settings()


async def _stored_in_time(paths: Paths) -> Stored:
    try:
        async with asyncio.timeout(checks.CHECK_WITHIN_S + SQLITE_TIMEOUT_S):
            return await in_thread(lambda: _stored(paths))
    except TimeoutError:
        limit_s = checks.CHECK_WITHIN_S + SQLITE_TIMEOUT_S
        return (
            hangs("store", limit_s),
            hangs("skills", limit_s),
            hangs("calendars", limit_s),
            0,
        )


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
        facts = await probe_ollama(settings)
    except LullError as error:
        return check("ollama", ok=False, text=error.detail, hint=error.hint)
    state = facts.state
    return checks.ollama(
        facts.address, ok=state.ok, version=state.version, models=len(state.models)
    )


async def _engine(settings: Settings, paths: Paths) -> Json:
    models = built_in_models(settings, paths)
    try:
        await in_thread(read_toy)
        await in_thread(lambda: models.english.model)
    except ResourceError as error:
        return check("engine", ok=False, text=error.detail, hint=error.hint)
    try:
        return await checks.engine(models.toy)
    finally:
        await models.close()


def _backups(paths: Paths, settings: Settings) -> Json:
    return check_backups(paths.home, settings.backup, datetime.now(UTC))


def _clients(paths: Paths, settings: Settings) -> Json:
    """Check the connected chat clients against the address that a service would have."""
    if not settings.service.port:  # any free one: known once it runs
        return check("clients", ok=True, text="Looked at while the service runs.")
    parts = connect_parts(paths)
    return check_clients(parts, f"http://127.0.0.1:{settings.service.port}")


def _idle_source(settings: Settings) -> Json:
    """Check the file that `idle.source` names; only a running service can check the system."""
    name, source = "idle source", settings.idle.source
    if not source:
        return check(name, ok=True, text="The system is asked while the service runs.")
    file = source_path(source)
    if file.is_file():
        return check(name, ok=True, text=f"{file} is there.")
    text = f"{file} is not there, so nothing tells whether you are away."
    hint = "Have it written at least once a minute, or set idle.source to nothing."
    return check(name, ok=False, text=text, hint=hint, serious=False)


def _stored(paths: Paths) -> Stored:
    opened: list[Stores] = []

    def look() -> str:
        if missing := Witness(paths.database).find_losses():
            raise missing[0]
        if not paths.database.exists():
            return "Nothing is stored yet."
        opened.append(open_stores(paths, rescue=False))
        return checks.store(opened[0].database, opened[0].trajectories)

    store = run_check("store", look)
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
        looked = run_check(
            "skills", lambda: checks.skills(folders, skills.library(), skills.missing())
        )
        return store, looked, calendars, waiting
    finally:
        stores.database.close()
