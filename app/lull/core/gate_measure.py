"""One thing that the gate measured, as it is kept, and what many of them are together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.core.gate import Away, Manner, Measures, ProbePair, TargetPair

SUCCESSES: Final = "your past successes"
"""The family of what the user was content with."""
GOOD: Final = 0.5


class Measured(StrEnum):
    PROBE = "probe"
    SUCCESS = "success"
    LURE = "lure"
    AGAIN = "again"
    """A probe, sampled."""
    TARGET = "target"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    kind: Measured
    about: str = ""
    """A family, or the request that was answered."""
    old: float | None = None
    """How good the answer was, in [0, 1]; None: nobody can tell."""
    new: float | None = None
    taught: float | None = None
    away: Away | None = None
    manner: tuple[Manner, Manner] | None = None
    leaks: tuple[str, ...] | None = None
    """None: not listened for."""


def measures_of(done: Mapping[str, Measure]) -> Measures:
    """By name; the order of names is kept."""
    kinds: dict[Measured, list[Measure]] = {kind: [] for kind in Measured}
    for name in sorted(done):
        kinds[done[name].kind].append(done[name])
    canaries, successes = kinds[Measured.PROBE], kinds[Measured.SUCCESS]
    unchanged = [*canaries, *successes]
    heard = [one.leaks for one in (*unchanged, *kinds[Measured.LURE]) if one.leaks is not None]
    return Measures(
        probes=(
            *_pairs(canaries),
            *_pairs(successes, family=SUCCESSES),
            *_pairs(kinds[Measured.AGAIN], sampled=True),
        ),
        targets=tuple(_targets(kinds[Measured.TARGET])),
        replay=tuple(one.away for one in successes if one.away is not None),
        canaries=tuple(one.away for one in canaries if one.away is not None),
        manners=tuple(one.manner for one in unchanged if one.manner is not None),
        leaks=tuple(leak for one in heard for leak in one),
        listened=len(heard),
    )


def _pairs(
    found: Sequence[Measure], *, family: str = "", sampled: bool = False
) -> Iterator[ProbePair]:
    for one in found:
        if one.old is not None and one.new is not None:
            yield ProbePair(
                family=family or one.about,
                old=one.old > GOOD,
                new=one.new > GOOD,
                sampled=sampled,
            )


def _targets(found: Sequence[Measure]) -> Iterator[TargetPair]:
    for one in found:
        if one.old is not None and one.new is not None:
            yield TargetPair(request=one.about, old=one.old, new=one.new, taught=one.taught)
