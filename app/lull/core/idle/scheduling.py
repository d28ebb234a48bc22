"""Chooses which background work to do in a lull (an absence of the user): by its kind, then by its
value for the remaining time.

This module decides only the order. What a work item does and how it stops is up to its provider;
when work may run is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeVar

from lull.core.idle.forecast import Forecast

LONGEST_UNIT_S: Final = 30.0
"""Longest time in seconds that one piece of background work runs before the next work is chosen
anew.
"""


class WorkKind(StrEnum):
    """Kinds of background work, in the order in which they are done: first what the user waits for,
    then finding or preparing models, then what training needs, then training.
    """

    PROOF = "proof"
    EXAM = "exam"
    READY = "ready"
    ROLLOUT = "rollout"
    STEP = "step"


_ORDER: Final = tuple(WorkKind)


class EstimatedWork(Protocol):
    """Interface of an item of background work with the estimates by which the next item is chosen:
    its kind, its value and how long it takes.
    """

    @property
    def kind(self) -> WorkKind:
        """The kind of background work, such as proving a skill or training."""

    @property
    def value(self) -> float:
        """Value of finishing this work item, relative to other work of its kind; 0 or more."""

    @property
    def needs_s(self) -> float:
        """The shortest absence of the user, in seconds, in which this work item gets a lasting
        result: loading plus one step.
        """

    @property
    def left_s(self) -> float:
        """Estimated seconds until this work item is finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """An item of background work as plain numbers, by which the next item is chosen."""

    kind: WorkKind
    value: float
    needs_s: float
    left_s: float


class LullWork(EstimatedWork, Protocol):
    """Interface of an item of background work that runs in lulls (absences of the user), one slice
    at a time, and stops when the user returns.

    Implementations keep their progress: after a slice has ended, or the work was suspended or lost
    its memory, it continues from its last checkpoint.
    """

    @property
    def id(self) -> str:
        """The work item's id, which stays the same after a restart."""

    @property
    def text(self) -> str:
        """Description of the work item for people: "Proving bullet-lists"."""

    @property
    def progress(self) -> float:
        """Progress of the work item, 0 to 1."""

    def run_slice(self, until_s: float) -> Awaitable[None]:
        """Works on this item until the time `until_s` on the monotonic clock or until the item is
        finished, and saves the result.

        Does not return while the work is suspended; returns early after `give_back_memory`. Raises
        LullError if the work cannot continue now.
        """

    def suspend(self) -> Awaitable[None]:
        """Stops this background work within 100 ms, so that it does not use the processor. It may
        keep its memory. Harmless if nothing is running.
        """

    def resume(self) -> Awaitable[None]:
        """Continues the background work where `suspend` stopped it."""

    def give_back_memory(self) -> Awaitable[None]:
        """Frees all memory that this background work uses, by force if need be. Safe to call at any
        time, also repeatedly.
        """


W = TypeVar("W", bound=EstimatedWork)


def choose_work(work: Sequence[W], lull: Forecast) -> W | None:
    """Choose the work item to do in this lull (an absence of the user), given the forecast of how
    long the lull lasts; None if no item would make progress.

    Items that almost certainly can be done within the lull come first. Another one is chosen only
    if there is no such item, because leaving the time unused gains nothing.
    """
    for left_s in (lull.low_s, lull.median_s):
        ready = [w for w in work if w.left_s > 0.0 and w.needs_s <= left_s and left_s > 0.0]
        if ready:
            return min(ready, key=lambda w: (_ORDER.index(w.kind), -_worth(w, lull.median_s)))
    return None


def _worth(work: EstimatedWork, left_s: float) -> float:
    """Value per second of the work that can be done in the remaining time; short and valuable items
    first.
    """
    return work.value / max(min(work.left_s, left_s), 1.0) * min(1.0, left_s / work.left_s)
