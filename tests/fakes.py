"""Our own stand-ins for the world's ports: time and ids that a test moves by hand."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.fake_chat_model import FakeChatModel
from tests.fake_engine import FakeEngine

__all__ = ["FakeChatModel", "FakeClock", "FakeCoin", "FakeEngine", "FakeIds"]


@dataclass(slots=True)
class FakeClock:
    """Stands still until it is moved."""

    at: datetime = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
    passed_s: float = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic_s(self) -> float:
        return self.passed_s

    def advance(self, seconds: float) -> None:
        self.passed_s += seconds
        self.at += timedelta(seconds=seconds)


@dataclass(slots=True)
class FakeIds:
    """`turn_000001`, `turn_000002`, …"""

    counts: dict[str, int] = field(default_factory=dict)

    def new(self, prefix: str) -> str:
        self.counts[prefix] = self.counts.get(prefix, 0) + 1
        return f"{prefix}_{self.counts[prefix]:06d}"


@dataclass(slots=True)
class FakeCoin:
    """The same draws in every run."""

    seed: int = 1
    drawn: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.drawn = random.Random(self.seed)

    def random(self) -> float:
        return self.drawn.random()
