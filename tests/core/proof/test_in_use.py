"""Tests of measuring a skill in use by pairs of answers with and without it, until it is sure."""

from __future__ import annotations

from random import Random

import pytest

from lull.core.proof.holdout import HELP_E, RETIRE_E
from lull.core.proof.in_use import (
    UseRule,
    combined_e_value,
    counts_of,
    replay_effect,
    replay_harm_e,
    replay_help_e,
    replays_can_measure,
    should_replay,
)
from lull.core.proof.pairs import Pair, PairPart

RULE = UseRule()


def pairs(better: int, worse: int, alike: int = 0) -> list[Pair]:
    gains = [1.0] * better + [-1.0] * worse + [0.0] * alike
    return [
        Pair(
            request=f"turn_{n}",
            part=PairPart.SIBLING,
            seed=1,
            without=max(0.0, -gain),
            with_=max(0.0, gain),
            scored_by="verifier:check",
        )
        for n, gain in enumerate(gains)
    ]


def test_eight_better_answers_in_a_row_are_sure_and_seven_are_not() -> None:
    assert replay_help_e(pairs(8, 0)) >= HELP_E > replay_help_e(pairs(7, 0))
    assert replay_harm_e(pairs(0, 8)) >= RETIRE_E > replay_harm_e(pairs(0, 7))


def test_answers_that_are_alike_say_nothing_for_or_against() -> None:
    assert replay_help_e(pairs(5, 1, alike=50)) == replay_help_e(pairs(5, 1))
    assert counts_of(pairs(5, 1, alike=50)).pairs == 56


def test_a_pair_that_stands_twice_counts_once() -> None:
    assert counts_of([*pairs(3, 1), *pairs(3, 1)]) == counts_of(pairs(3, 1))


def test_the_effect_is_the_mean_gain_with_an_interval_that_a_few_pairs_leave_wide() -> None:
    assert replay_effect([]) is None
    few, many = replay_effect(pairs(3, 0)), replay_effect(pairs(60, 20, alike=20))
    assert few is not None and many is not None
    assert few.low < 0 < few.value
    assert many.value == pytest.approx(0.4, abs=0.02)
    assert 0.2 < many.low < many.high < 0.6
    assert many.n == 100


def test_the_interval_covers_the_effect() -> None:
    """Simulated, 30 pairs each: about 19 of 20 intervals hold the true effect."""
    chance, covered = Random(3), 0
    for _ in range(400):
        draws = [chance.random() for _ in range(30)]
        better, worse = sum(d < 0.4 for d in draws), sum(d > 0.9 for d in draws)
        found = replay_effect(pairs(better, worse, 30 - better - worse))
        assert found is not None
        covered += found.low <= 0.3 <= found.high
    assert covered / 400 >= 0.93


@pytest.mark.full
def test_a_skill_that_does_nothing_is_hardly_ever_held_for_a_harm() -> None:
    """Simulated, with a look after each of 60 pairs: at most 5 % may count as harmful."""
    chance, alarms = Random(4), 0
    for _ in range(300):
        better = worse = 0
        alarm = False
        for _ in range(60):
            win = chance.random() < 0.5
            better, worse = better + win, worse + (not win)
            alarm = alarm or replay_harm_e(pairs(better, worse)) >= RETIRE_E
        alarms += alarm
    assert alarms / 300 <= 0.05


def test_two_kinds_of_evidence_are_multiplied() -> None:
    assert combined_e_value(5.0, 4.0) == pytest.approx(20.0)
    assert combined_e_value(1.0, 3.0) == pytest.approx(3.0)
    assert combined_e_value(0.0, 3.0) == 0.0


def test_a_few_requests_that_can_be_scored_are_enough_to_need_no_coin() -> None:
    assert not replays_can_measure(RULE.least_requests - 1, RULE)
    assert replays_can_measure(RULE.least_requests, RULE)


def test_every_request_is_replayed_until_the_effect_is_sure_and_then_one_in_five() -> None:
    requests = [f"conv_{n}" for n in range(2000)]

    def share(done: list[Pair]) -> float:
        return sum(should_replay(one, done, RULE, sure_e=HELP_E) for one in requests) / 2000

    assert share([]) == share(pairs(4, 1)) == 1.0
    assert share(pairs(12, 0)) == pytest.approx(0.2, abs=0.03)
    assert share(pairs(10, 10, alike=40)) == pytest.approx(0.2, abs=0.03)
