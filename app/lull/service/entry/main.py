"""Runs the service in the foreground: locks the data folder, opens the proxy and the control API,
waits for a request to stop, and closes everything in order.

The proxy listens first and slow parts (Chroma, the engine) start behind it, so that clients can
connect at once. The first stop request lets answers in progress finish; a second one cuts them off.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from aiohttp import web

from lull import __version__
from lull.config.paths import Paths
from lull.config.private_file import restrict_to_owner
from lull.config.settings import ServiceSettings, Settings
from lull.core.errors import AddressInUse, LullError, OpenToNetwork, SettingsError
from lull.service.entry.background import BackgroundTasks
from lull.service.entry.control_server import open_control
from lull.service.entry.network_token import StoredToken, network_token, note_keychain_use
from lull.service.entry.stand_in_guard import (
    GOES_WITHIN_S,
    StandInGuard,
    end_stand_in,
    plan_of,
)
from lull.service.entry.started import started
from lull.service.process.free_memory import give_back_large_blocks, share_few_heaps
from lull.service.process.listening import ControlSocket, ListeningAt, listening_socket
from lull.service.process.lock import (
    Discovery,
    ServiceLock,
    alive,
    is_locked,
    read_discovery,
    write_discovery,
)
from lull.service.process.logs import log_loop_errors_safely, start_logging
from lull.service.process.problems import Problems
from lull.service.proxy.auth import AccessRules
from lull.service.proxy.data_plane import DataPlane
from lull.service.wiring.base.shared import SharedParts
from lull.store.backups.restoring import finish
from lull.store.disk.leftovers import sweep_leftovers

log = logging.getLogger(__name__)

_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Loopback address to show for each wildcard bind address."""
FINDABLE_EVERY_S = 5.0
"""Seconds between two looks whether the files are still there by which commands find the service.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartMessage:
    """The data in the message that the service prints after a successful start, such as the
    proxy's address and the number of models.
    """

    address: str
    pid: int
    upstream: str
    upstream_ok: bool
    models: int
    built_in: bool
    """Whether the built-in model is present and undamaged."""
    token: str
    """Network token; empty when only this machine can connect."""
    notes: tuple[str, ...]


class StopRequests:
    """Records the requests to stop the service that come as signals or from the control API, so
    that the service can wait for them.

    The first request sets its event `requested`. A second one sets its event `repeated`, which
    means that the service should stop at once.
    """

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self.repeated = asyncio.Event()

    def record_request(self) -> None:
        """Record a request to stop the service: the first asks it to stop in order, a second one to
        stop at once.
        """
        (self.repeated if self.requested.is_set() else self.requested).set()

    def catch_signals(self) -> None:
        """Install handlers that treat SIGINT, SIGTERM and SIGHUP (unless ignored) as requests to
        stop the service.
        """
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            sign = getattr(signal, name, None)
            minds = name != "SIGHUP" or (sign and signal.getsignal(sign) != signal.SIG_IGN)
            if sign is not None and minds:
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(sign, self.record_request)


def run(
    settings: Settings,
    paths: Paths,
    *,
    tell: Callable[[StartMessage], None],
    played: Path | None = None,
) -> None:
    """Run the service in this process until it is stopped.

    After the start, it calls the function `tell` with the data for the start message. `played` is a
    file from which the service reads the time instead of the system clock (`lull demo`).

    Raises LullError when the service cannot start.
    """
    share_few_heaps()
    give_back_large_blocks()
    paths.prepare()
    lock = ServiceLock(paths.lock)
    lock.take(discovery=paths.discovery)
    try:
        paths.discovery.unlink(missing_ok=True)  # left by a killed service
        finish(paths.home)
        swept = sweep_leftovers(paths.home, alive=alive)
        restrict_to_owner(paths.home)
        no_log = start_logging(paths.logs, settings.log.level)
        if swept:
            log.info("%d left-overs of writes that were killed removed", len(swept))
        asyncio.run(_serve(settings, paths, lock, tell, played, no_log))
    except LullError as error:
        log.info("could not go on: %s", error)
        raise
    finally:
        with contextlib.suppress(OSError):
            paths.discovery.unlink(missing_ok=True)
            paths.control_socket.unlink(missing_ok=True)
        lock.release()


async def _serve(
    settings: Settings,
    paths: Paths,
    lock: ServiceLock,
    tell: Callable[[StartMessage], None],
    played: Path | None,
    no_log: LullError | None,
) -> None:
    stopping = StopRequests()
    stopping.catch_signals()
    log_loop_errors_safely(asyncio.get_running_loop())
    listener = await _listener(settings.service, paths)
    token, kept_in, worry = await network_token(settings, paths)
    door = _door(settings.service, listener, token)
    at = ListeningAt(address=f"http://{_shown(settings.service.bind)}:{door.port}", token=token)
    async with (
        started(settings, paths, door, played=played) as service,
        contextlib.AsyncExitStack() as closing,
    ):
        shared, answering = service.shared, service.answering
        if no_log is not None:
            shared.problems.report("log", no_log)
        _worry(shared.problems, settings.service, token, worry)
        await note_keychain_use(shared.stores.database, kept_in)
        await shared.models.ollama.probe()
        control = await open_control(
            service,
            paths,
            at,
            stop=stopping.record_request,
            token=StoredToken(
                settings=service.choices.in_force,
                paths=paths,
                database=shared.stores.database,
            ),
        )
        closing.push_async_callback(control.close)
        closing.callback(shared.bus.close)
        within_s = settings.service.finish_within_s
        data_plane = await _open_data_plane(answering.data_plane, listener, within_s)
        closing.push_async_callback(_drain, data_plane, stopping)
        guard = StandInGuard(
            plan_of(settings.service, paths, upstream=shared.models.ollama.address)
        )
        guard.start()
        # Before the background work, which may take what room the disk has.
        found = _announced(paths, at, started=shared.clock.now())
        background = asyncio.create_task(BackgroundTasks(service).run())
        closing.push_async_callback(_ended, background)
        closing.callback(paths.discovery.unlink, missing_ok=True)
        keeping = asyncio.create_task(_keep_findable(paths, lock, found, control))
        closing.push_async_callback(_ended, keeping)
        closing.push_async_callback(_ended, asyncio.create_task(guard.watch()))
        log.info("serving at %s", at.address)
        tell(_ready(at, shared, built_in=answering.upstream.built_in_is_there))
        _spare_the_collector()
        await stopping.requested.wait()
        log.info("stopping")
        await guard.dismiss()
    log.info("stopped")


def _spare_the_collector() -> None:
    """Exempt the startup objects from garbage collection and collect less often.

    Requests make many short-lived objects, and scanning everything every 700 of them cost 0.1 ms
    per request.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _drain(runner: web.AppRunner, stopping: StopRequests) -> None:
    """Refuse new requests and let answers finish, until the timeout or a second stop request."""
    draining = asyncio.create_task(runner.cleanup())
    hurry = asyncio.create_task(stopping.repeated.wait())
    try:
        await asyncio.wait({draining, hurry}, return_when=asyncio.FIRST_COMPLETED)
        if not draining.done() and runner.server is not None:
            await _ended(draining)
            await runner.server.shutdown(0.01)
    finally:
        await _ended(hurry)  # type: ignore[arg-type]


