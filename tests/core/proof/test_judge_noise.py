"""Tests of how much power a proof keeps with a judge that errs at random, computed exactly.

Nothing is simulated: the probability of every count of wins and losses is carried from pair to
pair.
"""

from __future__ import annotations

import math
from collections import defaultdict

import pytest

from lull.core.proof.evalue import log_e_value

NEEDED = math.log(20)
WITHOUT, WITH = 0.35, 0.65
"""Shares of good answers without and with a skill that is worth 30 points."""


def win_and_loss(sensitivity: float, specificity: float) -> tuple[float, float]:
    """Probabilities that a judge with these error rates sees a pair as won and as lost."""
    without, with_ = (p * sensitivity + (1 - p) * (1 - specificity) for p in (WITHOUT, WITH))
    return with_ * (1 - without), without * (1 - with_)


def of_three(votes: float) -> float:
    """Probability that most of three votes are right, each with probability `votes`."""
    return votes**2 * (3 - 2 * votes)


def proved_within(pairs: int, win: float, loss: float) -> float:
    """Probability that the e-value reaches 20 within so many pairs, with a look after each."""
    proved, here = 0.0, {(0, 0): 1.0}
    for _ in range(pairs):
        after: defaultdict[tuple[int, int], float] = defaultdict(float)
        for (wins, losses), chance in here.items():
            after[wins, losses] += chance * (1 - win - loss)
            after[wins + 1, losses] += chance * win
            after[wins, losses + 1] += chance * loss
        reached = {counts for counts in after if log_e_value(*counts) >= NEEDED}
        proved += sum(after[counts] for counts in reached)
        here = {c: p for c, p in after.items() if c not in reached and p > 1e-12}
    return proved


def best_of_one_look(pairs: int, win: float, loss: float) -> float:
    """Power of the most powerful 5 % test (Neyman and Pearson) with a single look at all pairs."""
    differ, rate = win + loss, win / (win + loss)
    power = 0.0
    for n in range(pairs + 1):
        here = math.comb(pairs, n) * differ**n * (1 - differ) ** (pairs - n)
        left, found = 0.05, 0.0
        for wins in range(n, -1, -1):
            useless = math.comb(n, wins) / 2**n
            taken = min(1.0, left / useless)
            found += taken * math.comb(n, wins) * rate**wins * (1 - rate) ** (n - wins)
            left -= taken * useless
            if left <= 0:
                break
        power += here * found
    return power


def test_no_test_at_all_finds_four_in_five_within_sixty_pairs_of_such_a_judge() -> None:
    win, loss = win_and_loss(0.85, 0.80)
    assert best_of_one_look(60, win, loss) == pytest.approx(0.69, abs=0.01)


def test_with_a_perfect_judge_four_in_five_are_found() -> None:
    assert proved_within(60, *win_and_loss(1.0, 1.0)) == pytest.approx(0.85, abs=0.01)


def test_looking_after_every_pair_costs_a_fifth_of_them() -> None:
    assert proved_within(60, *win_and_loss(0.85, 0.80)) == pytest.approx(0.47, abs=0.01)


def test_votes_that_err_by_themselves_help() -> None:
    rates = win_and_loss(of_three(0.85), of_three(0.80))
    assert proved_within(60, *rates) == pytest.approx(0.69, abs=0.01)


def test_twice_as_many_pairs_find_four_in_five() -> None:
    assert proved_within(130, *win_and_loss(0.85, 0.80)) >= 0.79


def test_a_useless_skill_is_no_likelier_proved_by_a_judge_that_errs() -> None:
    for p in (0.2, 0.5, 0.8):
        seen = p * 0.85 + (1 - p) * 0.20
        chance = seen * (1 - seen)
        assert proved_within(60, chance, chance) <= 0.05
