"""The service beside the window: adopted where one runs, started where none does, started again
when it falls, later each time.

What the user stopped stays stopped. A service that the window started is ended by Quit; one that
it found goes on. It is no child of Qt's, so that a window that crashes leaves it running.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from lull.core.backoff import Backoff
from lull.desktop.place import Place
from lull.desktop.words import tr

LOOK_MS: Final = 300
FIRST_AGAIN_S: Final = 0.3
_WORDS = re.compile(r"^lull: (?P<title>[^:]+): (?P<detail>.*?)(?: \((?P<hint>[^()]*)\))?$")


class ServiceState(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    FALLEN = "fallen"
    """It is started again in a moment."""
    GIVEN_UP = "given up"
    """It fell too often; only the user starts it again."""
    STOPPED = "stopped"
    """As the user wished."""


class Child(Protocol):
    """The part of a started process that is used here."""

    def poll(self) -> int | None: ...

    def terminate(self) -> None: ...


Spawn = Callable[[Place], Child]


def spawn(place: Place) -> Child:
    """Start the service, apart from us. Raises OSError."""
    place.logs.mkdir(parents=True, exist_ok=True)
    with place.service_words.open("wb") as words:
        return subprocess.Popen(
            place.serve,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=words,
            start_new_session=True,
            env={**os.environ, "LULL_HOME": str(place.home)},
        )


class ServiceProcess(QObject):
    changed = Signal()
    started = Signal()
    """There is a new one: look for it at once."""

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
        self._backoff = Backoff(first_s=FIRST_AGAIN_S)
        self._again_at_s: float | None = None
        self._wanted = False
        self.state = ServiceState.STOPPED
        self.why: Mapping[str, str] = {}
        """Why it does not run, as an error of ours."""
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)

    @property
    def ours(self) -> bool:
        """Did we start the one that runs?"""
        return self._child is not None and self._child.poll() is None

    def begin(self) -> None:
        """Adopt or start, and watch from now on."""
        self._timer.start()
        self.start()

    def start(self) -> None:
        """By the user's wish, or at the beginning: earlier falls are forgiven."""
        self._wanted = True
        self._backoff = self._backoff.forgiven()
        self._again_at_s = None
        self._go()

    def stopping(self) -> None:
        """The user stops it: its end is no fall."""
        self._wanted = False
        self._again_at_s = None

    def close(self) -> None:
        """We leave: the service that we started is told to end, whether it is up yet or not."""
        self.stopping()
        self._timer.stop()
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()

    def look(self) -> None:
        """What the timer does; once more does no harm."""
        if self._place.running():
            self._again_at_s = None
            self._set(ServiceState.RUNNING)
            return
        if self.ours:
            return  # it is still coming up, or just leaving
        if self._again_at_s is not None:
            if self._monotonic() >= self._again_at_s:
                self._again_at_s = None
                self._go()
            return
        if self.state in (ServiceState.RUNNING, ServiceState.STARTING):
            self._gone()

    def _go(self) -> None:
        if self._place.running():
            self._set(ServiceState.RUNNING)
            self.started.emit()
            return
        if self.ours:  # the one before has given up its place, and is not quite gone
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
        """It ran, or was to, and does not any more."""
        code = self._child.poll() if self._child is not None else None
        ours, self._child = self._child is not None, None
        left_by_wish = code == 0 if ours else not self._place.fell()
        if not self._wanted or left_by_wish:
            self._wanted = False
            self._set(ServiceState.STOPPED)
            return
        self._fell(last_words(self._place.service_words) if ours and code != 0 else {})

    def _fell(self, why: Mapping[str, str]) -> None:
        now_s = self._monotonic()
        self._backoff = self._backoff.fallen(now_s)
        delay_s = self._backoff.delay_s
        self._again_at_s = None if delay_s is None else now_s + delay_s
        state = ServiceState.GIVEN_UP if delay_s is None else ServiceState.FALLEN
        unknown = {"title": "Service stopped", "detail": tr("it ended unexpectedly"), "hint": ""}
        self._set(state, why or unknown)

    def _set(self, state: ServiceState, why: Mapping[str, str] | None = None) -> None:
        why = why or {}
        if (state, why) != (self.state, self.why):
            if state is ServiceState.STARTING and self.why and not why:
                why = self.why  # why the last one fell is known better than that this one comes
            self.state, self.why = state, why
            self.changed.emit()


def last_words(path: Path) -> dict[str, str]:
    """The error that a fallen service left on its stderr; empty where it left none of ours."""
    text = ""
    with contextlib.suppress(OSError):
        text = path.read_text("utf-8", errors="replace")
    for line in reversed(text.splitlines()):
        found = _WORDS.match(line.strip())
        if found:
            return {name: found[name] or "" for name in ("title", "detail", "hint")}
    return {}
