"""Tests of how often a proof errs, found in three independent ways: exactly, simulated, by the
bench.

The exact way (`bench/gates/exact.py`) goes through all (wins, losses) with their probabilities, and
has an e-value implementation of its own.
"""

from __future__ import annotations

import json
import math
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bench.__main__ import main
from bench.gates import command, rules
from bench.gates.exact import Numbers, e_values, ends, kept_by_neither, won_and_lost
from bench.gates.worlds import (
    JUDGES,
    PERFECT,
    ROUGH,
    VOTING,
    Judge,
    Kind,
    World,
    fixed,
    homogeneous,
    replayed,
    schedule,
)
from lull.core.proof.evalue import log_e_value
from lull.core.proof.last_look import LOOK_E, last_look
from lull.core.proof.pairing import next_pair
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proof import ProofRule, ProofState, ShownBy, decide

pytestmark = pytest.mark.full

RULE = ProofRule()
FAILURES = [(f"f{i}", PairPart.FAILURE) for i in range(5)]
SUCCESSES = [(f"s{i}", PairPart.SUCCESS) for i in range(3)]


def ever_proved(win: float, loss: float) -> float:
    """Exact probability that a proof ends as proved, by its e-value or by its last look."""
    return ends(win, loss).accepted


def apart(without: float, with_: float, judge: Judge = PERFECT) -> tuple[float, float]:
    """Probabilities to win and to lose a pair whose two answers are independent."""
    return won_and_lost(without, with_, judge)


def test_the_exact_program_and_the_product_mean_the_same_rule() -> None:
    numbers = Numbers()
    assert (numbers.alpha, numbers.first, numbers.most) == (
        *(RULE.alpha, RULE.first_pairs, RULE.most_pairs),
    )
    assert (numbers.open_e, numbers.harm_e, numbers.look_e) == (RULE.open_e, RULE.harm_e, LOOK_E)
    assert (numbers.unkept, numbers.winless) == (RULE.unkept_pairs, RULE.winless_pairs)


def test_two_ways_to_work_out_an_e_value_agree(subtests: pytest.Subtests) -> None:
    for losses, wins in product((0, 1, 7, 30, 60), (0, 1, 8, 30, 60, 120)):
        with subtests.test(wins=wins, losses=losses):
            own = math.log(e_values(180)[wins, losses])
            assert own == pytest.approx(log_e_value(wins, losses), abs=1e-6)


@pytest.mark.parametrize("discordant", [0.02, 0.1, 0.32, 0.5, 0.8, 1.0])
def test_a_useless_skill_is_proved_in_at_most_five_of_a_hundred(discordant: float) -> None:
    exact = ever_proved(discordant / 2, discordant / 2)
    assert exact <= 0.05
    if discordant >= 0.3:  # where fewer differ, some end early without a win
        assert exact > 0.035  # the bound is used, not just kept


