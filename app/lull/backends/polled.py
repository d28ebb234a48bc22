"""One signal's source, asked again and again in a thread of its own.

Decides how often a source is asked, when it counts as not answering, and what is logged: one line
when it breaks and one when it heals. What an answer is worth is `core/idle.py`'s; how it is had is
the source's. One that hangs holds up its own thread and nothing else, is not asked again meanwhile,
and is unknown until it answers.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from lull.core.idle_signals import Known, Reading, Unknown

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_log = logging.getLogger("lull.signals")


class Source(Protocol[T_co]):
    """Where one signal comes from. Everything but `name` is called from one thread only."""

    @property
    def name(self) -> str:
        """For a person, within a sentence: "the X11 display"."""

    def read(self) -> Reading[T_co]:
        """The value now, or why there is none. May block; raises for faults of its own only."""

    def close(self) -> None:
        """Let go of everything. May be called twice; a read after it begins anew."""


class FirstKnown(Generic[T]):
    """Implements Source: the first of several that knows."""

    def __init__(self, sources: Sequence[Source[T]]) -> None:
        self._sources = tuple(sources)
        self._asked = self._sources[0]

    @property
    def name(self) -> str:
        """The one that was asked last, so that one which hangs is called by its name."""
        return self._asked.name

    def read(self) -> Reading[T]:
        whys = []
        for source in self._sources:
            self._asked = source
            answer = source.read()
            if isinstance(answer, Known):
                return answer
            whys.append(answer.why)
        return Unknown("; ".join(dict.fromkeys(whys)))

    def close(self) -> None:
        for source in self._sources:
            source.close()


class Silent:
    """Implements Source for a signal that this platform does not give."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._unknown = Unknown(why)

    def read(self) -> Unknown:
        return self._unknown

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    every_s: float
    """From the end of one answer to the next question."""
    within_s: float
    """So long a source may take, and then it does not answer."""


class Polled(Generic[T]):
    """A source's newest answer, at once. `start`, `latest` from any thread, `stop`; and anew."""

    def __init__(
        self,
        source: Source[T],
        *,
        pace: Pace,
        monotonic_s: Callable[[], float] = time.monotonic,
        heard: Callable[[Reading[T]], None] | None = None,
    ) -> None:
        """`heard` is called with each answer, from the source's own thread."""
        self._source = source
        self._pace = pace
        self._monotonic_s = monotonic_s
        self._heard = heard
        self._changed = threading.Condition()
        self._answer: Reading[T] = Unknown(f"{source.name} has not been asked yet")
        self._due_s = 0.0
        """When the next question is to be asked; only looked at by the thread."""
        self._overdue_s = float("inf")
        self._broken: bool | None = None
        """None before the first answer."""
        self._turn = 0
        """Counts starts and stops: a thread asks for as long as its own turn lasts."""
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Once, or after a `stop`: what was known before counts no more."""
        name = self._source.name
        with self._changed:
            self._turn += 1
            self._answer = Unknown(f"{name} has not been asked yet")
            self._due_s = 0.0
            self._overdue_s = self._monotonic_s() + self._pace.within_s
            self._thread = threading.Thread(
                target=self._run,
                args=(self._turn, self._thread),
                name=f"signal: {name}",
                daemon=True,
            )
        self._thread.start()

    def stop(self) -> None:
        """Ask no more. A source that hangs is left to its thread, which dies with the process."""
        with self._changed:
            self._turn += 1
            self._changed.notify_all()

    def latest(self) -> Reading[T]:
        with self._changed:
            if self._monotonic_s() > self._overdue_s:
                silent = Unknown(f"{self._source.name} does not answer")
                self._note(silent)
                return silent
            return self._answer

    def set_pace(self, pace: Pace) -> None:
        """From now on; a question that is due by the new pace is asked at once."""
        with self._changed:
            sooner = pace.every_s < self._pace.every_s
            self._pace = pace
            if sooner:
                now_s = self._monotonic_s()
                self._due_s = now_s
                self._overdue_s = min(self._overdue_s, now_s + pace.every_s + pace.within_s)
            self._changed.notify_all()

    def _run(self, turn: int, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()  # a source is asked from one thread only
        while self._wait(turn):
            answer = self._asked()
            with self._changed:
                if self._turn != turn:
                    break
                self._note(answer)
                self._answer = answer
                self._due_s = self._monotonic_s() + self._pace.every_s
                self._overdue_s = self._due_s + self._pace.within_s
            if self._heard is not None:
                self._heard(answer)
        self._source.close()

    def _wait(self, turn: int) -> bool:
        """Until the next question is due; False when there is none."""
        with self._changed:
            while self._turn == turn:
                left_s = self._due_s - self._monotonic_s()
                if left_s <= 0.0:
                    return True
                self._changed.wait(left_s)
            return False

    def _asked(self) -> Reading[T]:
        try:
            return self._source.read()
        except Exception as error:  # noqa: BLE001 - see below
            # D-Bus, X11, drivers and ctypes, each with failures of its own: this thread supervises
            # them, and were it to die, its signal would be unknown until the next start.
            if not self._broken:
                _log.warning("%s failed", self._source.name, exc_info=error)
            return Unknown(f"{self._source.name} failed: {error or type(error).__name__}")

    def _note(self, answer: Reading[T]) -> None:
        """One line when it breaks, one when it heals. Never having worked is no alarm."""
        name = self._source.name
        if isinstance(answer, Unknown):
            if not self._broken:
                level = logging.INFO if self._broken is None else logging.WARNING
                _log.log(level, "unknown from now on: %s", answer.why)
            self._broken = True
            return
        if self._broken:
            _log.info("%s answers", name)
        self._broken = False
