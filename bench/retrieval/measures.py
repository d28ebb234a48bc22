"""Figures of the retrieval benchmark, with floors, ceilings and confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

KS = (1, 3, 6)
DEEPEST = 10
"""Ranks that count for the reciprocal rank."""
DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What was found for one request, in one phrasing or averaged over several."""

    source: str
    """Name of the collection, the outer level of the bootstrap."""
    day: str
    recalls: tuple[float, ...]
    """Share of the needed skills among the first k found, for each k in KS."""
    reciprocal: float
    """1 / rank of the first needed skill; 0 if it is beyond DEEPEST."""


def hit(source: str, day: str, found: Sequence[str], needed: frozenset[str]) -> Hit:
    recalls = tuple(len(needed.intersection(found[:k])) / len(needed) for k in KS)
    ranks = (rank for rank, name in enumerate(found[:DEEPEST], 1) if name in needed)
    first = next(ranks, None)
    return Hit(source=source, day=day, recalls=recalls, reciprocal=1 / first if first else 0.0)


def averaged(hits: Sequence[Hit]) -> Hit:
    """Average the results of one request over its phrasings."""
    recalls = np.mean([h.recalls for h in hits], axis=0)
    return Hit(
        source=hits[0].source,
        day=hits[0].day,
        recalls=tuple(float(r) for r in recalls),
        reciprocal=float(np.mean([h.reciprocal for h in hits])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    value: float
    low: float
    high: float


def shares(hits: Sequence[Hit], seed: int) -> tuple[Share, ...]:
    """Return recall at each k in KS and the mean reciprocal rank, with 95 % intervals.

    Days are drawn again whole (bootstrap by clusters: Davison & Hinkley 1997, 3.8), and where there
    are several collections, collections first and days within them.
    """
    days = sorted({(h.source, h.day) for h in hits})
    place = {day: number for number, day in enumerate(days)}
    values = np.array([(*h.recalls, h.reciprocal) for h in hits])
    rows = [place[h.source, h.day] for h in hits]
    sums = np.zeros((len(days), values.shape[1]))
    counts = np.zeros(len(days))
    np.add.at(sums, rows, values)
    np.add.at(counts, rows, 1.0)
    weights = _weights(tuple(source for source, _ in days), seed)
    drawn = (weights @ sums) / (weights @ counts)[:, None]
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    mean = values.mean(axis=0)
    return tuple(
        Share(value=float(m), low=float(a), high=float(b))
        for m, a, b in zip(mean, low, high, strict=True)
    )


@cache
def _weights(sources: tuple[str, ...], seed: int) -> npt.NDArray[np.float64]:
    """Return how often each day is drawn, shape (DRAWS, days); `sources` names each day's
    collection.
    """
    rng = np.random.default_rng(seed)
    places = [np.flatnonzero(np.array(sources) == name) for name in sorted(set(sources))]
    weights = np.zeros((DRAWS, len(sources)))
    for draw in weights:
        for which in rng.integers(len(places), size=len(places)):
            np.add.at(draw, rng.choice(places[which], size=len(places[which])), 1.0)
    return weights


def ceilings(needs: Sequence[frozenset[str]]) -> tuple[float, ...]:
    """Return the highest possible recall at each k in KS: with three skills needed, the first place
    holds at most a third.
    """
    return tuple(float(np.mean([min(k, len(n)) / len(n) for n in needs])) for k in KS)
