"""How often a proof errs, found in three ways that share nothing: exactly, by dice, by the bench.

The exact way walks over all (wins, losses) with their chances, and has an e-value of its own.
"""

from __future__ import annotations

import json
import math
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bench.__main__ import main
from bench.gates import command, rules
from bench.gates.worlds import PERFECT, ROUGH, Kind, World, fixed, homogeneous, replayed, schedule
from lull.core.evalue import PRIOR_LOSSES, PRIOR_WINS
from lull.core.pairing import next_pair
from lull.core.proof import Pair, Part, ProofRule, ProofState, decide

pytestmark = pytest.mark.slow

RULE = ProofRule()
FAILURES = [(f"f{i}", Part.FAILURE) for i in range(5)]
SUCCESSES = [(f"s{i}", Part.SUCCESS) for i in range(3)]


@cache
def own_log_e(wins: int, losses: int) -> float:
    """By Simpson's rule over the win rate, from the definition of a mixture of ratios."""
    steps = 4000
    total = weight = 0.0
    for i in range(steps + 1):
        rate = 0.5 + 0.5 * i / steps
        if rate == 1.0:
            continue
        share = (1 if i in (0, steps) else 4 if i % 2 else 2) * math.exp(
            (PRIOR_WINS - 1) * math.log(rate) + (PRIOR_LOSSES - 1) * math.log1p(-rate) + 40.0
        )
        weight += share
        total += share * math.exp(wins * math.log(2 * rate) + losses * math.log(2 - 2 * rate))
    return math.log(total / weight)


def ever_proved(win: float, loss: float, *, pairs: int = 60) -> float:
    """The chance that the e-value reaches 20 at any of so many pairs, exactly."""
    alive = {(0, 0): 1.0}
    proved = 0.0
    for _ in range(pairs):
        after: dict[tuple[int, int], float] = {}
        for (wins, losses), p in alive.items():
            for state, chance in (
                ((wins + 1, losses), win),
                ((wins, losses + 1), loss),
                ((wins, losses), 1.0 - win - loss),
            ):
                if own_log_e(*state) >= math.log(20):
                    proved += p * chance
                else:
                    after[state] = after.get(state, 0.0) + p * chance
        alive = after
    return proved


def apart(without: float, with_: float) -> tuple[float, float]:
    """Chances to win and to lose a pair, for answers that share no luck."""
    return with_ * (1 - without), without * (1 - with_)


@pytest.mark.parametrize("discordant", [0.02, 0.1, 0.32, 0.5, 0.8, 1.0])
def test_a_useless_skill_is_proved_in_at_most_five_of_a_hundred(discordant: float) -> None:
    exact = ever_proved(discordant / 2, discordant / 2)
    assert exact <= 0.05
    if discordant >= 0.3:
        assert exact > 0.01  # the bound is used, not just kept


@pytest.mark.parametrize(("before", "after"), [(0.9, 0.8), (0.8, 0.65), (0.7, 0.5), (0.6, 0.3)])
def test_a_harmful_skill_is_proved_in_at_most_five_of_a_thousand(
    before: float, after: float
) -> None:
    def seen(p: float) -> float:
        return p * ROUGH.sensitivity + (1 - p) * (1 - ROUGH.specificity)

    assert ever_proved(*apart(before, after)) <= 0.005
    assert ever_proved(*apart(seen(before), seen(after))) <= 0.005


@pytest.mark.parametrize("before", [0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7])
def test_thirty_points_are_found_in_four_of_five(before: float) -> None:
    assert ever_proved(*apart(before, before + 0.3)) >= 0.8


def simulated(chance: random.Random, before: float, after: float, *, successes: bool) -> ProofState:
    """One skill through the public functions alone, pair by pair."""
    requests = FAILURES + (SUCCESSES if successes else [])
    key = str(chance.random())
    done: list[Pair] = []
    while (wanted := next_pair(done, RULE, requests=requests, key=key)) is not None:
        kept = wanted.part is Part.SUCCESS
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
    decision = decide(done, RULE, successes=3 if successes else 0)
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
    """Its quick walk over counts and `decide` over pairs: the same state after as many pairs."""
    chance = random.Random(19)
    rates = [(0.45, 0.45), (0.45, 0.1), (0.1, 0.45), (0.02, 0.02)]
    seen = set()
    for n in range(160):
        won = dice(chance, *rates[n % 4])
        kept = dice(chance, *rates[n // 4 % 4]) if n % 3 else []
        state, used = rules.one(won, kept)
        seen.add(state)
        benefit, success = iter(won), iter(kept)
        requests = FAILURES + (SUCCESSES if kept else [])
        done: list[Pair] = []
        while (wanted := next_pair(done, RULE, requests=requests, key="k")) is not None:
            outcome = next(success if wanted.part is Part.SUCCESS else benefit)
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
        decision = decide(done, RULE, successes=3 if kept else 0)
        assert (decision.state, decision.pairs) == (state, used)
    assert seen == set(ProofState) - {ProofState.UNDECIDED}


def dice(chance: random.Random, win: float, loss: float) -> list[int]:
    return chance.choices([1, -1, 0], [win, loss, 1.0 - win - loss], k=60)


@pytest.mark.parametrize("judge", [PERFECT, ROUGH], ids=lambda judge: judge.name)
def test_the_benchs_dice_fall_as_they_say(judge: object) -> None:
    assert judge in (PERFECT, ROUGH)
    rng = np.random.default_rng(1)
    draw = homogeneous(0.3, 0.8)(rng, 4000)
    answers = replayed(rng, draw, schedule(60, failures=None), judge, same_dice=0.0)  # type: ignore[arg-type]
    for scores, p in ((answers.without, 0.3), (answers.with_, 0.8)):
        seen = p if judge is PERFECT else p * 0.85 + (1 - p) * 0.20
        assert scores.mean() == pytest.approx(seen, abs=0.005)


def test_shared_luck_makes_the_answers_alike() -> None:
    rng = np.random.default_rng(2)
    draw = homogeneous(0.5, 0.5)(rng, 2000)
    answers = replayed(rng, draw, schedule(60, failures=None), PERFECT, same_dice=1.0)
    assert (answers.without == answers.with_).all()


def test_few_requests_are_replayed_in_the_planners_turns() -> None:
    order = schedule(4, failures=2)
    assert all(set(round_) == {0, 1, 2, 3} for row in order for round_ in np.split(row, 15))


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
    assert {row["rule"] for row in document["rows"]} == {"Lull", *command.PEERS}
    assert all(row["low"] <= row["accepted"] <= row["high"] for row in document["rows"])


def test_the_committed_result_is_of_ten_thousand_skills_and_holds() -> None:
    document = json.loads((command.RESULTS / "gates.json").read_text())
    assert all(goal["holds"] for goal in document["goals"])
    assert min(row["n"] for row in document["rows"]) >= 10_000
