"""The service in the foreground: take the lock, open two doors, say so, wait, close in order.

The data plane listens first and the slow parts (Chroma, the engine) start behind it, so that a
client can ask at once. Asked to stop, it lets the answers under way come to their end; asked
twice, it does not wait for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import logging
import os
import secrets
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from lull import __version__
from lull.config.paths import Paths
from lull.config.settings import ServiceSettings, Settings
from lull.core.errors import AddressInUse, LullError, OpenToNetwork, SettingsError
from lull.service.auth import Door
from lull.service.comparing import Comparing
from lull.service.control_api import ControlApi
from lull.service.forgetting import Forgetting
from lull.service.hearing import Hearing
from lull.service.lock import Discovery, ServiceLock, write_discovery
from lull.service.logs import no_words_of_others, start_logging
from lull.service.lulls import Lulls
from lull.service.models import KEY as TRAINING_MODEL
from lull.service.models import Models, auto_view
from lull.service.reviewing import Reviewing
from lull.service.settings_view import SettingsView
from lull.service.status import Status
from lull.service.training_requests import TrainingRequests
from lull.service.wiring.service import Service
from lull.service.wiring.start import wired
from lull.service.wiring.together import open_secrets

log = logging.getLogger(__name__)
Json = dict[str, Any]

TOKEN = "network-token"
"""Its name in the secret store."""

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""One listens everywhere and is called at home."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What is running, for the first lines a person reads."""

    address: str
    pid: int
    upstream: str
    upstream_ok: bool
    models: int
    built_in: bool
    """Whether the built-in model is there, and whole."""
    token: str
    """Empty where only this machine can connect."""
    notes: tuple[str, ...]


class Stopping:
    """The wish to stop, and the second one, to stop at once."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.again = asyncio.Event()

    def ask(self) -> None:
        (self.again if self.asked.is_set() else self.asked).set()

    def listen(self) -> None:
        """Ctrl-C, `kill`, and a terminal that closes, unless we were told not to mind that."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            sign = getattr(signal, name, None)
            minds = name != "SIGHUP" or (sign and signal.getsignal(sign) != signal.SIG_IGN)
            if sign is not None and minds:
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(sign, self.ask)


def run(
    settings: Settings,
    paths: Paths,
    *,
    tell: Callable[[Ready], None],
    played: Path | None = None,
) -> None:
    """Serve until stopped. `played`: a file that sets the time of day (`lull demo`). Raises
    LullError when it cannot start."""
    paths.prepare()
    lock = ServiceLock(paths.lock)
    lock.take(discovery=paths.discovery)
    try:
        paths.discovery.unlink(missing_ok=True)  # of one that was killed
        start_logging(paths.logs, settings.log.level)
        asyncio.run(_serve(settings, paths, tell, played))
    except LullError as error:
        log.info("could not go on: %s", error)
        raise
    finally:
        with contextlib.suppress(OSError):
            paths.discovery.unlink(missing_ok=True)
            paths.control_socket.unlink(missing_ok=True)
        lock.release()


async def _serve(
    settings: Settings, paths: Paths, tell: Callable[[Ready], None], played: Path | None
) -> None:
    stopping = Stopping()
    stopping.listen()
    no_words_of_others(asyncio.get_running_loop())
    listener = _listener(settings.service)
    token, worry = await _secrets(settings, paths)
    door = _door(settings.service, listener, token)
    async with (
        wired(settings, paths, door, played=played) as service,
        contextlib.AsyncExitStack() as closing,
    ):
        service.token = token
        service.address = f"http://{_shown(settings.service.bind)}:{door.port}"
        _worry(service, worry)
        await service.ollama.probe()
        control = await _open_control(service, stopping.ask)
        closing.push_async_callback(control.cleanup)
        closing.callback(service.bus.close)
        data_plane = await _open_data_plane(service, listener)
        closing.push_async_callback(_drain, data_plane, stopping)
        background = asyncio.create_task(service.background())
        closing.push_async_callback(_ended, background)
        closing.callback(paths.discovery.unlink, missing_ok=True)
        _announce(paths, service)
        log.info("serving at %s", service.address)
        tell(_ready(service))
        _spare_the_collector()
        await stopping.asked.wait()
        log.info("stopping")
    log.info("stopped")


