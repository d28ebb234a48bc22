"""Builds the part that connects chat clients (other programs) to Lull, by changing settings files
of the user; for the service and for the command `lull connect`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lull.backends.clients.installed import ProgramsOnPath
from lull.backends.clients.trial import send_test_request
from lull.backends.clients.yaml_tree import read_yaml
from lull.backends.system.clock import SystemClock
from lull.backends.system.durable import exclusive_lock
from lull.config.paths import Paths
from lull.core.clients.client import UserMachine
from lull.core.errors import UsageError
from lull.core.ports import Clock
from lull.loops.clients.connect import ClientConnecting
from lull.loops.clients.overview import ClientOverview
from lull.service.clients.connecting import ConnectParts
from lull.service.wiring.base.own_models import BUILT_IN
from lull.store.clients.connections import Connections


@dataclass(frozen=True, slots=True)
class LockOfHome:
    """The lock in Lull's home folder that a process holds while it writes the settings files of
    chat clients; implements ConnectingLock.
    """

    paths: Paths

    @contextmanager
    def hold(self) -> Iterator[None]:
        self.paths.prepare()
        self.paths.clients.mkdir(mode=0o700, exist_ok=True)
        with exclusive_lock(self.paths.clients / "lock", "connecting a chat app"):
            yield


def connect_parts(paths: Paths, clock: Clock | None = None) -> ConnectParts:
    """Make the parts that connect chat clients to Lull; the clock is the system's if none is given.

    Raises UsageError if the user has no home folder.
    """
    user = UserMachine(home=_home(), platform=sys.platform, environ=dict(os.environ))
    connections = Connections(paths.clients)
    connecting = ClientConnecting(connections, user, read_yaml)
    programs = ProgramsOnPath(os.environ.get("PATH"))

    return ConnectParts(
        user=user,
        connections=connections,
        connecting=connecting,
        overview=ClientOverview(connecting, user, programs),
        lock=LockOfHome(paths),
        try_out=send_test_request,
        own_model=BUILT_IN,
        clock=clock or SystemClock(),
    )


def _home() -> Path:
    try:
        return Path(os.environ.get("HOME") or Path.home())
    except RuntimeError as error:
        raise UsageError("This user has no home folder.", hint="Set HOME.") from error
