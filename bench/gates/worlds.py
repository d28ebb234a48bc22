"""Simulated skills whose true effect is known, so that an acceptance rule's mistakes can be
counted.

A world says how likely each recorded request is answered well without and with a skill; the rest
is dice. Everything here is simulated, the judge's errors too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt

from lull.core.proof.pairing import least_answered
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proof import ProofRule

Chances = npt.NDArray[np.float64]
Scores = npt.NDArray[np.int8]
MOST = ProofRule().most_pairs
SCHEDULES = 64
"""Number of replay schedules drawn from the real planner; each simulated skill uses one of them."""


class Kind(StrEnum):
    NULL = "useless"
    HARMFUL = "harmful"
    GOOD = "good"
    MIXED = "mixed"
    """A skill that helps only on some requests; its rows are shown, but no goal depends on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A simulated judge's error rates: how often a vote calls good answers good, and bad ones bad.

    With three votes, each of which errs by itself, the majority is the verdict. With one, the rates
    are those of the verdict: of a majority, too, whose votes err together.
    """

    sensitivity: float
    specificity: float
    votes: int = 1

    @property
    def name(self) -> str:
        if self.sensitivity == self.specificity == 1.0:
            return "perfect"
        rates = f"{self.sensitivity:g}/{self.specificity:g}"
        return f"{rates} after the vote" if self.votes == 1 else f"{rates} each of {self.votes}"

    @property
    def calls_good(self) -> float:
        """How often a good answer gets the verdict good."""
        return _majority(self.sensitivity, self.votes)

    @property
    def calls_bad(self) -> float:
        """How often a bad answer gets the verdict bad."""
        return _majority(self.specificity, self.votes)


def _majority(right: float, votes: int) -> float:
    """How often more than half of so many votes are right, if each is right so often."""
    return sum(
        comb(votes, k) * right**k * (1 - right) ** (votes - k)
        for k in range(votes // 2 + 1, votes + 1)
    )


PERFECT = Judge(sensitivity=1.0, specificity=1.0)
ROUGH = Judge(sensitivity=0.85, specificity=0.80)
VOTING = Judge(sensitivity=0.85, specificity=0.80, votes=3)
JUDGES = (PERFECT, ROUGH, VOTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Probabilities of a good answer without and with each of N skills on R requests, shape [N,
    R].
    """

    without: Chances
    with_: Chances


Drawn = Callable[[np.random.Generator, int], Draw]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    name: str
    kind: Kind
    benefit: Drawn
    success: Drawn | None = None
    """Past successes that are replayed too; None: there are none."""
    failures: int | None = None
    """Number of the replayed requests that are failures; the others are siblings. None: all are
    failures.
    """
    same_dice: float = 0.0
    """Probability that the shared seed gives both answers of a pair the same random draw."""
    thirty: bool = False
    """Whether the goal about skills that gain 30 percentage points is measured on this world."""
    rates: tuple[float, float] | None = None
    """How often answers without and with the skill are good, where all pairs are alike."""


def homogeneous(without: float, with_: float) -> Drawn:
    """Requests that are all different and all equally hard."""

    def draw(_rng: np.random.Generator, n: int) -> Draw:
        shape = (n, MOST)
        return Draw(without=np.full(shape, without), with_=np.full(shape, with_))

    return draw


def fixed(without: list[float], with_: list[float]) -> Drawn:
    """A fixed list of requests with the given success rates, the same for every skill."""

    def draw(_rng: np.random.Generator, n: int) -> Draw:
        return Draw(
            without=np.tile(np.array(without), (n, 1)), with_=np.tile(np.array(with_), (n, 1))
        )

    return draw


def signs(requests: int, size: float) -> Drawn:
    """Requests that the skill helps or harms by `size` at random: useless on average, but not on
    the few requests drawn.
    """

    def draw(rng: np.random.Generator, n: int) -> Draw:
        side = rng.choice([-size, size], size=(n, requests))
        return Draw(without=np.full((n, requests), 0.5), with_=0.5 + side)

    return draw