@pytest.mark.parametrize("discordant", [0.02, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [0.05, 0.02, 0.005])
def test_a_useless_skill_is_proved_in_at_most_alpha_beside_others_too(
    discordant: float, alpha: float
) -> None:
    half = discordant / 2
    assert ends(half, half, Numbers(alpha=alpha)).accepted <= alpha
    # Even a last look that accepted skills with an e-value below 1 would keep the bound.
    assert ends(half, half, Numbers(alpha=alpha, look_e=0.0)).accepted <= alpha


@pytest.mark.parametrize(("before", "after"), [(0.9, 0.8), (0.8, 0.65), (0.7, 0.5), (0.6, 0.3)])
def test_a_harmful_skill_is_proved_in_at_most_five_of_a_thousand(
    before: float, after: float
) -> None:
    for judge in JUDGES:
        assert ever_proved(*apart(before, after, judge)) <= 0.005


@pytest.mark.parametrize("before", [0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7])
def test_thirty_points_are_found_in_four_of_five(before: float) -> None:
    assert ever_proved(*apart(before, before + 0.3)) >= 0.8


def test_thirty_points_are_found_in_four_of_five_by_a_judge_that_errs() -> None:
    found = {judge: ends(*apart(0.35, 0.65, judge)) for judge in (ROUGH, VOTING)}
    assert found[ROUGH].accepted >= 0.8
    assert found[VOTING].accepted >= 0.95
    assert found[ROUGH].by_last_look == pytest.approx(0.039, abs=0.001)
    before = Numbers(most=60, looks=False)
    assert ends(*apart(0.35, 0.65, ROUGH), before).accepted == pytest.approx(0.47, abs=0.01)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_to_end_hopeless_tests_early_costs_few_useful_skills(judge: Judge) -> None:
    for before, after, lost in (
        *((0.0, 0.3, 0.015), (0.05, 0.35, 0.007), (0.1, 0.4, 0.003), (0.35, 0.65, 1e-4)),
        *((0.6, 0.9, 1e-4), (0.7, 1.0, 0.001), (0.8, 0.95, 0.006)),
    ):
        neither = kept_by_neither(before, after, judge)
        patient = Numbers(unkept=1000, winless=1000)
        found = ends(*apart(before, after, judge), neither=neither)
        most = ends(*apart(before, after, judge), patient, neither=neither)
        assert 0.0 <= most.accepted - found.accepted <= lost


def test_a_rule_that_the_model_never_keeps_costs_twelve_pairs_and_not_fifty_three() -> None:
    assert ends(0.0, 0.0, neither=1.0).pairs == 12
    assert ends(0.0, 0.0).pairs == 24  # where it keeps the rule anyway
    assert ends(0.0, 0.0, Numbers(unkept=1000, winless=1000), neither=1.0).pairs == 53


def simulated(chance: random.Random, before: float, after: float, *, successes: bool) -> ProofState:
    """Prove one simulated skill pair by pair with the public functions; return its final state."""
    requests = FAILURES + (SUCCESSES if successes else [])
    key = str(chance.random())
    look = last_look(key)
    done: list[Pair] = []
    while (wanted := next_pair(done, RULE, requests=requests, key=key, look=look)) is not None:
        kept = wanted.part is PairPart.SUCCESS
        done.append(
            Pair(
                request=wanted.request,
                part=wanted.part,
                seed=wanted.seed,
                without=float(kept or chance.random() < before),
                with_=float(kept or chance.random() < after),
                scored_by="dice",
            )
        )
    decision = decide(done, RULE, successes=3 if successes else 0, look=look)
    assert decision.state is not ProofState.UNDECIDED
    assert decision.pairs <= RULE.most_pairs
    return decision.state


@pytest.mark.parametrize(("before", "after"), [(0.5, 0.5), (0.8, 0.8), (0.4, 0.7)])
def test_the_public_functions_err_as_often_as_was_worked_out(before: float, after: float) -> None:
    chance = random.Random(17)
    n = 500
    proved = sum(
        simulated(chance, before, after, successes=False) is ProofState.PROVED for _ in range(n)
    )
    exact = ever_proved(*apart(before, after))
    assert abs(proved / n - exact) <= 4 * math.sqrt(exact * (1 - exact) / n)


def test_a_skill_that_spoils_nothing_is_proved_beside_past_successes() -> None:
    chance = random.Random(18)
    states = [simulated(chance, 0.2, 0.9, successes=True) for _ in range(60)]
    assert states.count(ProofState.PROVED) >= 57


# The bench


def test_the_bench_decides_as_the_product_does() -> None:
    """The bench's fast computation over counts and `decide` over pairs end in the same state after
    the same number of pairs.
    """
    chance = random.Random(19)
    rates = [(0.45, 0.45), (0.45, 0.1), (0.1, 0.45), (0.02, 0.02), (0.36, 0.18)]
    seen, shown = set[ProofState](), set[ShownBy]()
    for n in range(160):
        won = dice(chance, *rates[n % 5])
        kept = dice(chance, *rates[n // 5 % 4]) if n % 3 else []
        look = last_look(str(n))
        end = rules.ends(
            np.array([won], dtype=np.int8),
            np.array([kept], dtype=np.int8) if kept else None,
            np.array([look.coin]),
        )
        benefit, success = iter(won), iter(kept)
        requests = FAILURES + (SUCCESSES if kept else [])
        done: list[Pair] = []
        while (wanted := next_pair(done, RULE, requests=requests, key="k", look=look)) is not None:
            outcome = next(success if wanted.part is PairPart.SUCCESS else benefit)
            done.append(
                Pair(
                    request=wanted.request,
                    part=wanted.part,
                    seed=wanted.seed,
                    without=0.0,
                    with_=float(outcome),
                    scored_by="dice",
                )
            )
        decision = decide(done, RULE, successes=3 if kept else 0, look=look)
        assert (decision.state, decision.shown_by, decision.pairs) == tuple(part[0] for part in end)
        seen.add(decision.state)
        shown.add(decision.shown_by)
    assert seen == set(ProofState) - {ProofState.UNDECIDED}
    assert shown == set(ShownBy)


def dice(chance: random.Random, win: float, loss: float) -> list[int]:
    return chance.choices([1, -1, 0], [win, loss, 1.0 - win - loss], k=RULE.most_pairs)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_the_benchs_dice_fall_as_they_say(judge: Judge) -> None:
    rng = np.random.default_rng(1)
    draw = homogeneous(0.3, 0.8)(rng, 4000)
    answers = replayed(rng, draw, schedule(60, failures=None), judge, same_dice=0.0)
    for scores, p in ((answers.without, 0.3), (answers.with_, 0.8)):
        right = {PERFECT: (1.0, 1.0), ROUGH: (0.85, 0.8), VOTING: (0.93925, 0.896)}[judge]
        seen = p * right[0] + (1 - p) * (1 - right[1])
        assert scores.mean() == pytest.approx(seen, abs=0.005)


def test_shared_luck_makes_the_answers_alike() -> None:
    rng = np.random.default_rng(2)
    draw = homogeneous(0.5, 0.5)(rng, 2000)
    answers = replayed(rng, draw, schedule(60, failures=None), PERFECT, same_dice=1.0)
    assert (answers.without == answers.with_).all()


def test_few_requests_are_replayed_in_the_planners_turns() -> None:
    order = schedule(4, failures=2)
    assert all(set(round_) == {0, 1, 2, 3} for row in order for round_ in np.split(row, 30))


def test_every_world_that_is_called_useless_is_useless() -> None:
    rng = np.random.default_rng(3)
    for world in command.worlds():
        draw = world.benefit(rng, 200)
        gain = float((draw.with_ - draw.without).mean())
        if world.kind is Kind.NULL:
            assert gain == pytest.approx(0.0, abs=1e-9), world.name
        elif world.kind is Kind.HARMFUL:
            assert gain <= -0.09, world.name
        if world.thirty:
            assert gain == pytest.approx(0.3), world.name


def test_peers_rules_are_what_they_are_called() -> None:
    rng = np.random.default_rng(4)
    sure = World(name="sure", kind=Kind.GOOD, benefit=fixed([0.0], [1.0]))
    answers = replayed(rng, sure.benefit(rng, 5), schedule(1, failures=None), PERFECT, same_dice=0)
    assert rules.skillclaw(answers, None).accepted.all()
    assert rules.skillopt(answers, 5).accepted.all()
    same = fixed([0.0], [0.0])(rng, 5)
    answers = replayed(rng, same, schedule(1, failures=None), PERFECT, same_dice=0.0)
    assert not rules.skillclaw(answers, None).accepted.any()
    assert not rules.skillopt(answers, 5).accepted.any()
    assert rules.metaclaw(answers, None).accepted.all()


@pytest.mark.slow
def test_the_bench_writes_its_rows_and_its_goals_hold(tmp_path: Path) -> None:
    assert main(["gates", "--quick", "--strict", "--seed", "3", "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "gates.json").read_text())
    assert document["bench"] == "gates"
    assert document["simulated"] is True
    assert document["seeds"] == [3]
    assert len(document["goals"]) >= 4
    assert all(goal["holds"] for goal in document["goals"])
    plain = [row for row in document["rows"] if row["exact"] is not None]
    assert len(plain) >= 40
    for row in plain:
        spread = math.sqrt(row["exact"] * (1 - row["exact"]) / row["n"])
        assert abs(row["accepted"] - row["exact"]) <= 4.5 * spread + 1e-9, row
    assert {row["rule"] for row in document["rows"]} == {"Lull", *command.PEERS}
    assert all(row["low"] <= row["accepted"] <= row["high"] for row in document["rows"])


def test_the_committed_result_is_of_ten_thousand_skills_and_holds() -> None:
    document = json.loads((command.RESULTS / "gates.json").read_text())
    assert all(goal["holds"] for goal in document["goals"])
    assert min(row["n"] for row in document["rows"]) >= 10_000
