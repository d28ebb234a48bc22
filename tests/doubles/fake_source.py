"""A scripted source of one idle signal, for tests."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from lull.core.idle.signals import Reading

T = TypeVar("T")


@dataclass
class FakeSource(Generic[T]):
    """A signal source that returns `answer` at every read, and can be made to hang or raise."""

    answer: Reading[T]
    name: str = "the fake"
    asked: int = 0
    closed: int = 0
    most_at_once: int = 0
    """Most reads that were in progress at the same time."""
    raises: Exception | None = None
    hanging: bool = False
    """Whether a read is waiting inside this source."""
    _now: int = 0
    _goes_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._goes_on.set()

    def read(self) -> Reading[T]:
        self.asked += 1
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        while not self._goes_on.is_set():
            self.hanging = True
            self._goes_on.wait()
        self.hanging = False
        self._now -= 1
        if self.raises is not None:
            raise self.raises
        return self.answer

    def close(self) -> None:
        self.closed += 1

    def hang(self) -> None:
        self._goes_on.clear()

    def go_on(self) -> None:
        self._goes_on.set()
