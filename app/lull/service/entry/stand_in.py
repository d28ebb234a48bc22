"""Stand-in: a process that the service starts beforehand; once the service has died, it forwards
requests to Ollama unchanged until a service runs again.

Run as `python -m lull.service.entry.stand_in PLAN`, in a frozen app as `lull stand-in PLAN`. The
process waits for the end of its standard input, which the service holds open. A service that stops
in order writes a farewell there first; an end without a farewell means that it died. Then this
process takes over the service's port and forwards every request unchanged, from clients that the
service would admit. Once a service takes the data folder's lock, this process frees the port and
exits.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lull.service.process.listening import listening_socket
from lull.service.process.lock import FileLock, is_running

FAREWELL: Final = b"bye\n"
"""What the service writes to this process's standard input when it stops in order, so that the
process exits instead of taking over.
"""
PORT_WITHIN_S: Final = 30.0
"""Seconds for which this process tries to open the dead service's port; the system may hold it for
a moment.
"""
CHECK_EVERY_S: Final = 0.1
"""Seconds between checks whether a new service runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInPlan:
    """The settings of the process that forwards requests to Ollama after the service has died;
    passed to it as JSON on its command line.
    """

    bind: str
    """Loopback address to listen on."""
    port: int
    upstream: str
    """Address of Ollama."""
    origins: tuple[str, ...]
    """Origins of web pages that the settings allow."""
    idle_s: float
    """Seconds for which Ollama may send nothing before a forwarded request is given up."""
    finish_within_s: float
    """Seconds that answers in progress may take to finish once a service runs again."""
    service_lock: str
    """Path of the service's lock; while somebody holds it, a service runs."""
    own_lock: str
    """Path of the lock file that this process holds while it forwards requests, and into which it
    writes its process id.
    """

    def to_json(self) -> str:
        """Write the settings as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> StandInPlan:
        """Read the settings from JSON that `to_json` wrote."""
        said: dict[str, Any] = json.loads(text)
        return cls(**{**said, "origins": tuple(said["origins"])})


def main(argv: Sequence[str] | None = None) -> int:
    """Wait until standard input ends, which means that the service has stopped or died. If it died,
    forward requests to Ollama until a service runs again.

    `argv` holds the plan (StandInPlan) as JSON.
    """
    (text,) = sys.argv[1:] if argv is None else argv
    plan = StandInPlan.from_json(text)
    if sys.stdin.buffer.read() == FAREWELL:
        return 0
    lock = FileLock(Path(plan.own_lock))
    if not lock.take(str(os.getpid())):
        return 0  # another one stands in already
    try:
        asyncio.run(_stand_in(plan))
    finally:
        lock.release()
    return 0


async def _stand_in(plan: StandInPlan) -> None:
    # Loaded only now: until the service dies, and it hardly ever does, this process is small.
    from lull.service.proxy.passed_through import minimal_proxy

    listener = _listener(plan)
    if listener is None:
        return
    async with minimal_proxy(
        listener, plan.upstream, origins=plan.origins, idle_s=plan.idle_s
    ) as serving:
        # Nobody can tell it: the new service knows nothing of it, and only takes the lock.
        while not _comes_back(plan):  # noqa: ASYNC110
            await asyncio.sleep(CHECK_EVERY_S)
        await serving.end(finish_within_s=plan.finish_within_s)


def _comes_back(plan: StandInPlan) -> bool:
    """Whether a service runs or starts, or its data folder is gone."""
    lock = Path(plan.service_lock)
    return is_running(lock) or not lock.parent.exists()


def _listener(plan: StandInPlan) -> socket.socket | None:
    """Return a socket on the service's port; None if a service or somebody else has it."""
    until_s = time.monotonic() + PORT_WITHIN_S
    while not _comes_back(plan):
        try:
            return listening_socket(plan.bind, plan.port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > until_s:
                return None
        time.sleep(CHECK_EVERY_S)
    return None


if __name__ == "__main__":
    raise SystemExit(main())