def _worry(
    problems: Problems, settings: ServiceSettings, token: str, worry: LullError | None
) -> None:
    if worry is not None:
        problems.report("secrets", worry)
    if token:
        problems.report(
            "network",
            OpenToNetwork(
                f"“service.bind” is {settings.bind}, so whoever is on your network"
                " and has the token can use your models.",
                hint="`lull settings set service.bind 127.0.0.1` closes it.",
            ),
        )


async def _listener(settings: ServiceSettings, paths: Paths) -> socket.socket:
    """Open the proxy's port, once a process that stood in for the last service gives it back; one
    that hangs is ended.

    Raises SettingsError and AddressInUse.
    """
    if settings.needs_token and not settings.allow_network:
        raise SettingsError(
            f"“service.bind” is {settings.bind}, which other machines can reach.",
            hint="Set service.allow_network = true as well, or bind to 127.0.0.1.",
        )
    until_s = time.monotonic() + GOES_WITHIN_S
    while True:
        try:
            return listening_socket(settings.bind, settings.port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or not is_locked(paths.stand_in_lock):
                raise _cannot_listen(settings, error) from error
        await asyncio.sleep(0.05)
        if time.monotonic() > until_s:
            await asyncio.to_thread(end_stand_in, paths.stand_in_lock)


def _cannot_listen(settings: ServiceSettings, error: OSError) -> LullError:
    where = f"{_bracketed(settings.bind)}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return AddressInUse(
            f"Something else listens at {where} already.",
            hint="Stop it, or choose another port: `lull serve --port N` (0: any free one).",
        )
    return SettingsError(
        f"Lull cannot listen at {where}: {error.strerror}.",
        hint="Change service.bind or service.port; ports below 1024 are the system's.",
    )


def _door(settings: ServiceSettings, listener: socket.socket, token: str) -> AccessRules:
    return AccessRules(
        port=listener.getsockname()[1],
        loopback=not settings.needs_token,
        token=token,
        origins=settings.allow_origins,
    )


def _shown(bind: str) -> str:
    return _bracketed(_LOOPBACK_OF.get(bind, bind))


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def _open_data_plane(
    data_plane: DataPlane, listener: socket.socket, within_s: float
) -> web.AppRunner:
    runner = data_plane.runner(shutdown_timeout_s=within_s)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    return runner


def _announced(paths: Paths, at: ListeningAt, *, started: datetime) -> Discovery:
    found = Discovery(
        address=at.address,
        pid=os.getpid(),
        control=str(paths.control_socket),
        version=__version__,
        started=started.isoformat(),
    )
    write_discovery(paths.discovery, found)
    return found


async def _keep_findable(
    paths: Paths, lock: ServiceLock, found: Discovery, control: ControlSocket
) -> None:
    """Put the lock file, the discovery file and the control socket back if they were removed, until
    cancelled.
    """

    def look() -> None:
        with contextlib.suppress(OSError):  # a full disk, of which the store tells
            lock.put_back()
            if read_discovery(paths.discovery) != found:
                write_discovery(paths.discovery, found)

    while True:
        await asyncio.sleep(FINDABLE_EVERY_S)
        await asyncio.to_thread(look)
        with contextlib.suppress(OSError, LullError):
            await control.put_back()


def _ready(at: ListeningAt, shared: SharedParts, *, built_in: bool) -> StartMessage:
    standing = shared.problems.current()
    return StartMessage(
        address=at.address,
        pid=os.getpid(),
        upstream=shared.models.ollama.address,
        upstream_ok=shared.models.ollama.state.ok,
        models=len(shared.models.ollama.state.models),
        built_in=built_in,
        token=at.token,
        notes=tuple(f"{p['title']}: {p['detail']} {p['hint']}" for p in standing),
    )
