"""Finds the running Lull service or starts one, and restarts a crashed service after a growing
delay.

A service that the user stopped stays stopped. Quit ends a service that the window started, and
leaves one running that the window found. The service has a process session of its own, so it
survives a crash of the window.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from lull.core.backoff import Backoff
from lull.core.errors import AddressInUse
from lull.desktop.language.words import tr
from lull.desktop.service.down_words import DownWords, ServiceState, down_words
from lull.desktop.service.free_port import address_of, is_free
from lull.desktop.service.place import Place
from lull.desktop.service.plain_files import open_plain

LOOK_MS: Final = 300
PORT_LOOK_S: Final = 3.0
"""Seconds between two checks whether the port that another program uses is free again."""
FIRST_RESTART_S: Final = 0.3
MOST_ERROR_BYTES: Final = 1_000_000
"""Most bytes that are read of the end of what a service said before it fell."""
_WORDS = re.compile(r"^lull: (?P<title>[^:]+): (?P<detail>.*?)(?: \((?P<hint>[^()]*)\))?$")


class Child(Protocol):
    """Interface of a child process: the part of `subprocess.Popen` that is used to run the
    service.
    """

    def poll(self) -> int | None:
        """Return the exit code; None while the process runs."""

    def terminate(self) -> None:
        """Ask the process to end, with SIGTERM."""


Spawn = Callable[[Place], Child]


def spawn(place: Place) -> Child:
    """Start the service as a process in a session of its own and return the process. Raises
    OSError.

    The service writes errors as JSON to the file `Place.service_error_file`; nowhere, if something
    else lies in its place.
    """
    place.logs.mkdir(parents=True, exist_ok=True)
    with _error_file(place.service_error_file) as words:
        return subprocess.Popen(
            [*place.service.serve, "--json"],
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
            env={**os.environ, "LULL_HOME": str(place.home)},
        )


def _error_file(path: Path) -> BinaryIO:
    """Open the file for a service's output and errors, emptied; the null device if that is no
    regular file or cannot be opened, as on a full disk: the service starts without it, too.
    """
    try:
        return os.fdopen(open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb")
    except OSError:
        return Path(os.devnull).open("wb")


class ServiceProcess(QObject):
    """Watches the service's process on a timer, and starts and restarts it."""

    changed = Signal()
    started = Signal()
    """Emitted when a service was started or found, so that the window can connect."""

    def __init__(
        self,
        place: Place,
        *,
        spawn: Spawn = spawn,
        monotonic: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._place = place
        self._spawn = spawn
        self._monotonic = monotonic
        self._child: Child | None = None
        self._backoff = Backoff(first_s=FIRST_RESTART_S)
        self._again_at_s: float | None = None
        self._wanted = False
        self.state = ServiceState.STOPPED
        self.why: Mapping[str, str] = {}
        """Why the service does not run, as `title`, `detail` and `hint`."""
        self._restarting = False
        self._not_ours = False
        """Whether the service that runs replaced one that this window had found, not started."""
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.check_service)

    @property
    def started_here(self) -> bool:
        """Whether this window started the running service."""
        return self._child is not None and self._child.poll() is None

    @property
    def down_words(self) -> DownWords:
        """What the window says of the service while it has no connection to it."""
        return down_words(self.state, self.why)

    def attach_or_start(self) -> None:
        """Use the service that runs already, or start one, and watch its process from then on.

        Does nothing if it is watched already, in place of another window.
        """
        if self._timer.isActive():
            return
        self._timer.start()
        self.start()

    def start(self) -> None:
        """Start the service, when the window opens or the user asks for it, and reset the count of
        its crashes.
        """
        self._wanted = True
        if not self._place.service.is_running():  # one that is still stopping is waited for
            self._restarting = False
        self._backoff = self._backoff.without_crashes()
        self._again_at_s = None
        self._go()

    @property
    def is_restarting(self) -> bool:
        """Whether the service is being stopped only in order to be started again."""
        return self._restarting

    def expect_restart(self) -> None:
        """Record that the service is about to be stopped in order to be started again, so that its
        end is no crash.
        """
        self._restarting = True
        self._not_ours = not self.started_here

    def restart_failed(self) -> None:
        """Record that a planned restart of the service failed, because the service could not be
        stopped.
        """
        self._restarting = self._not_ours = False

    def expect_stop(self) -> None:
        """Record that the user stops the service, so that its end is not taken for a crash."""
        self._wanted = self._restarting = False
        self._again_at_s = None

    @property
    def stops_with_window(self) -> bool:
        """Whether quitting Lull stops the running service.

        That is so if this window started the service, but not if it started it to replace a service
        that it had found running.
        """
        return self.started_here and not self._not_ours

    def close(self) -> None:
        """Stop watching the service, and terminate it if this window started it."""
        self.expect_stop()
        self._timer.stop()
        if self.stops_with_window and self._child is not None:
            self._child.terminate()

    def take_over(self, other: ServiceProcess) -> None:
        """Watch the service in place of the object that watched it for a window that now ends, and
        which then no longer ends the service that it started.
        """
        other._timer.stop()
        self._child, other._child = other._child, None
        self._backoff, self._again_at_s = other._backoff, other._again_at_s
        self._wanted, self._not_ours = other._wanted, other._not_ours
        self._restarting = other._restarting
        self.state, self.why = other.state, other.why
        self._timer.start()

    def check_service(self) -> None:
        """Check whether the service still runs, and start it again if it crashed and the delay is
        over; called by a timer.
        """
        if self._place.service.is_running():
            self._again_at_s = None
            self._set(ServiceState.RUNNING)
            return
        if self.started_here:
            return  # it is still starting or stopping
        if self._again_at_s is not None:
            if self._monotonic() >= self._again_at_s:
                self._again_at_s = None
                self._go_unless_taken()
            return
        if self.state in (ServiceState.RUNNING, ServiceState.STARTING):
            self._gone()

    def _go_unless_taken(self) -> None:
        """Start the service, unless another program still uses its port."""
        at = address_of(self._place) if self.state is ServiceState.PORT_TAKEN else None
        if at is not None and not is_free(*at):
            self._again_at_s = self._monotonic() + PORT_LOOK_S
            return
        self._go()

    def _go(self) -> None:
        if self._place.service.is_running():
            self._set(ServiceState.RUNNING)
            self.started.emit()
            return
        if self.started_here:  # the previous one has released the lock but has not exited yet
            self._again_at_s = self._monotonic()
            return
        try:
            self._child = self._spawn(self._place)
        except OSError as error:
            detail = tr("The service cannot be started: %1", error.strerror or error)
            self._fell({"title": "Not started", "detail": detail, "hint": ""})
            return
        self._set(ServiceState.STARTING)
        self.started.emit()

    def _gone(self) -> None:
        """Handle that the service ended: stopped on purpose, or crashed."""
        if self._restarting:
            self._restarting, self._child = False, None
            self.start()
            return
        code = self._child.poll() if self._child is not None else None
        ours, self._child = self._child is not None, None
        left_by_wish = code == 0 if ours else not self._place.service.has_fallen()
        if not self._wanted or left_by_wish:
            self._wanted = False
            self._set(ServiceState.STOPPED)
            return
        self._fell(last_error(self._place.service_error_file) if ours and code != 0 else {})

    def _fell(self, why: Mapping[str, str]) -> None:
        now_s = self._monotonic()
        if why.get("title") == AddressInUse.title:
            self._again_at_s = now_s + PORT_LOOK_S
            at = address_of(self._place)
            self._set(ServiceState.PORT_TAKEN, _taken(at[1]) if at is not None else why)
            return
        self._backoff = self._backoff.with_crash(now_s)
        delay_s = self._backoff.delay_s
        self._again_at_s = None if delay_s is None else now_s + delay_s
        state = ServiceState.GIVEN_UP if delay_s is None else ServiceState.FALLEN
        unknown = {"title": "Service stopped", "detail": tr("it ended unexpectedly"), "hint": ""}
        self._set(state, why or unknown)

    def _set(self, state: ServiceState, why: Mapping[str, str] | None = None) -> None:
        why = why or {}
        if (state, why) != (self.state, self.why):
            if state is ServiceState.STARTING and self.why and not why:
                why = self.why  # keep showing why the last one crashed
            self.state, self.why = state, why
            self.changed.emit()


def last_error(path: Path) -> dict[str, str]:
    """Read the last error that a crashed service wrote to a file; return its `title`, `detail` and
    `hint`, or {} if there is none.
    """
    text = ""
    with contextlib.suppress(OSError), os.fdopen(open_plain(path), "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - MOST_ERROR_BYTES))
        text = file.read(MOST_ERROR_BYTES).decode("utf-8", errors="replace")
    for line in reversed(text.splitlines()):
        if said := _error_in(line):
            return said
        found = _WORDS.match(line.strip())
        if found:
            return {name: found[name] or "" for name in ("title", "detail", "hint")}
    return {}


def _error_in(line: str) -> dict[str, str]:
    """Return the error that `lull serve --json` printed in this line; {} if the line has none."""
    try:
        said = json.loads(line)["error"]
        return {name: str(said[name]) for name in ("title", "detail", "hint")}
    except (ValueError, KeyError, TypeError):
        return {}


def _taken(port: int) -> dict[str, str]:
    detail = tr("port %1 is used by another program", port)
    return {"title": AddressInUse.title, "detail": detail, "hint": ""}
