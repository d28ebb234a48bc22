"""`lull doctor` where no service runs: what would stop one from starting."""

from __future__ import annotations

import socket
from collections.abc import Callable

from lull.config.files import read
from lull.config.paths import Paths
from lull.core.errors import AddressInUse, LullError
from lull.resources import pocket_dir
from lull.service.local_facts import read_local_model
from lull.service.status import Json, check
from lull.service.wiring import BUILT_IN, open_stores


def without_service(paths: Paths) -> Json:
    checks = [
        check("service", ok=False, text="It is not running.", hint="Start it with `lull serve`."),
        _tried("settings", lambda: _settings(paths)),
        _tried("address", lambda: _port_is_free(paths)),
        _tried("store", lambda: _store(paths)),
        _tried("built-in model", _built_in),
    ]
    return {"checks": checks}


def _tried(name: str, look: Callable[[], str]) -> Json:
    try:
        return check(name, ok=True, text=look())
    except LullError as error:
        return check(name, ok=False, text=error.detail, hint=error.hint)


def _settings(paths: Paths) -> str:
    read(paths.settings)
    return f"{paths.settings} is in order." if paths.settings.exists() else "All are defaults."


def _port_is_free(paths: Paths) -> str:
    service = read(paths.settings).service
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((service.bind, service.port))
        except OSError as error:
            raise AddressInUse(
                f"{service.bind}:{service.port}: {error.strerror}.",
                hint="Stop what uses it, or set service.port.",
            ) from error
    return f"{service.bind}:{service.port} is free."


def _store(paths: Paths) -> str:
    if not paths.database.exists():
        return "Nothing is stored yet."
    stores = open_stores(paths)
    try:
        conversations, turns = stores.trajectories.counts()
    finally:
        stores.database.close()
    return f"{conversations} conversations, {turns} turns."


def _built_in() -> str:
    model = read_local_model(BUILT_IN, pocket_dir())
    return f"{model.parameters} parameters, {model.size_bytes / 1e6:.1f} MB."
