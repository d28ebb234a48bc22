"""Simulated skills whose true effect is known, so that a rule's mistakes can be counted.

A world says how likely each recorded request is answered well without and with a skill; the rest
is dice. Everything here is simulated, the judge's errors too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from lull.core.pairing import planned
from lull.core.proof import Pair, Part

Chances = npt.NDArray[np.float64]
Scores = npt.NDArray[np.int8]
MOST = 60
ORDERS = 64
"""Schedules drawn from the real planner; each simulated skill gets one of them."""


class Kind(StrEnum):
    NULL = "useless"
    HARMFUL = "harmful"
    GOOD = "good"
    MIXED = "mixed"
    """Good on these requests or in part, and no promise is made; shown, not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """How often a good answer is called good, and a bad one bad."""

    sensitivity: float
    specificity: float

    @property
    def name(self) -> str:
        if self.sensitivity == self.specificity == 1.0:
            return "perfect"
        return f"{self.sensitivity:g}/{self.specificity:g}"


PERFECT = Judge(sensitivity=1.0, specificity=1.0)
ROUGH = Judge(sensitivity=0.85, specificity=0.80)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Chances of a good answer without and with each of N skills on its R requests: [N, R]."""

    without: Chances
    with_: Chances


Drawn = Callable[[np.random.Generator, int], Draw]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    name: str
    kind: Kind
    benefit: Drawn
    success: Drawn | None = None
    """Past successes to replay, if there are any."""
    failures: int | None = None
    """How many requests of the benefit part are failures; the rest are siblings."""
    same_dice: float = 0.0
    """How often a shared seed gives both answers the same luck."""
    thirty: bool = False
    """Counts for the goal about skills worth 30 points."""


def homogeneous(without: float, with_: float) -> Drawn:
    """Every pair is a request of its own, and all are alike."""

    def draw(_rng: np.random.Generator, n: int) -> Draw:
        shape = (n, MOST)
        return Draw(without=np.full(shape, without), with_=np.full(shape, with_))

    return draw


def fixed(without: list[float], with_: list[float]) -> Drawn:
    """These requests, the same for every skill."""

    def draw(_rng: np.random.Generator, n: int) -> Draw:
        return Draw(
            without=np.tile(np.array(without), (n, 1)), with_=np.tile(np.array(with_), (n, 1))
        )

    return draw


def signs(requests: int, size: float) -> Drawn:
    """Each request is helped or harmed by so much, at random: useless over all requests, but not
    on the few that were drawn."""

    def draw(rng: np.random.Generator, n: int) -> Draw:
        side = rng.choice([-size, size], size=(n, requests))
        return Draw(without=np.full((n, requests), 0.5), with_=0.5 + side)

    return draw


def drifting(low: float, high: float) -> Drawn:
    """Every request is harder than the one before it, for both answers alike."""

    def draw(_rng: np.random.Generator, n: int) -> Draw:
        chances = np.tile(np.linspace(high, low, MOST), (n, 1))
        return Draw(without=chances, with_=chances)

    return draw


def reshuffled(picked: list[bool | None], spread: float) -> Drawn:
    """A skill that only changes the dice: its chance on a request is drawn anew, from the same
    Beta(spread, spread). Requests are picked because they once failed (False) or succeeded (True)
    without it, or are not picked at all (None): what was picked for failing does better now."""

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


def schedule(
    requests: int, *, failures: int | None, successes: bool = False
) -> npt.NDArray[np.intp]:
    """Which request each pair replays, in ORDERS orders of the real planner: [ORDERS, MOST]."""
    if requests >= MOST:
        return np.tile(np.arange(MOST), (ORDERS, 1))
    first = requests if failures is None else failures
    parts = [Part.SUCCESS if successes else Part.FAILURE] * first
    parts += [Part.SIBLING] * (requests - first)
    names = [(f"r{i}", part) for i, part in enumerate(parts)]
    numbers = {name: i for i, (name, _) in enumerate(names)}
    return np.array([_order(names, numbers, f"skill {k}", successes) for k in range(ORDERS)])


def _order(
    names: list[tuple[str, Part]], numbers: dict[str, int], key: str, successes: bool
) -> list[int]:
    done: list[Pair] = []
    for _ in range(MOST):
        wanted = planned(done, names, successes=successes, key=key)
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
    """What the judge said of both answers, 0 or 1, for N skills and T pairs each: [N, T]."""

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
    return (rng.random(good.shape) < says_good).astype(np.int8)
