"""Measurements that the gate takes of an adapter before the adapter may answer users: how each one
is stored, and how all of them are grouped by kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.core.adapters.gate_measured import (
    CanaryPair,
    Distance,
    Manner,
    Measures,
    PreferencePair,
    TargetPair,
)

SUCCESSES: Final = "your past successes"
"""Name of the probe family made from real requests whose answers satisfied the user."""
PASS_ABOVE: Final = 0.5


class MeasureKind(StrEnum):
    """The kinds of requests on which the gate compares a candidate adapter with the active one."""

    PROBE = "probe"
    SUCCESS = "success"
    LURE = "lure"
    AGAIN = "again"
    """A canary probe answered again, with a sampled answer."""
    TARGET = "target"
    RATED = "rated"
    """Two recorded answers that the user rated, of which the new adapter is to prefer the good
    one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What the gate measured on one request, answered by the active adapter (`old`) and the
    candidate (`new`).
    """

    kind: MeasureKind
    about: str = ""
    """Name of the canary family, or id of the replayed request."""
    old: float | None = None
    """Score of the active adapter's answer in [0, 1]; None: unknown. For rated answers: by how many
    nats it prefers the good one.
    """
    new: float | None = None
    taught: float | None = None
    away: Distance | None = None
    manner: tuple[Manner, Manner] | None = None
    leaks: tuple[str, ...] | None = None
    """Kinds of secrets found in the answer, without their text; None if it was not searched."""


def measures_of(done: Mapping[str, Measure]) -> Measures:
    """Group all stored measurements of an adapter's test (the gate) by kind: canary prompts,
    held-out requests and so on. Within a kind they are sorted by name. `done` maps the names to the
    measurements.
    """
    kinds: dict[MeasureKind, list[Measure]] = {kind: [] for kind in MeasureKind}
    for name in sorted(done):
        kinds[done[name].kind].append(done[name])
    canaries, successes = kinds[MeasureKind.PROBE], kinds[MeasureKind.SUCCESS]
    unchanged = [*canaries, *successes]
    searched = [
        one.leaks for one in (*unchanged, *kinds[MeasureKind.LURE]) if one.leaks is not None
    ]
    return Measures(
        probes=(
            *_pairs(canaries),
            *_pairs(successes, family=SUCCESSES),
            *_pairs(kinds[MeasureKind.AGAIN], sampled=True),
        ),
        targets=tuple(_targets(kinds[MeasureKind.TARGET])),
        preferences=tuple(
            PreferencePair(old=one.old, new=one.new)
            for one in kinds[MeasureKind.RATED]
            if one.old is not None and one.new is not None
        ),
        replay=tuple(one.away for one in successes if one.away is not None),
        canaries=tuple(one.away for one in canaries if one.away is not None),
        manners=tuple(one.manner for one in unchanged if one.manner is not None),
        leaks=tuple(leak for one in searched for leak in one),
        answers_searched=len(searched),
    )


def _pairs(
    found: Sequence[Measure], *, family: str = "", sampled: bool = False
) -> Iterator[CanaryPair]:
    for one in found:
        if one.old is not None and one.new is not None:
            yield CanaryPair(
                family=family or one.about,
                old=one.old > PASS_ABOVE,
                new=one.new > PASS_ABOVE,
                sampled=sampled,
            )


def _targets(found: Sequence[Measure]) -> Iterator[TargetPair]:
    for one in found:
        if one.old is not None and one.new is not None:
            yield TargetPair(request=one.about, old=one.old, new=one.new, taught=one.taught)