def drifting(low: float, high: float) -> Drawn:
    """Requests that get harder one after the other, equally for the answers with and without the
    skill.
    """

    def draw(_rng: np.random.Generator, n: int) -> Draw:
        chances = np.tile(np.linspace(high, low, MOST), (n, 1))
        return Draw(without=chances, with_=chances)

    return draw


def reshuffled(picked: list[bool | None], spread: float) -> Drawn:
    """A skill that only redraws the random success rate of each request, from the same Beta(spread,
    spread). `picked`: requests chosen because they failed (False) or succeeded (True) once without
    it, or not chosen (None); those chosen for failing improve by regression to the mean.
    """

    def draw(rng: np.random.Generator, n: int) -> Draw:
        columns = [_picked(rng, n, once, spread) for once in picked]
        anew = rng.beta(spread, spread, size=(n, len(picked)))
        return Draw(without=np.stack(columns, axis=1), with_=anew)

    return draw


def _picked(rng: np.random.Generator, n: int, once: bool | None, spread: float) -> Chances:
    if once is None:
        return rng.beta(spread, spread, size=n)
    # A chance seen to succeed once is Beta(a + 1, b): the posterior is the picking.
    return rng.beta(spread + once, spread + (not once), size=n)


@cache
def schedule(
    requests: int, *, failures: int | None, successes: bool = False
) -> npt.NDArray[np.intp]:
    """Return which request each pair replays in SCHEDULES schedules of the real planner, shape
    [SCHEDULES, MOST].
    """
    if requests >= MOST:
        return np.tile(np.arange(MOST), (SCHEDULES, 1))
    first = requests if failures is None else failures
    parts = [PairPart.SUCCESS if successes else PairPart.FAILURE] * first
    parts += [PairPart.SIBLING] * (requests - first)
    names = [(f"r{i}", part) for i, part in enumerate(parts)]
    numbers = {name: i for i, (name, _) in enumerate(names)}
    return np.array([_order(names, numbers, f"skill {k}", successes) for k in range(SCHEDULES)])


def _order(
    names: list[tuple[str, PairPart]], numbers: dict[str, int], key: str, successes: bool
) -> list[int]:
    done: list[Pair] = []
    for _ in range(MOST):
        wanted = least_answered(done, names, successes=successes, key=key)
        assert wanted is not None
        done.append(
            Pair(
                request=wanted.request,
                part=wanted.part,
                seed=wanted.seed,
                without=0.0,
                with_=0.0,
                scored_by="nobody",
            )
        )
    return [numbers[pair.request] for pair in done]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The judge's scores (0 or 1) of the answers without and with N skills on T pairs, shape [N,
    T].
    """

    without: Scores
    with_: Scores


def replayed(
    rng: np.random.Generator,
    draw: Draw,
    order: npt.NDArray[np.intp],
    judge: Judge,
    *,
    same_dice: float,
) -> Scored:
    n = len(draw.without)
    at = order[rng.integers(0, len(order), size=n)]
    luck = rng.random((2, n, MOST))
    shared = rng.random((n, MOST)) < same_dice
    luck[1] = np.where(shared, luck[0], luck[1])
    return Scored(
        without=_judged(rng, luck[0] < np.take_along_axis(draw.without, at, 1), judge),
        with_=_judged(rng, luck[1] < np.take_along_axis(draw.with_, at, 1), judge),
    )


def _judged(rng: np.random.Generator, good: npt.NDArray[np.bool_], judge: Judge) -> Scores:
    says_good = np.where(good, judge.sensitivity, 1.0 - judge.specificity)
    votes = sum((rng.random(good.shape) < says_good).astype(np.int8) for _ in range(judge.votes))
    return np.asarray(2 * votes > judge.votes).astype(np.int8)
