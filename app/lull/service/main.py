"""The service in the foreground: take the lock, open two doors, say so, wait, close in order.

The data plane listens first and the slow parts (Chroma, the engine) start behind it, so that a
client can ask at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from lull import __version__
from lull.config.paths import Paths
from lull.config.settings import ServiceSettings, Settings
from lull.core.errors import AddressInUse, LullError, SettingsError
from lull.service.auth import Door
from lull.service.control_api import ControlApi
from lull.service.lock import Discovery, ServiceLock, write_discovery
from lull.service.logs import start_logging
from lull.service.settings_view import SettingsView
from lull.service.status import Status
from lull.service.wiring import Service, wired

log = logging.getLogger(__name__)

STOP_WITHIN_S = 5.0
"""Answers under way get this long to end after a stop was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What is running, for the first lines a person reads."""

    address: str
    pid: int
    upstream: str
    upstream_ok: bool
    notes: tuple[str, ...]


def run(settings: Settings, paths: Paths, *, tell: Callable[[Ready], None]) -> None:
    """Serve until stopped. Raises LullError when it cannot start."""
    paths.prepare()
    lock = ServiceLock(paths.lock)
    lock.take()
    try:
        start_logging(paths.logs, settings.log.level)
        asyncio.run(_serve(settings, paths, tell))
    finally:
        paths.discovery.unlink(missing_ok=True)
        lock.release()


async def _serve(settings: Settings, paths: Paths, tell: Callable[[Ready], None]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(sign, stop.set)
    listener = _listener(settings.service)
    door = _door(settings.service, listener)
    async with wired(settings, paths, door) as service:
        await service.ollama.probe()
        runners = [
            await _open_data_plane(service, listener),
            await _open_control(service, stop.set),
        ]
        address = f"http://{_shown(settings.service.bind)}:{door.port}"
        service.address = address
        _announce(paths, address, service)
        background = asyncio.create_task(service.background())
        log.info("serving at %s", address)
        tell(_ready(service, address))
        try:
            await stop.wait()
        finally:
            paths.discovery.unlink(missing_ok=True)
            background.cancel()
            await asyncio.gather(background, return_exceptions=True)
            for runner in runners:
                await runner.cleanup()
            log.info("stopped")


def _listener(settings: ServiceSettings) -> socket.socket:
    if settings.needs_token and not settings.allow_network:
        raise SettingsError(
            f"service.bind is {settings.bind}, which other machines can reach.",
            hint="Set service.allow_network = true as well, or bind to 127.0.0.1.",
        )
    family = socket.AF_INET6 if ":" in settings.bind else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.bind, settings.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise AddressInUse(
            f"{settings.bind}:{settings.port}: {error.strerror}.",
            hint="Stop what uses it, or choose another with `lull serve --port N` (0: any).",
        ) from error
    return listener


def _door(settings: ServiceSettings, listener: socket.socket) -> Door:
    return Door(
        port=listener.getsockname()[1],
        loopback=not settings.needs_token,
        host=_shown(settings.bind),
        origins=settings.allow_origins,
    )


def _shown(bind: str) -> str:
    return f"[{bind}]" if ":" in bind else bind


async def _open_data_plane(service: Service, listener: socket.socket) -> web.AppRunner:
    runner = web.AppRunner(
        service.data_plane.app(),
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=STOP_WITHIN_S,
    )
    await runner.setup()
    await web.SockSite(runner, listener).start()
    return runner


async def _open_control(service: Service, stop: Callable[[], None]) -> web.AppRunner:
    status = Status(service)
    api = ControlApi(
        status=status.status,
        doctor=status.doctor,
        settings=SettingsView(service.paths.settings, apply=service.apply).handle,
        trajectories=service.stores.trajectories,
        skills=service.stores.skills,
        changes=service.changes,
        rating=service.rating,
        bus=service.bus,
        stop=stop,
    )
    runner = web.AppRunner(
        api.app(), handler_cancellation=True, access_log=None, shutdown_timeout=1.0
    )
    await runner.setup()
    await _private_site(runner, service.paths.control_socket)
    return runner


async def _private_site(runner: web.AppRunner, path: Path) -> None:
    """A Unix socket that only its owner can open, from its first moment on."""
    path.unlink(missing_ok=True)
    before = os.umask(0o177)
    try:
        await web.UnixSite(runner, str(path)).start()
    except OSError as error:
        raise LullError(f"{path}: {error.strerror}.", hint="Check LULL_HOME.") from error
    finally:
        os.umask(before)


def _announce(paths: Paths, address: str, service: Service) -> None:
    found = Discovery(
        address=address,
        pid=os.getpid(),
        control=str(paths.control_socket),
        version=__version__,
        started=service.clock.now().isoformat(),
    )
    write_discovery(paths.discovery, found)


def _ready(service: Service, address: str) -> Ready:
    return Ready(
        address=address,
        pid=os.getpid(),
        upstream=service.ollama.address,
        upstream_ok=service.ollama.state.ok,
        notes=tuple(f"{p['title']}: {p['detail']}" for p in service.problems.standing()),
    )
