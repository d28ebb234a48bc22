"""Whether a live skill still helps: a few conversations go without it, by the toss of a coin.

Each skill that would be put in is left out now and then, for itself and by a coin of its own, with
the chance of it written down. Because only the coin decides, a difference between the two kinds of
conversation is the skill's doing. This file tosses, estimates the difference, tells when harm or
help is sure, and when a skill has gone stale; it also picks among proved skills where the prompt
has no room for all. Retiring is a proposal, and the user decides.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from statistics import NormalDist
from typing import Final

from lull.core.evalue import from_log
from lull.core.skill import SkillKey

SHARE: Final = 0.15
SURE_PART: Final = 0.2
"""Of that share, once it is sure that the skill helps: every conversation without it then costs the
user an answer that they do not want, and says little that is new."""
RETIRE_E: Final = 20.0
HELP_E: Final = 20.0
STALE_DAYS: Final = 60.0
LEAST_TOSSES: Final = 5
"""Of each side, before another skill's coin is taken into a skill's estimate."""

Coin = Callable[[str], float]
"""A number from 0 up to 1 for a text: the same text, the same number."""

_STAKES: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75)
"""Shares of the highest bet that can never lose all: a mixture, for the harm is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toss:
    """What the coin said of one skill on one trajectory."""

    left_out: bool
    share: float
    """The chance with which it is left out: the propensity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One trajectory on which the coins of one or more skills were tossed."""

    good: float
    """0 to 1: how good it went, e.g. the p_good of its turns."""
    tosses: Mapping[SkillKey, Toss]

    def __post_init__(self) -> None:
        if not 0.0 <= self.good <= 1.0:
            raise ValueError(f"an outcome is between 0 and 1, not {self.good}")
        if any(not 0.0 < toss.share < 1.0 for toss in self.tosses.values()):
            raise ValueError("only a coin with two sides says anything")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a skill adds to the outcome, on its scale of 0 to 1, with an interval."""

    value: float
    low: float
    high: float
    n: int
    """Trajectories on which its coin was tossed."""


# The coin


def hashed_coin(secret: str) -> Coin:
    """A coin that falls the same way after a restart, and unlike that of any other secret."""

    def coin(text: str) -> float:
        digest = hashlib.sha256(f"{secret}\0{text}".encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:6], "big") / 2**48

    return coin


def left_out(
    skill: SkillKey, trajectory: str, client: str, *, share: float = SHARE, coin: Coin
) -> Toss:
    """Whether this skill is left out of this trajectory, for its whole life.

    Each (skill, trajectory, client) has a coin of its own, so what happens to one skill says
    nothing of another. `share` 0 leaves nothing out.
    """
    if not 0.0 <= share < 1.0:
        raise ValueError(f"a share is from 0 up to 1, not {share}")
    text = "\0".join((skill.client, skill.name, client, trajectory))
    return Toss(left_out=coin(text) < share, share=share)


# What a skill adds


def effect(outcomes: Iterable[Outcome], skill: SkillKey, *, level: float = 0.95) -> Effect | None:
    """The mean difference that the skill makes; None until both sides of its coin were seen.

    Least squares on the skill's coin, weighted by the inverse of the chance of what came (Hájek),
    with the centred coins of other skills beside it, which takes their part out of the noise. The
    variance is robust (HC3: MacKinnon & White 1985). One good and one bad outcome are added to
    each side (Agresti & Caffo 2000): five equal outcomes must not look like certainty.
    """
    tossed = [outcome for outcome in outcomes if skill in outcome.tosses]
    without = sum(outcome.tosses[skill].left_out for outcome in tossed)
    if without == 0 or without == len(tossed):
        return None
    others = _others(tossed, skill)
    rows = [_row(outcome, skill, others) for outcome in tossed]
    rows += [
        _Row(
            x=(1.0, there, *(0.0 for _ in others)), y=y, weight=_pseudo_weight(tossed, skill, there)
        )
        for there in (0.0, 1.0)
        for y in (0.0, 1.0)
    ]
    value, error = _second_coefficient(rows)
    half = NormalDist().inv_cdf((1.0 + level) / 2.0) * error
    return Effect(
        value=_held(value), low=_held(value - half), high=_held(value + half), n=len(tossed)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    x: tuple[float, ...]
    y: float
    weight: float


def _row(outcome: Outcome, skill: SkillKey, others: Sequence[SkillKey]) -> _Row:
    toss = outcome.tosses[skill]
    chance = toss.share if toss.left_out else 1.0 - toss.share
    beside = (_centred(outcome.tosses.get(other)) for other in others)
    there = 0.0 if toss.left_out else 1.0
    return _Row(x=(1.0, there, *beside), y=outcome.good, weight=1.0 / chance)


def _centred(toss: Toss | None) -> float:
    """Zero on average, so that it cannot shift the estimate of another skill."""
    if toss is None:
        return 0.0
    return toss.share - 1.0 if toss.left_out else toss.share


def _pseudo_weight(tossed: Sequence[Outcome], skill: SkillKey, there: float) -> float:
    """That of an ordinary outcome on the same side."""
    own = [t.share for o in tossed if (t := o.tosses[skill]).left_out != bool(there)]
    share = sum(own) / len(own)
    return 1.0 / (1.0 - share if there else share)


def _others(tossed: Sequence[Outcome], skill: SkillKey) -> list[SkillKey]:
    """Skills with enough tosses of either side; few enough that every column has its rows."""
    sides: dict[SkillKey, list[int]] = {}
    for outcome in tossed:
        for key, toss in outcome.tosses.items():
            if key != skill:
                sides.setdefault(key, [0, 0])[toss.left_out] += 1
    enough = [key for key, counts in sides.items() if min(counts) >= LEAST_TOSSES]
    enough.sort(key=lambda key: (-min(sides[key]), key))
    return sorted(enough[: len(tossed) // 20])


def _second_coefficient(rows: Sequence[_Row]) -> tuple[float, float]:
    """Of weighted least squares, with its HC3 standard error."""
    size = len(rows[0].x)
    gram = [
        [sum(r.weight * r.x[i] * r.x[j] for r in rows) for j in range(size)] for i in range(size)
    ]
    inverse = _inverse(gram)
    moments = [sum(r.weight * r.x[i] * r.y for r in rows) for i in range(size)]
    beta = [sum(a * b for a, b in zip(line, moments, strict=True)) for line in inverse]
    variance = 0.0
    for r in rows:
        solved = [sum(a * b for a, b in zip(line, r.x, strict=True)) for line in inverse]
        leverage = r.weight * sum(a * b for a, b in zip(solved, r.x, strict=True))
        residual = r.y - sum(a * b for a, b in zip(beta, r.x, strict=True))
        variance += (r.weight * solved[1] * residual / max(1e-9, 1.0 - leverage)) ** 2
    return beta[1], math.sqrt(variance)


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Gauss and Jordan, with a trace of a ridge for columns that say the same."""
    size = len(matrix)
    ridge = 1e-9 * max(matrix[i][i] for i in range(size))
    work = [
        [value + (ridge if i == j else 0.0) for j, value in enumerate(line)]
        + [1.0 if i == j else 0.0 for j in range(size)]
        for i, line in enumerate(matrix)
    ]
    for i in range(size):
        pivot = max(range(i, size), key=lambda line: abs(work[line][i]))
        work[i], work[pivot] = work[pivot], work[i]
        work[i] = [value / work[i][i] for value in work[i]]
        for line in range(size):
            if line != i and work[line][i]:
                factor = work[line][i]
                work[line] = [a - factor * b for a, b in zip(work[line], work[i], strict=True)]
    return [line[size:] for line in work]


