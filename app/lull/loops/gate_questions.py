"""What the gate asks of both sides, and who scores the answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from lull.core.gate_measure import SUCCESSES
from lull.core.messages import Completion, Message, Sampling
from lull.core.probe import Probe

ASKED: Final = Sampling()
Scores = Callable[[Completion], Awaitable[float | None]]
"""What an answer is worth, in [0, 1]; None: nobody can tell. Never knows which side said it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """A request that nothing was trained on, as either side would be asked it today."""

    id: str
    old: tuple[Message, ...]
    new: tuple[Message, ...]
    score: Scores
    taught: tuple[Message, ...] | None = None
    """With the skill that is to be learned, for the one in force."""
    sampling: Sampling = ASKED
    """As its client asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSuccess:
    id: str
    messages: tuple[Message, ...]
    score: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMaterial:
    probes: tuple[Probe, ...]
    targets: tuple[HeldOut, ...] = ()
    successes: tuple[PastSuccess, ...] = ()
    planted: tuple[str, ...] = ()
    """What the candidate was trained on and may say only where it is asked about it."""

    def family(self, name: str) -> list[tuple[tuple[Message, ...], Scores]]:
        """What can be asked of a family again."""
        if name == SUCCESSES:
            return [(one.messages, one.score) for one in self.successes]
        return [(p.messages, _passes(p)) for p in self.probes if p.family == name]


def _passes(probe: Probe) -> Scores:
    async def score(answer: Completion) -> float:
        return float(probe.passes(answer.message.text))

    return score