def _spare_the_collector() -> None:
    """What stands now stands for good, and requests make much that dies at once: looking through
    all of it every 700 objects cost a tenth of a millisecond a request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _drain(runner: web.AppRunner, stopping: Stopping) -> None:
    """Let nobody in any more and the answers under way come to their end, in time."""
    draining = asyncio.create_task(runner.cleanup())
    hurry = asyncio.create_task(stopping.again.wait())
    try:
        await asyncio.wait({draining, hurry}, return_when=asyncio.FIRST_COMPLETED)
        if not draining.done() and runner.server is not None:
            await _ended(draining)
            await runner.server.shutdown(0.01)
    finally:
        await _ended(hurry)  # type: ignore[arg-type]


async def _secrets(settings: Settings, paths: Paths) -> tuple[str, LullError | None]:
    """The network token where one is needed, made at its first use, and what is wrong with where
    it is kept. A loopback service holds no secret, and asks no keychain."""
    needed = settings.service.needs_token
    if not needed and not settings.secrets.file_fallback:
        return "", None
    store, worry = await asyncio.to_thread(open_secrets, settings, paths)
    if not needed:
        return "", worry
    token = await asyncio.to_thread(store.get, TOKEN)
    if not token:
        token = secrets.token_urlsafe(24)
        await asyncio.to_thread(store.set, TOKEN, token)
    return token, worry


def _worry(service: Service, worry: LullError | None) -> None:
    if worry is not None:
        service.problems.came("secrets", worry)
    if service.token:
        service.problems.came(
            "network",
            OpenToNetwork(
                f"service.bind is {service.settings.service.bind}, so whoever is on your network"
                " and has the token can use your models.",
                hint="`lull settings set service.bind 127.0.0.1` closes it.",
            ),
        )


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
        raise _cannot_listen(settings, error) from error
    return listener


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


def _door(settings: ServiceSettings, listener: socket.socket, token: str) -> Door:
    return Door(
        port=listener.getsockname()[1],
        loopback=not settings.needs_token,
        token=token,
        origins=settings.allow_origins,
    )


def _shown(bind: str) -> str:
    return _bracketed(_EVERYWHERE.get(bind, bind))


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def _open_data_plane(service: Service, listener: socket.socket) -> web.AppRunner:
    within_s = service.settings.service.finish_within_s
    runner = service.data_plane.runner(shutdown_timeout_s=within_s)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    return runner


async def _open_control(service: Service, stop: Callable[[], None]) -> web.AppRunner:
    status = Status(service)
    view = SettingsView(service.paths.settings, apply=service.apply)

    async def set_model(name: str) -> Json:
        said = await view.handle({"key": TRAINING_MODEL, "value": name})
        # The same name may stand for other weights now.
        await service.follow_choice()
        return said

    api = ControlApi(
        status=status.status,
        doctor=status.doctor,
        settings=view.handle,
        reading=service.reading,
        settle=service.stores.database.flush,
        changes=service.changes,
        rating=service.rating,
        reviewing=Reviewing(
            review=service.learning.review,
            proposals=service.stores.proposals,
            skills=service.stores.skills,
            library=lambda: service.current.library,
            rule=service.learning.prove.rule.proof,
            rule_for=service.learning.prove.rule_for,
            proofs=service.learning.fast_loop,
            bus=service.bus,
        ),
        comparing=Comparing(
            service.learning.compare,
            proposals=service.stores.proposals,
            rule_for=service.learning.prove.rule_for,
            proofs=service.learning.fast_loop,
        ),
        calendars=service.calendars,
        lulls=Lulls(
            service.watch,
            windows=service.watch.windows,
            calendars=service.calendars,
            idle=lambda: service.settings.idle,
            clock=service.clock,
        ),
        adapters=service.adapters.control,
        training=TrainingRequests(service.night, service.watch, service.stores.training),
        forgetting=Forgetting(service.forget, settle=service.stores.database.flush),
        hearing=Hearing(
            service.stores.feedback,
            service.learning.hear,
            count=service.learning.fast_loop.count_heard,
        ),
        models=Models(
            service.weights.choose,
            chosen=lambda: service.settings.training.model,
            set_model=set_model,
            auto=lambda: auto_view(service.auto.choice) if service.in_force.auto else None,
        ),
        exams=service.exam_requests,
        bus=service.bus,
        stop=stop,
        finish_within_s=service.settings.service.finish_within_s,
    )
    runner = web.AppRunner(
        api.app(), handler_cancellation=True, access_log=None, shutdown_timeout=1.0
    )
    await runner.setup()
    await _private_site(runner, service.paths.control_socket)
    return runner


async def _private_site(runner: web.AppRunner, path: Path) -> None:
    """A Unix socket that only its owner can open, from its first moment on."""
    before = os.umask(0o177)
    try:
        path.unlink(missing_ok=True)
        await web.UnixSite(runner, str(path)).start()
    except OSError as error:
        raise LullError(
            f"The control socket {path} cannot be made: {error.strerror}.",
            hint="Move away what lies there, or name another folder with LULL_HOME.",
        ) from error
    finally:
        os.umask(before)


def _announce(paths: Paths, service: Service) -> None:
    found = Discovery(
        address=service.address,
        pid=os.getpid(),
        control=str(paths.control_socket),
        version=__version__,
        started=service.clock.now().isoformat(),
    )
    write_discovery(paths.discovery, found)


def _ready(service: Service) -> Ready:
    standing = service.problems.standing()
    return Ready(
        address=service.address,
        pid=os.getpid(),
        upstream=service.ollama.address,
        upstream_ok=service.ollama.state.ok,
        models=len(service.ollama.state.models),
        built_in=service.upstream.built_in_is_there,
        token=service.token,
        notes=tuple(f"{p['title']}: {p['detail']} {p['hint']}" for p in standing),
    )
