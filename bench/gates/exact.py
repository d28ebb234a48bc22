"""How often a proof accepts a skill, worked out exactly instead of drawn.

Written from the words of the rule, not from its code: the e-value is integrated numerically, and
the chances of all counts of wins and losses are carried from pair to pair. It covers proofs without
past successes, of pairs that are all alike.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from bench.gates.worlds import Judge

Grid = npt.NDArray[np.float64]
_STEPS = 2_000
"""Steps of Simpson's rule between a win rate of one half and of one."""
_PRIOR = (50, 20)
"""Wins and losses of the Beta density over win rates that the bet is spread on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of the rule."""

    alpha: float = 0.05
    first: int = 60
    most: int = 120
    open_e: float = 0.1
    looks: bool = True
    """Whether a last look is taken when the pairs are spent."""
    look_e: float = 1.0
    harm_e: float = 20.0
    unkept: int = 12
    """Pairs without one answer with the skill that kept the rule, after which a proof ends."""
    winless: int = 24
    """Pairs without a win after which a proof ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """Chances of how a proof ends, and its mean number of pairs."""

    by_evidence: float
    by_last_look: float
    harmful: float
    pairs: float

    @property
    def accepted(self) -> float:
        return self.by_evidence + self.by_last_look


def ends(win: float, loss: float, numbers: Numbers | None = None, *, neither: float = 0.0) -> Exact:
    """How a proof ends where each pair is won and lost with these chances, and where with the
    chance `neither` both answers are found to break the rule; 0 where nothing tells that.
    """
    rule = numbers or Numbers()
    kept, never = np.zeros((1, 1)), np.ones((1, 1))  # had one answer with the skill kept the rule?
    evidence = look = harmful = pairs = 0.0
    for n, at in enumerate(_endings(rule), 1):
        kept = _one_pair_later(kept, win, loss) + _first_kept(never, win, loss, neither)
        never = _none_kept(never, loss, neither)
        alive = kept + never
        evidence += float(alive[at.shown].sum())
        look += float((alive * at.chance).sum())
        harmful += float(alive[at.lost].sum())
        given_up = np.ones_like(at.ended) if n >= rule.unkept else at.ended
        pairs += n * float(kept[at.ended].sum() + never[given_up].sum())
        kept, never = np.where(at.ended, 0.0, kept), np.where(given_up, 0.0, never)
    return Exact(by_evidence=evidence, by_last_look=look, harmful=harmful, pairs=pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endings:
    """What becomes of a proof after so many pairs, at [wins, losses]."""

    shown: npt.NDArray[np.bool_]
    lost: npt.NDArray[np.bool_]
    ended: npt.NDArray[np.bool_]
    chance: Grid
    """The chance of the last look where it is taken, 0 elsewhere."""


@cache
def _endings(rule: Numbers) -> tuple[_Endings, ...]:
    e = e_values(rule.most)
    return tuple(_after(n, e, rule) for n in range(1, rule.most + 1))


def _after(n: int, all_e: Grid, rule: Numbers) -> _Endings:
    e = all_e[: n + 1, : n + 1]
    wins, losses = np.indices(e.shape)
    may_go_on = (wins >= 1) & (e >= rule.open_e)
    left = np.where(may_go_on, rule.most, rule.first) - n
    lost = rule.harm_e <= e.T
    shown = ~lost & (e >= 1 / rule.alpha)
    spent = ~lost & ~shown & (left <= 0)
    all_won = all_e[np.minimum(wins + np.maximum(left, 0), rule.most), losses]
    hope = all_won >= 1 / rule.alpha
    if rule.looks:
        hope |= may_go_on & (all_won >= rule.look_e)
    winless = (wins == 0) & (n >= rule.winless)
    tossed = spent & (wins >= 1) & (e > rule.look_e) & rule.looks
    return _Endings(
        shown=shown,
        lost=lost,
        ended=lost | shown | spent | ~hope | winless,
        chance=np.where(tossed, rule.alpha * e, 0.0),
    )


def won_and_lost(
    without: float, with_: float, judge: Judge, *, same_dice: float = 0.0
) -> tuple[float, float]:
    """The chances that a pair is seen as won and as lost, where answers are good so often."""
    joint = _joint(without, with_, same_dice)
    called = {True: judge.calls_good, False: 1 - judge.calls_bad}
    won = sum(p * (1 - called[one]) * called[other] for (one, other), p in joint.items())
    lost = sum(p * called[one] * (1 - called[other]) for (one, other), p in joint.items())
    return won, lost


def kept_by_neither(without: float, with_: float, judge: Judge, *, same_dice: float = 0.0) -> float:
    """The chance that both answers of a pair are seen as bad."""
    bad = {True: 1 - judge.calls_good, False: judge.calls_bad}
    joint = _joint(without, with_, same_dice)
    return sum(p * bad[one] * bad[other] for (one, other), p in joint.items())


def _joint(without: float, with_: float, same_dice: float) -> dict[tuple[bool, bool], float]:
    """How often the answers without and with a skill are good."""
    both = same_dice * min(without, with_) + (1 - same_dice) * without * with_
    return {
        (True, True): both,
        (True, False): without - both,
        (False, True): with_ - both,
        (False, False): 1 - without - with_ + both,
    }


def _one_pair_later(alive: Grid, win: float, loss: float) -> Grid:
    after = np.zeros((len(alive) + 1, len(alive) + 1))
    after[:-1, :-1] += alive * (1 - win - loss)
    after[1:, :-1] += alive * win
    after[:-1, 1:] += alive * loss
    return after


def _none_kept(never: Grid, loss: float, neither: float) -> Grid:
    """One pair later, where no answer with the skill has kept the rule: a loss, or none of both."""
    after = np.zeros((len(never) + 1, len(never) + 1))
    after[:-1, :-1] += never * neither
    after[:-1, 1:] += never * loss
    return after


def _first_kept(never: Grid, win: float, loss: float, neither: float) -> Grid:
    """One pair later, where the first answer with the skill has kept the rule."""
    after = np.zeros((len(never) + 1, len(never) + 1))
    after[:-1, :-1] += never * (1 - win - loss - neither)
    after[1:, :-1] += never * win
    return after


@cache
def e_values(most: int) -> Grid:
    """The bet's capital at [wins, losses]: ratios of win rates from one half on to one half, mixed.

    By Simpson's rule over the win rate, from the definition.
    """
    rate = np.linspace(0.5, 1.0, _STEPS + 1)[:-1]
    simpson = np.where(np.arange(_STEPS) % 2 == 1, 4.0, 2.0)
    simpson[0] = 1.0
    density = (_PRIOR[0] - 1) * np.log(rate) + (_PRIOR[1] - 1) * np.log1p(-rate)
    weight = simpson * np.exp(density - density.max())
    weight /= weight.sum()
    counts = np.arange(most + 1)
    won = np.exp(counts[:, None] * np.log(2 * rate))
    lost = np.exp(counts[:, None] * np.log(2 - 2 * rate))
    capital: Grid = (won * weight) @ lost.T
    return capital
