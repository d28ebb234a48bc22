"""Which work fits into a lull: proofs before rollouts before steps, by value for the time left.

Decides the order only. What a piece of work does, and how it is stopped, is the one's who offers
it; when it may run is `core/idle.py`'s and `loops/watch_idle.py`'s.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeVar

from lull.core.lull_length import Forecast

UNIT_S: Final = 30.0
"""The longest unit of work: after each the choice is made anew (LEARNING.md §5)."""


class WorkKind(StrEnum):
    """In the order in which they are done: what the user waits for, then what tells which models
    can help or makes one ready to learn, then what training needs, then training."""

    PROOF = "proof"
    EXAM = "exam"
    READY = "ready"
    ROLLOUT = "rollout"
    STEP = "step"


_ORDER: Final = tuple(WorkKind)


class Sized(Protocol):
    """What is known of a piece of work before it runs."""

    @property
    def kind(self) -> WorkKind: ...

    @property
    def value(self) -> float:
        """Worth of finishing it, against others of its kind; 0 or more."""

    @property
    def needs_s(self) -> float:
        """The shortest lull in which anything of it is kept: loading, and one step."""

    @property
    def left_s(self) -> float:
        """Until it is finished; an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    kind: WorkKind
    value: float
    needs_s: float
    left_s: float


class LullWork(Sized, Protocol):
    """Work that runs in lulls, one unit at a time, and stops when somebody comes.

    Whoever implements this keeps what was reached: a unit that ends, is suspended or loses its
    memory goes on later from its last checkpoint.
    """

    @property
    def id(self) -> str:
        """The same for the same work after a restart."""

    @property
    def text(self) -> str:
        """For a person: "Proving bullet-lists"."""

    @property
    def progress(self) -> float:
        """0 to 1."""

    def run_slice(self, until_s: float) -> Awaitable[None]:
        """Work until `until_s` on the monotonic clock, or until it is finished, and keep what was
        done. Stays pending while suspended; returns early after `give_back_memory`.

        Raises LullError when it cannot go on now.
        """

    def suspend(self) -> Awaitable[None]:
        """Stop using the machine at once; return within 100 ms. Memory may be kept. Harmless when
        nothing runs any more."""

    def resume(self) -> Awaitable[None]:
        """Go on where `suspend` stopped."""

    def give_back_memory(self) -> Awaitable[None]:
        """Free everything, by force if need be. Safe to call at any time, and twice."""


W = TypeVar("W", bound=Sized)


def fits(work: Sequence[W], lull: Forecast) -> W | None:
    """The piece to do now; None where none would come to anything.

    Asked first is what the lull will almost surely hold; what it may as well not hold comes only
    where nothing surer is to be done, for a machine that waits gains nothing either.
    """
    for left_s in (lull.low_s, lull.median_s):
        ready = [w for w in work if w.left_s > 0.0 and w.needs_s <= left_s and left_s > 0.0]
        if ready:
            return min(ready, key=lambda w: (_ORDER.index(w.kind), -_worth(w, lull.median_s)))
    return None


def _worth(work: Sized, left_s: float) -> float:
    """Value a second of what of it can be done in the time left: short and valuable first."""
    return work.value / max(min(work.left_s, left_s), 1.0) * min(1.0, left_s / work.left_s)
