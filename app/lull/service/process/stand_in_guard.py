"""Starts the process that stands in for a service which dies, and sends it away when the service
stops in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import lull
from lull.config.paths import Paths
from lull.config.settings import ServiceSettings
from lull.service.process.lock import is_running
from lull.service.process.stand_in import FAREWELL, StandInPlan

log = logging.getLogger(__name__)
GOES_WITHIN_S = 5.0
"""Seconds within which the process ends that was sent away, before it is killed."""


def plan_of(settings: ServiceSettings, paths: Paths, *, upstream: str) -> StandInPlan | None:
    """Return how another process stands in for this service; None where none is to.

    With any free port nobody would find it, and beyond loopback it would need the token.
    """
    if not settings.stand_in or settings.port == 0 or settings.needs_token or os.name != "posix":
        return None
    return StandInPlan(
        bind=settings.bind,
        port=settings.port,
        upstream=upstream,
        origins=tuple(settings.allow_origins),
        idle_s=settings.idle_timeout_s,
        finish_within_s=settings.finish_within_s,
        service_lock=str(paths.lock),
        own_lock=str(paths.stand_in_lock),
    )


class StandInGuard:
    """The process that waits to stand in for this service, if it is to."""

    def __init__(self, plan: StandInPlan | None) -> None:
        self._plan = plan
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process; the service runs without it if that fails."""
        if self._plan is None:
            return
        frozen = getattr(sys, "frozen", False)
        command = ["stand-in"] if frozen else ["-m", "lull.service.process.stand_in"]
        try:
            # Not by asyncio, which kills its children where the loop ends over an error.
            self._process = subprocess.Popen(
                [sys.executable, *command, self._plan.to_json()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # what ends the service's group must leave it
                cwd=Path(lull.__file__).parent.parent,
            )
        except OSError as error:
            log.warning("nothing stands in for the service if it dies: %s", error)

    async def dismiss(self) -> None:
        """Send the process away, because the service stops in order."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.write(FAREWELL)
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            await asyncio.to_thread(process.wait, GOES_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)


def end_stand_in(own_lock: Path) -> bool:
    """End the process that stands in for a dead service, and wait until it has ended; False if
    there is none.
    """
    if not is_running(own_lock):
        return False
    number, until_s = signal.SIGTERM, time.monotonic() + GOES_WITHIN_S
    while is_running(own_lock):
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(own_lock.read_text()), number)
        if time.monotonic() > until_s:
            number = signal.SIGKILL
        time.sleep(0.05)
    return True
