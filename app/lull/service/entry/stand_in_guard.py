"""Starts the stand-in, a process that forwards requests to Ollama if this service dies, and starts
another one if it ends before.

A service that stops in order ends the stand-in itself.
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
from lull.service.entry.stand_in import FAREWELL, StandInPlan
from lull.service.process.lock import is_locked

log = logging.getLogger(__name__)
GOES_WITHIN_S = 5.0
"""Seconds that the stand-in process may take to exit before it is killed."""
CHECK_EVERY_S = 10.0
"""Seconds between checks whether the stand-in still waits."""


def plan_of(settings: ServiceSettings, paths: Paths, *, upstream: str) -> StandInPlan | None:
    """Return the settings of the stand-in, which forwards requests to Ollama if this service dies;
    None if no stand-in is to be started.

    None is started on a port that the system picks, since clients would not find it again, nor
    where other machines may connect, since the stand-in would need the network token.
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
    """Starts and ends the stand-in, a process that forwards requests to Ollama if this service
    dies.
    """

    def __init__(self, plan: StandInPlan | None) -> None:
        self._plan = plan
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the stand-in process, which forwards requests if this service dies; if that fails,
        the service runs without it.
        """
        if self._plan is None:
            return
        frozen = getattr(sys, "frozen", False)
        command = ["stand-in"] if frozen else ["-m", "lull.service.entry.stand_in"]
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

    async def watch(self) -> None:
        """Start the stand-in, which forwards requests if this service dies, again whenever it has
        ended, as for want of memory; run until cancelled.
        """
        waits = True
        while self._plan is not None:
            await asyncio.sleep(CHECK_EVERY_S)
            waited, waits = waits, self._waits
            if self._plan is not None and not waits:
                if waited:  # said once, not with each start
                    log.warning("what stands in for the service if it dies has ended")
                self._let_go()
                self.start()

    @property
    def _waits(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _let_go(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()

    async def dismiss(self) -> None:
        """End the stand-in process, which would forward requests if the service died, because the
        service itself stops in order.
        """
        process, self._process, self._plan = self._process, None, None
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
    """End a stand-in (a process that forwards requests for a dead service) and wait until it has
    exited; return False if none runs.
    """
    if not is_locked(own_lock):
        return False
    number, until_s = signal.SIGTERM, time.monotonic() + GOES_WITHIN_S
    while is_locked(own_lock):
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(own_lock.read_text()), number)
        if time.monotonic() > until_s:
            number = signal.SIGKILL
        time.sleep(0.05)
    return True