def _held(value: float) -> float:
    return min(1.0, max(-1.0, value))


# Whether it harms, and whether it helps


def live_harm_e(outcomes: Iterable[Outcome], skill: SkillKey) -> float:
    """The e-value against "the skill does not make trajectories worse", in their order of time."""
    return _bet(outcomes, skill, on=-1.0)


def live_help_e(outcomes: Iterable[Outcome], skill: SkillKey) -> float:
    """The e-value against "the skill does not make trajectories better", in their order of time."""
    return _bet(outcomes, skill, on=1.0)


def _bet(outcomes: Iterable[Outcome], skill: SkillKey, *, on: float) -> float:
    """What a bet of 1 on this sign of the skill's effect has become.

    A bet on each trajectory: inverse-propensity weighting makes its expected gain the skill's
    effect there (times `on`), whatever the weather of the day, so nothing is won unless the skill
    has that effect (testing by betting: Waudby-Smith & Ramdas, arXiv 2010.09686). It may be looked
    at after every trajectory. What is expected of an outcome comes from those before it only.
    """
    capital = [0.0] * len(_STAKES)
    total, count = 0.5, 1
    for outcome in outcomes:
        toss = outcome.tosses.get(skill)
        if toss is None:
            continue
        expected = min(max(total / count, 0.1), 0.9)
        with_it, without = on / (1.0 - toss.share), -on / toss.share
        weight = without if toss.left_out else with_it
        worst = max(-w * (end - expected) for w in (with_it, without) for end in (0.0, 1.0))
        for i, stake in enumerate(_STAKES):
            capital[i] += math.log1p(stake / worst * weight * (outcome.good - expected))
        total, count = total + outcome.good, count + 1
    highest = max(capital)
    mean = sum(math.exp(log_e - highest) for log_e in capital) / len(capital)
    return from_log(highest + math.log(mean))


def to_retire(harm_e: float, *, limit: float = RETIRE_E) -> bool:
    return harm_e >= limit


def stale(last_used: datetime, now: datetime, *, days: float = STALE_DAYS) -> bool:
    """True for a skill that was in no prompt for so long. One that was never used counts from its
    approval."""
    return now - last_used >= timedelta(days=days)


# When there is no room for all


def thompson(
    records: Mapping[SkillKey, tuple[float, float]], *, at_most: int, chance: Random
) -> list[SkillKey]:
    """At most so many skills, those first whose drawn success rate is highest.

    `records` holds what each skill was credited with: (good, bad) trajectories. A draw from each
    Beta(1 + good, 1 + bad) gives the little known ones their turn (Thompson 1933). It chooses
    among proved skills and proves nothing.
    """
    drawn = {
        key: chance.betavariate(1.0 + good, 1.0 + bad)
        for key, (good, bad) in sorted(records.items())
    }
    return sorted(drawn, key=lambda key: (-drawn[key], key))[: max(0, at_most)]
