"""Polls one source of an idle signal (such as the time since the last input) in a thread of its
own.

Decides how often a source is asked and when it counts as not answering, and logs one line when it
breaks and one when it recovers. A source that hangs blocks only its own thread; its signal is
unknown until it answers.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from lull.core.idle.signals import Known, Reading, Unknown

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_log = logging.getLogger("lull.signals")


class SignalSource(Protocol[T_co]):
    """A source of one idle signal, such as the seconds since the last input.

    All methods are called from one thread only.
    """

    @property
    def name(self) -> str:
        """Name of the idle-signal source for use in a sentence, such as "the X11 display"."""

    def read(self) -> Reading[T_co]:
        """Return the idle signal's current value, or why there is none. May block.

        Raises only for internal errors.
        """

    def close(self) -> None:
        """Release all resources of the idle-signal source.

        It may be called twice; a later read starts anew.
        """


class FirstKnown(Generic[T]):
    """An idle-signal source that asks several others in order and uses the first known value.
    Implements `SignalSource`.
    """

    def __init__(self, sources: Sequence[SignalSource[T]]) -> None:
        self._sources = tuple(sources)
        self._asked = self._sources[0]

    @property
    def name(self) -> str:
        """Name of the idle-signal source that was asked last, which is the one that hangs if a read
        hangs.
        """
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


class UnavailableSignal:
    """An idle-signal source that always answers "unknown", for a signal that this platform lacks.
    Implements `SignalSource`.
    """

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._unknown = Unknown(why)

    def read(self) -> Unknown:
        return self._unknown

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PollPace:
    """How often an idle-signal source is polled, and after how long it counts as not answering."""

    every_s: float
    """Seconds from one answer of the source to the next poll."""
    within_s: float
    """Seconds after which a source counts as not answering."""


class PolledSignal(Generic[T]):
    """Polls an idle-signal source in a thread and returns its newest value without waiting.

    `latest` may be called from any thread; polling can be started again after `stop`.
    """

    def __init__(
        self,
        source: SignalSource[T],
        *,
        pace: PollPace,
        monotonic_s: Callable[[], float] = time.monotonic,
        on_reading: Callable[[Reading[T]], None] | None = None,
    ) -> None:
        """Prepare polling; the callback `on_reading` is called with each value, from the polling
        thread.
        """
        self._source = source
        self._pace = pace
        self._monotonic_s = monotonic_s
        self._on_reading = on_reading
        self._changed = threading.Condition()
        self._answer: Reading[T] = Unknown(f"{source.name} has not been asked yet")
        self._due_s = 0.0
        """When to ask next; used only by the polling thread."""
        self._overdue_s = float("inf")
        self._broken: bool | None = None
        """Whether the source is broken; None before its first answer."""
        self._answered = 0
        """Counts the source's answers."""
        self._turn = 0
        """Counts starts and stops; a thread polls while its number is current."""
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start polling the idle-signal source, discarding earlier values."""
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
        """Stop polling the idle-signal source.

        A source that hangs keeps its daemon thread until the process ends.
        """
        with self._changed:
            self._turn += 1
            self._changed.notify_all()

    def latest(self) -> Reading[T]:
        """Return the newest value, or Unknown if the source has not answered in time."""
        with self._changed:
            if self._monotonic_s() > self._overdue_s:
                silent = Unknown(f"{self._source.name} does not answer")
                self._note(silent)
                return silent
            return self._answer

    def ask_now(self, within_s: float) -> None:
        """Ask the source at once, and wait for its answer, but no longer than `within_s`."""
        with self._changed:
            before = self._answered
            self._due_s = min(self._due_s, self._monotonic_s())
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._answered != before, within_s)

    def set_pace(self, pace: PollPace) -> None:
        """Change how often the idle-signal source is polled; a shorter interval causes a poll at
        once.
        """
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
                self._answered += 1
                self._changed.notify_all()
                self._due_s = self._monotonic_s() + self._pace.every_s
                self._overdue_s = self._due_s + self._pace.within_s
            if self._on_reading is not None:
                self._on_reading(answer)
        self._source.close()

    def _wait(self, turn: int) -> bool:
        """Wait until the next question is due; False after a stop."""
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
            # D-Bus, X11, drivers and ctypes all fail in their own ways; if this thread died, the
            # signal would be unknown until the next start.
            if not self._broken:
                _log.warning("%s failed", self._source.name, exc_info=error)
            return Unknown(f"asking {self._source.name} failed: {error or type(error).__name__}")

    def _note(self, answer: Reading[T]) -> None:
        """Log one line when the source breaks and one when it recovers; never having worked is no
        warning."""
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
