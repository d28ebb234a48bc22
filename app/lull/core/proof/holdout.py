"""Live holdout: measures the effect of an approved skill by leaving it out of a few conversations
at random.

Used for skills whose effect cannot be measured by replaying past requests without them
(core/proof/in_use.py), because nothing can score those replays. For each skill and conversation a
random draw (coin flip) decides, and its probability is recorded. Because only the draw decides, a
difference between the two groups of conversations is the skill's effect. This module flips the
coins, estimates the effect, tells when harm or help is certain and when a skill is stale (long
unused), and chooses among proved skills if the prompt has no room for all. Retiring a skill is only
proposed; the user decides.
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

from lull.core.proof.evalue import e_value_from_log
from lull.core.skills.skill import SkillKey

HOLDOUT_SHARE: Final = 0.02
"""Largest share of conversations that a skill is left out of; each costs the user the skill."""
FIRST_USES: Final = 10
"""Number of conversations after a skill's approval that all have the skill, before it may be left
out at random.
"""
SURE_PART: Final = 0.2
"""Factor on the share of conversations that a skill is left out of, once it certainly helps:
leaving it out then costs the user worse answers and adds little information.
"""
RETIRE_E: Final = 20.0
HELP_E: Final = 20.0
STALE_DAYS: Final = 60.0
LEAST_TOSSES: Final = 5
"""Fewest conversations with another skill left out, and fewest with it kept in, from which the
estimate of a skill's effect takes that other skill into account.
"""

Coin = Callable[[str], float]
"""Type of a deterministic coin: a function from a text to a number in [0, 1), always the same
number for the same text.
"""

_STAKES: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75)
"""Shares of the largest bet that cannot lose everything; a mixture, because the size of the harm is
unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toss:
    """The result of one skill's coin flip for one conversation: whether the skill was left out of
    the prompt at random, so that its effect can be measured.
    """

    left_out: bool
    share: float
    """Probability with which the skill is left out (the propensity)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutOutcome:
    """How well one conversation went, and for each skill whose coin was flipped for it, whether the
    skill was left out.
    """

    good: float
    """How well the conversation went, from 0 to 1, such as the mean p_good of its turns."""
    tosses: Mapping[SkillKey, Toss]

    def __post_init__(self) -> None:
        if not 0.0 <= self.good <= 1.0:
            raise ValueError(f"an outcome is between 0 and 1, not {self.good}")
        if any(not 0.0 < toss.share < 1.0 for toss in self.tosses.values()):
            raise ValueError("only a coin with two sides says anything")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The estimated effect of a skill on how well conversations go (scale 0 to 1), with a
    confidence interval.
    """

    value: float
    low: float
    high: float
    n: int
    """Number of conversations for which the skill's coin was flipped."""


# The coin


def hashed_coin(secret: str) -> Coin:
    """Return a pseudo-random function from texts to [0, 1), keyed by a secret: it gives the same
    numbers after a restart, and numbers independent of those with another secret.
    """

    def coin(text: str) -> float:
        digest = hashlib.sha256(f"{secret}\0{text}".encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:6], "big") / 2**48

    return coin


def left_out(
    skill: SkillKey, trajectory: str, client: str, *, share: float = HOLDOUT_SHARE, coin: Coin
) -> Toss:
    """Decide at random, with probability `share`, whether a skill is left out of a conversation
    (trajectory). The result is the same for all turns of the conversation.

    Each (skill, trajectory, client) has a draw of its own, so one skill's result says nothing about
    another's. With `share` 0 nothing is left out.
    """
    if not 0.0 <= share < 1.0:
        raise ValueError(f"a share is from 0 up to 1, not {share}")
    text = "\0".join((skill.client, skill.name, client, trajectory))
    return Toss(left_out=coin(text) < share, share=share)


# The effect of a skill


