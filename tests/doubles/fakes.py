"""Test doubles for the system's clock, ids and random numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from lull.core.errors import LullError
from lull.core.feedback.judge import Judge
from tests.doubles.fake_chat_model import FakeChatModel
from tests.doubles.fake_engine import FakeEngine

__all__ = [
    "FakeChatModel",
    "FakeClock",
    "FakeCoin",
    "FakeEngine",
    "FakeIds",
    "JudgeNow",
    "ToldProblems",
]


@dataclass(slots=True)
class FakeClock:
    """A clock that only moves when a test advances it."""

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
class ToldProblems:
    """Keeps the problems that are told to the user, in order; None ends one."""

    told: list[tuple[str, LullError | None]] = field(default_factory=list)

    def set_or_clear(self, key: str, error: LullError | None) -> None:
        self.told.append((key, error))

    def standing(self) -> dict[str, LullError]:
        """The problems that are not over."""
        return {key: error for key, error in dict(self.told).items() if error is not None}


@dataclass(slots=True)
class FakeIds:
    """Makes predictable ids with a prefix: `turn_000001`, `turn_000002`, …"""

    counts: dict[str, int] = field(default_factory=dict)

    def new(self, prefix: str) -> str:
        self.counts[prefix] = self.counts.get(prefix, 0) + 1
        return f"{prefix}_{self.counts[prefix]:06d}"


@dataclass(slots=True)
class FakeCoin:
    """Random numbers from a fixed seed, so that every test run draws the same ones."""

    seed: int = 1
    drawn: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.drawn = random.Random(self.seed)

    def random(self) -> float:
        return self.drawn.random()


@dataclass
class JudgeNow:
    """Implements `ChosenJudge`: the judge is the one that a test has at the moment."""

    read: Callable[[], Judge | None]

    def judge(self) -> Judge | None:
        return self.read()