def effect(
    outcomes: Iterable[HoldoutOutcome], skill: SkillKey, *, level: float = 0.95
) -> Effect | None:
    """Estimate a skill's mean effect on how well conversations go, from conversations in which a
    random draw left it out or kept it in; None until both have occurred.

    Least squares on the skill's coin flip, weighted by inverse probability (Hájek), with the
    centred coin flips of other skills as covariates, which reduces noise. The variance is robust
    (HC3: MacKinnon & White 1985). One good and one bad outcome are added to each side (Agresti &
    Caffo 2000), so that five equal outcomes do not look certain.
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


def _row(outcome: HoldoutOutcome, skill: SkillKey, others: Sequence[SkillKey]) -> _Row:
    toss = outcome.tosses[skill]
    chance = toss.share if toss.left_out else 1.0 - toss.share
    beside = (_centred(outcome.tosses.get(other)) for other in others)
    there = 0.0 if toss.left_out else 1.0
    return _Row(x=(1.0, there, *beside), y=outcome.good, weight=1.0 / chance)


def _centred(toss: Toss | None) -> float:
    """The coin's value centred to a mean of zero, so that it cannot bias another skill's
    estimate."""
    if toss is None:
        return 0.0
    return toss.share - 1.0 if toss.left_out else toss.share


def _pseudo_weight(tossed: Sequence[HoldoutOutcome], skill: SkillKey, there: float) -> float:
    """Return the weight of an ordinary outcome on the same side."""
    own = [t.share for o in tossed if (t := o.tosses[skill]).left_out != bool(there)]
    share = sum(own) / len(own)
    return 1.0 / (1.0 - share if there else share)


def _others(tossed: Sequence[HoldoutOutcome], skill: SkillKey) -> list[SkillKey]:
    """Return other skills with enough flips on both sides, and no more than the number of rows
    allows.
    """
    sides: dict[SkillKey, list[int]] = {}
    for outcome in tossed:
        for key, toss in outcome.tosses.items():
            if key != skill:
                sides.setdefault(key, [0, 0])[toss.left_out] += 1
    enough = [key for key, counts in sides.items() if min(counts) >= LEAST_TOSSES]
    enough.sort(key=lambda key: (-min(sides[key]), key))
    return sorted(enough[: len(tossed) // 20])


def _second_coefficient(rows: Sequence[_Row]) -> tuple[float, float]:
    """The second coefficient of weighted least squares, with its HC3 standard error."""
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
    """Invert a matrix by Gauss-Jordan, with a tiny ridge for collinear columns."""
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


# Harm and help


def live_harm_e(outcomes: Iterable[HoldoutOutcome], skill: SkillKey) -> float:
    """Return the e-value against "the skill does not make conversations worse", from conversations
    in which a random draw left it out or kept it in, in order of time. A high value shows harm.
    """
    return _bet(outcomes, skill, on=-1.0)


def live_help_e(outcomes: Iterable[HoldoutOutcome], skill: SkillKey) -> float:
    """Return the e-value against "the skill does not make conversations better", from conversations
    in which a random draw left it out or kept it in, in order of time. A high value shows help.
    """
    return _bet(outcomes, skill, on=1.0)


def _bet(outcomes: Iterable[HoldoutOutcome], skill: SkillKey, *, on: float) -> float:
    """Return the capital that a bet of 1 on this sign of the skill's effect has become.

    Bets on each trajectory: inverse-propensity weighting makes the expected gain the skill's effect
    there (times `on`), whatever else changes from day to day, so nothing is gained without that
    effect (testing by betting: Waudby-Smith & Ramdas, arXiv 2010.09686). It may be looked at after
    every trajectory. The expected outcome is computed from earlier trajectories only.
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
    return e_value_from_log(highest + math.log(mean))


def to_retire(harm_e: float, *, limit: float = RETIRE_E) -> bool:
    """Return whether the evidence of harm suffices to propose that a skill be retired."""
    return harm_e >= limit


def stale(last_used: datetime, now: datetime, *, days: float = STALE_DAYS) -> bool:
    """Whether an approved skill has been in no prompt for at least `days` days. If it never was in
    one, `last_used` is the time of its approval.
    """
    return now - last_used >= timedelta(days=days)


# When there is no room for all skills


def thompson(
    records: Mapping[SkillKey, tuple[float, float]], *, at_most: int, chance: Random
) -> list[SkillKey]:
    """Choose at most `at_most` skills to include in a prompt, by Thompson sampling of their success
    rates.

    `records` holds for each skill the numbers of (good, bad) conversations with it. A draw from
    each Beta(1 + good, 1 + bad) gives little-known skills a chance (Thompson 1933). All these
    skills are proved already; the sampling proves nothing.
    """
    drawn = {
        key: chance.betavariate(1.0 + good, 1.0 + bad)
        for key, (good, bad) in sorted(records.items())
    }
    return sorted(drawn, key=lambda key: (-drawn[key], key))[: max(0, at_most)]
